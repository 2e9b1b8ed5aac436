#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(256) k(int*o,int*x){ int t=threadIdx.x; int u; asm volatile("v_mov_b32 %0, v77":"=v"(u)::); asm volatile("":::"v80"); o[t]=(int)__ballot(u>100);}
