#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(64) k(int*o,const int*__restrict__ x,const int*__restrict__ c){
  int t=threadIdx.x; int v=0; int n=t+1;
  #pragma unroll 1
  for(int i=0;i<n;++i) { v=__builtin_amdgcn_readfirstlane(x[t+i]); asm volatile("v_mov_b32 %0, %0":"+v"(v)); }
  int f=__builtin_amdgcn_readfirstlane(v);
  if(f!=v) o[100+t]=1; else o[t]=2; }
