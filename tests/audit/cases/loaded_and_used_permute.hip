#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(256) k(int*o,int*x){ int t=threadIdx.x; x[t]=t; asm volatile("":::"memory"); int v=x[t^192]; o[t]=__builtin_amdgcn_ds_permute(v*4,t);}
