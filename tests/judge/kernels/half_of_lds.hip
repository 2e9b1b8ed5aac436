#include <hip/hip_runtime.h>

__global__ void reverse(const float* x, float* o) {
  __shared__ float s[128];
  int t = threadIdx.x, row = blockIdx.x * 128;
  if (t < 64) s[t] = x[row + t];
  __syncthreads();
  o[row + t] = s[127 - t];
}

