#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(1024) k(double*o,const double*x,int n) {
int t=threadIdx.x; double a=0;
#pragma unroll 1
for(int j=0;j<n;j++){ a+=x[j*64+t]; if(j>0) ((volatile int*)o)[((j-1)*64+t)*2+1]=12345; ((volatile double*)o)[j*64+t]=a; }
}
