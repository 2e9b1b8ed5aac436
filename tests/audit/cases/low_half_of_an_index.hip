#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(64) void k(const long* index, const float* x, float* o) {
  int t = threadIdx.x;
  o[t] = x[(unsigned)index[t]];
}
