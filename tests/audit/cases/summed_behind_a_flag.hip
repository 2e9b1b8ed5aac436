// What one block sums was there before the launch, or another has stored it and told, further down in the code.
#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define KERNEL(name) extern "C" __global__ __launch_bounds__(64) void name(float* x, float* o, const float* y, unsigned* flag)
#define APART asm volatile("s_nop 0" ::: "memory")
#define SUMMED o[t] = x[t] + x[t + 64]
#define STORED x[t] = y[t]; x[t + 64] = y[t + 64]; if (t == 0) __hip_atomic_store(flag, 1u, __ATOMIC_RELEASE, DEVICE)
#define HERE int t = threadIdx.x, b = blockIdx.x

//: proved
KERNEL(summed_first) { HERE; if (b == 1) { SUMMED; } APART; if (b == 1) { STORED; } }

//: computes refuted
KERNEL(stored_first) { HERE; if (b == 1) { while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, DEVICE) == 0); SUMMED; } APART; if (b == 0) { STORED; } }
