#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(1) k(int*o,int*p){
  int v; int b=blockIdx.x; o[b]=7; asm volatile("s_load_dword %0, %1, 0x0\n s_waitcnt lgkmcnt(0)":"=s"(v):"s"(o+b):"memory"); p[b]=v; }
