#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(256) void k(float* p) {
  int t = threadIdx.x;
  float v = ((volatile float*)p)[t & 63];
  if (t < 64) p[t] = v * 2;
}
