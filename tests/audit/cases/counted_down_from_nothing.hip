// A count of 0 says no turn, and the code makes 2³², of which nothing is known (own code).
#include <hip/hip_runtime.h>
//: ends unknown
extern "C" __global__ void counted_down(const int* x, int* o, int n) {
  int t = blockIdx.x * 64 + threadIdx.x, k = n, s = 0;
  do { s = s * 3 + t; asm volatile("" : "+v"(s)); } while (--k != 0);
  o[t] = s;
}
