#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(float* o, unsigned* ticket, const float* x)
#define HERE __shared__ unsigned got; unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x, most
#define TAKE if (t == 0) got = atomicInc(ticket, most); __syncthreads(); unsigned g = got
#define STORE if (g < n) o[g * 256 + t] = x[b * 256 + t]

// Each block stores where its ticket says; tickets begin anew behind the greatest, which is a word.

//: proved
KERNEL(as_many_as_blocks) { HERE; most = n - 1; TAKE; STORE; }

//: race_free refuted
KERNEL(one_too_few) { HERE; most = n - 2; TAKE; STORE; }

//: race_free refuted
KERNEL(nothing_is_left_of_it) { HERE;
  asm volatile("v_mov_b32 %0, %1\n\tv_lshlrev_b32 %0, 16, %0\n\tv_lshlrev_b32 %0, 16, %0" : "=&v"(most) : "s"(n));
  TAKE; STORE; }

//: proved
KERNEL(never_anew) { HERE; most = ~0u; TAKE; STORE; }
