#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void __launch_bounds__(256) k(int*o,int*x){ int t=threadIdx.x; int u; asm volatile("s_cselect_b32 %0, 1, 2":"=s"(u)); o[t]=u;}
