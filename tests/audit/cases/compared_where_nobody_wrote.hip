// What an atomic operation leaves of LDS that nobody wrote is nothing that was written (own code).
#include <hip/hip_runtime.h>

//: initialised unknown, runs refuted
extern "C" __global__ void compared_where_nobody_wrote(int* o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  atomicCAS(&s[t], 7, 9);
  __syncthreads();
  o[blockIdx.x * 64 + t] = s[63 - t];
}
