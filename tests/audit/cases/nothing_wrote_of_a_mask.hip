#include <hip/hip_runtime.h>
extern "C" __global__ __launch_bounds__(64) void k(int* o, int n) {
  int t = threadIdx.x, v;
  if (n > 3) asm volatile("v_cmp_lt_u32 vcc, %0, %1" ::"v"(t), "v"(n) : "vcc");
  asm volatile("v_cndmask_b32 %0, 0, 1, vcc" : "=v"(v));
  o[t] = v;
}
