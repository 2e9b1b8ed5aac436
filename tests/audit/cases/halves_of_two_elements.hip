#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void __launch_bounds__(64) k(int*o,const unsigned*x){
  unsigned long long v; asm volatile("s_load_dwordx2 %0, %1, 0x4\n s_waitcnt lgkmcnt(0)":"=s"(v):"s"(x):"memory"); o[(unsigned)(v>>32)]=1; }
