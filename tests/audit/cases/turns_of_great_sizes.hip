// A size of which it is known that it is great: a loop over it is not followed turn by turn (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, more) extern "C" __global__ void name(const float* x, float* o, int n) { \
    float sum = 0; \
    _Pragma("unroll 1") for (int i = 0; i < n + more; i++) sum += x[i]; \
    o[blockIdx.x * 64 + threadIdx.x] = sum; \
  }

//: proved
KERNEL(sum_of_all, 0)
//: slow
//: in_bounds unknown
KERNEL(sum_of_one_more, 1)
