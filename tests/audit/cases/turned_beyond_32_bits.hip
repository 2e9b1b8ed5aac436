// Elements in reverse order, more than 2^32 of them: nothing wraps, in two words or in one.
#include <hip/hip_runtime.h>
//: no_overflow unknown
extern "C" __global__ __launch_bounds__(256) void turned(const float* x, float* o, long n) {
  long i = (long)blockIdx.x * 1024 + threadIdx.x * 4;
  if (i < n) o[i] = x[n - 1 - i];
}
