#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(1) k(int*o){
  int v; asm volatile("v_and_b32 %0, 63, v77":"=v"(v)::); o[v]=7; asm volatile("":::"v80"); }
