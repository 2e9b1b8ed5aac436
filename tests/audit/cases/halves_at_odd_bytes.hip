// Two halves at once, at an odd byte: within an element, which no compiler joins to (own code).
#include <hip/hip_runtime.h>
//: aligned unknown
extern "C" __global__ void odd(unsigned* o, int n) {
  int t = blockIdx.x * 64 + threadIdx.x;
  if (2 * t + 2 < n) *(unsigned*)((char*)o + 4 * t + 1) = t;
}
