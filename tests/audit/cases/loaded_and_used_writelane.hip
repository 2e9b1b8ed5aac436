#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(256) k(int*o,int*x){ int t=threadIdx.x; x[t]=t; asm volatile("":::"memory"); int v=__builtin_amdgcn_readfirstlane(x[t^192]); int w; asm volatile("v_mov_b32 %0, 1\n v_writelane_b32 %0, %1, 5":"=&v"(w):"s"(v)); o[t]=w;}
