#include <hip/hip_runtime.h>

__global__ void matmul_tiled(const float* a, const float* b, float* o, int m, int n, int k) {
  __shared__ float s[16][16], t[16][16];
  int y = threadIdx.y, x = threadIdx.x, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  float sum = 0.0f;
  for (int l = 0; l < k; l += 16) {
    s[y][x] = i < m && l + x < k ? a[i * k + l + x] : 0.0f;
    t[y][x] = l + y < k && j < n ? b[(l + y) * n + j] : 0.0f;
    __syncthreads();
    for (int e = 0; e < 16; ++e) sum += s[y][e] * t[e][x];
  }
  if (i < m && j < n) o[i * n + j] = sum;
}
void host(const float* a, const float* b, float* o, int m, int n, int k) {
  matmul_tiled<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, o, m, n, k);
}
