#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(1024) k(float*o,const float*x,int n) {
int t=threadIdx.x; __shared__ volatile float s[1024]; 
#pragma unroll 1
for(int j=0;j<n;j++){ 
#pragma unroll 1
for(int q=0;q<=j;q++) s[(q&1)*128+t]=x[j*128+t]; __syncthreads(); o[j*128+t]=s[128+127-t]; __syncthreads(); }
}
