#include <hip/hip_runtime.h>

__global__ void reverse(const float* x, float* o) {
  extern __shared__ float s[];
  int t = threadIdx.x, row = blockIdx.x * 128;
  s[t] = x[row + t];
  __syncthreads();
  o[row + t] = s[127 - t];
}

