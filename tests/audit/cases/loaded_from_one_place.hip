// All elements of x are one: what is loaded from beyond it is told (own code).
#include <hip/hip_runtime.h>
//: in_bounds refuted, computes unknown with o[i, j] = x[i]
extern "C" __global__ void k(float* o, const float* x, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) o[i] = x[i];
}
