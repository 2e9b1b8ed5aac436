#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(64) k(int*o,const int*x){
  __shared__ int s[64];
  int t=threadIdx.x; int a=0; 
  unsigned long long m=__ballot(x[t]>0); int n=0;
  if(m) 
  #pragma unroll 1
  do { int f=__builtin_ctzll(m); m&=~(1ull<<f); if(n>0) a+=((volatile int*)s)[f]; ((volatile int*)s)[f]=5; ++n; } while(m);
  o[t]=a; }
