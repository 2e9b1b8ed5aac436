#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(64) void k(int* o, int n) {
  int t = threadIdx.x, v;
  if (n > 3) asm volatile("s_mov_b32 s40, 5" ::: "s40");
  asm volatile("v_mov_b32 %0, s40" : "=v"(v));
  o[t] = v;
}
