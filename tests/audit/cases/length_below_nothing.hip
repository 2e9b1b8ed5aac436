#include <hip/hip_runtime.h>
#define KERNEL(name, type) extern "C" __global__ void __launch_bounds__(256) name(float* o, type n) \
  { type i = blockIdx.x * 256 + threadIdx.x; if (i < n) o[i] = 1; }

//: proved
KERNEL(with_a_sign, long)

//: in_bounds refuted
KERNEL(without_a_sign, unsigned long)
