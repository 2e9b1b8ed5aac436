#include <hip/hip_runtime.h>

__global__ void transpose(const float* x, float* o, int m, int n) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (c < n && r + k < m) tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * n + c];
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x, r = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (c < m && r + k < n) o[(r + k) * m + c] = tile[threadIdx.x][threadIdx.y + k];
}
void host(const float* x, float* o, int m, int n) {
  transpose<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 8)>>>(x, o, m, n);
}
