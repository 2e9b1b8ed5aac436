#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(64) k(const float* x, float* o, int n) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    float a = 0;
#pragma unroll 1
    for (int k = 0; k < j; ++k) a = a + x[0];
    o[j * 64 + t] = a;
  }
}
