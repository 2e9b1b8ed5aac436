// A wide store of bytes may be joined by the compiler, at any byte; of words it is the source's (own code).
#include <hip/hip_runtime.h>
//: race_free unknown
extern "C" __global__ void eight_at_any_byte(int* o, int n) {
  int t = blockIdx.x * 64 + threadIdx.x;
  if (t + 8 <= n) *(long*)((char*)o + t) = 0;
}
