#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(256) k(int*o,int*x){ int t=threadIdx.x; int u=0; asm volatile("s_cbranch_scc0 1\n v_mov_b32 %0, 4\n":"+v"(u)); o[t]=u;}
