// A mask of 64 lanes and its lower half are two numbers, whichever is looked at first.
#include <hip/hip_runtime.h>
//: unproved
extern "C" __global__ __launch_bounds__(64) void whole_behind_its_half(const int* c, const float* x, float* o) {
  int t = threadIdx.x;
  unsigned long m = __ballot(c[t] > 0);
  if ((unsigned)m * 5u == 35u) return;
  o[t] = x[m >> 31];
}
