// An element is overwritten where another one lies: of such a tensor no equation is proved (own code).
#include <hip/hip_runtime.h>
//: computes unknown with o[i, j] = x[i]
//: computes refuted with o[i, j] = where(j < 1, x[i], 0.0)
extern "C" __global__ void k(float* o, const float* x, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) o[i] = x[i];
}
