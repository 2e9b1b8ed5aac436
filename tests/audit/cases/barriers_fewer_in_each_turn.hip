#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(256) k(int*o,int*p,int n){
  int t=threadIdx.x; int a=0;
  #pragma unroll 1
  for(int i=0;i<n;i++){
    a+=o[i*256+255-t];
    #pragma unroll 1
    for(int j=i;j<n;j++) __builtin_amdgcn_s_barrier();
    o[(i+1)*256+t]=t;
  }
  p[t]=a; }
