// Nobody stores the word that decides whether waves come to a barrier behind the last access.
#include <hip/hip_runtime.h>
//: unproved
extern "C" __global__ __launch_bounds__(256) void one_more(const float* x, float* o) {
  __shared__ int word;
  int t = threadIdx.x;
  o[t] = x[t];
  if (__builtin_amdgcn_readfirstlane(*(volatile int*)&word) & 4) asm volatile("s_barrier\n\ts_nop 0" ::: "memory");
}
