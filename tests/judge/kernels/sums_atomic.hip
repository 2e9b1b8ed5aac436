#include <hip/hip_runtime.h>

__global__ void sums(const float* x, float* o, int m, int k) {
  int j = threadIdx.x;
  if (j < k) unsafeAtomicAdd(&o[blockIdx.x], x[blockIdx.x * k + j]);
}

void host(const float* x, float* o, int m, int k) { sums<<<m, 256>>>(x, o, m, k); }
