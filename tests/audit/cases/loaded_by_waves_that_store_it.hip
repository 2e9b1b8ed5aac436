#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(256) void k(float* p, float* q) {
  int t = threadIdx.x;
  float v = p[t & 63];
  if (t < 64) p[t] = v * 2;
  if (t > 250) q[t] = v;
}
