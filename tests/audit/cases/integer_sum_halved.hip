#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(1024) k(unsigned*o,const unsigned*x,int n) {
int t=threadIdx.x; unsigned a=0;
#pragma unroll 1
for(int j=0;j<n;j++){ unsigned v=x[j*64+t]; o[j*64+t]=(unsigned)(((unsigned long long)a+v)>>1); a+=v; }
}
