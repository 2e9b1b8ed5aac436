#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(1024) k(short*o,const short*x) {
int t=threadIdx.x; o[t]=x[t];
}
