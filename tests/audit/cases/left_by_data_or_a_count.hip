// A loop that data of the block may leave, or a count: one that is never met at n = 0.
#include <hip/hip_runtime.h>
#define KERNEL(name, until) \
  extern "C" __global__ __launch_bounds__(64) void name(const int* y, float* o, const float* x, int n) { \
    float s = 0; \
    _Pragma("unroll 1") for (int i = 0;;) { \
      s += x[i * 64 + threadIdx.x]; \
      if (y[blockIdx.x * 4 + (i & 3)] == 5) break; \
      asm volatile("" : "+v"(s)); \
      ++i; \
      if (until) break; \
    } \
    o[blockIdx.x * 64 + threadIdx.x] = s; \
  }

//: proved
KERNEL(from_n_on, i > n)
//: unproved
KERNEL(at_n_alone, i == n)
