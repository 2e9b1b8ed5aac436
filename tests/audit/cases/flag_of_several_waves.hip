// Waves of a block leave data, and one of them sets the flag for all: right, and where another's are still under way.
#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define KERNEL(name) extern "C" __global__ __launch_bounds__(256) void name(unsigned* o, unsigned* part, unsigned* flag, const unsigned* x)
#define RELEASE __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent")
#define DONE asm volatile("s_waitcnt vmcnt(0)" ::: "memory")
#define SET if (t == 0) __hip_atomic_store(flag, 1u, __ATOMIC_RELAXED, DEVICE)
#define TAKE while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, DEVICE) == 0); o[b * 256 + t] = part[t]
#define FIRST unsigned t = threadIdx.x, b = blockIdx.x; if (b == 0)

//: proved
KERNEL(each_releases) { FIRST { part[t] = x[t]; RELEASE; __syncthreads(); SET; } else { TAKE; } }

//: slow
// Waves of a block have one second cache: it is written back once, behind a barrier that found all stores done.

//: proved
KERNEL(one_releases_for_all) { FIRST { part[t] = x[t]; DONE; __syncthreads(); if (t == 0) RELEASE; SET; } else { TAKE; } }

//: race_free unknown
KERNEL(no_barrier) { FIRST { part[t] = x[t]; RELEASE; SET; } else { TAKE; } }

//: race_free unknown
KERNEL(one_releases_itself) { FIRST { part[t] = x[t]; if (t == 0) RELEASE; __syncthreads(); SET; } else { TAKE; } }

//: race_free unknown
KERNEL(another_wave_releases) { FIRST { part[t] = x[t]; DONE; __syncthreads(); if (t >= 64) RELEASE; SET; } else { TAKE; } }

//: race_free unknown
KERNEL(released_before_the_second) { FIRST { part[t] = x[t]; DONE; __syncthreads(); if (t < 64) RELEASE; else part[t] = x[t] + 1;
  DONE; __syncthreads(); SET; } else { TAKE; } }
