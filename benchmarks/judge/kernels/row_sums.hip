#include <hip/hip_runtime.h>

__global__ void row_sums(const float* x, float* o, int m, int k) {
  __shared__ float part[256];
  float sum = 0.0f;
  for (int j = threadIdx.x; j < k; j += 256) sum += x[blockIdx.x * k + j];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) o[blockIdx.x] = part[0];
}
void host(const float* x, float* o, int m, int k) { row_sums<<<m, 256>>>(x, o, m, k); }
