// What one wave sums was there before the launch, or another has stored it before a barrier, further down in the code.
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(128) void name(float* x, float* o, const float* y)
#define HERE int t = threadIdx.x, wave = __builtin_amdgcn_readfirstlane(t / 64)
#define APART asm volatile("s_nop 0" ::: "memory")

//: proved
KERNEL(summed_first) { HERE; float a = t < 64 ? x[t] + x[t + 64] : 0; __syncthreads(); x[t] = y[t]; if (t < 64) o[t] = a; }

//: computes refuted
KERNEL(stored_first) { HERE; if (wave == 0) { __syncthreads(); o[t] = x[t] + x[t + 64]; } APART; if (wave == 1) { x[t] = y[t]; x[t - 64] = y[t - 64]; __syncthreads(); } }
