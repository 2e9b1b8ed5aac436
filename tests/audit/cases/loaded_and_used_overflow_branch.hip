#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(256) k(int*o,int*x){ int t=threadIdx.x; x[t]=t; asm volatile("":::"memory"); unsigned v=x[t^192]; unsigned r; bool c=__builtin_add_overflow(v,(unsigned)t*77777777u,&r); if(c) o[t]=1;}
