#include <hip/hip_runtime.h>
// Tickets that look like those of the last block (own code).
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(float* o, float* part, unsigned* ticket, const float* x)
#define HERE __shared__ unsigned got; unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x
#define LEAVE part[b * 256 + t] = x[b * 256 + t] + 1.f
#define WAIT asm volatile("s_waitcnt vmcnt(0)" ::: "memory")
#if defined(__gfx942__)
#define WRITE_BACK asm volatile("buffer_wbl2 sc1" ::: "memory")
#else
#define WRITE_BACK
#endif
#define RELEASE __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent")
#define ACQUIRE __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent")
#define TAKE __hip_atomic_fetch_add(ticket, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define SUM float s = 0; for (unsigned k = 0; k < n; k++) s += part[k * 256 + t]; o[t] = s
#define LAST __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; }
#define FOR_ALL if (t == 0) { RELEASE; got = TAKE; }


#define L(g) __syncthreads(); if (g) { ACQUIRE; SUM; }
//: race_free refuted
KERNEL(zero_turns) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) {
 #pragma unroll 1
 for (unsigned k = 0; k < b; k++) RELEASE; got = TAKE; } LAST }
//: unproved
KERNEL(inc_early2) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { RELEASE; got = atomicInc(ticket, n / 2); } L(got == n - 1) }
//: proved
KERNEL(inc) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { RELEASE; got = atomicInc(ticket, n - 1); } L(got == n - 1) }
//: proved
KERNEL(reset_last) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL __syncthreads(); if (got == n - 1) { ACQUIRE; if (t == 0) *ticket = 0; SUM; } }
//: race_free refuted
KERNEL(reset_by_each) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL __syncthreads(); if (t == 0) *ticket = 0; if (got == n - 1) { ACQUIRE; SUM; } }
//: proved
KERNEL(at_least) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL L(got >= n - 1) }
//: race_free refuted
KERNEL(blocks_end_fewer) { HERE; LEAVE; if (b == 3) return; WAIT; __syncthreads(); FOR_ALL L(got == n - 2) }
//: race_free refuted
KERNEL(stored_behind_fence) { HERE; WAIT; __syncthreads(); if (t == 0) { RELEASE; part[b * 256] = 2.f; WAIT; got = TAKE; } LAST }
//: race_free refuted
KERNEL(stored_behind_ticket) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL part[b * 256 + t] = 3.f; LAST }
//: race_free refuted
KERNEL(got_unsynced) { HERE; if (t == 64) got = n - 1; __syncthreads(); LEAVE; WAIT; __syncthreads(); FOR_ALL if (((volatile unsigned&)got) == n - 1) { ACQUIRE; SUM; } }
//: race_free refuted
KERNEL(acquire_before) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { RELEASE; } ACQUIRE; if (t == 0) got = TAKE; __syncthreads(); if (got == n - 1) { SUM; } }
//: proved
KERNEL(acquire_by_one) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { RELEASE; got = TAKE; ACQUIRE; } __syncthreads(); if (got == n - 1) { SUM; } }
//: race_free refuted
KERNEL(acquire_by_another) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { RELEASE; got = TAKE; } if (t == 64) ACQUIRE; __syncthreads(); if (got == n - 1) { SUM; } }
//: race_free refuted
KERNEL(acquire_some) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { RELEASE; got = TAKE; if (x[b] > 0) ACQUIRE; } __syncthreads(); if (got == n - 1) { SUM; } }
//: proved
KERNEL(stores_result_before) { HERE; LEAVE; if (b == 0) o[t] = 1.f; WAIT; __syncthreads(); FOR_ALL LAST }
//: unproved
KERNEL(load_other_wave) { HERE; LEAVE; WAIT; float v; asm volatile("global_load_dword %0, %1, off" : "=v"(v) : "v"(o + t) : "memory"); asm volatile("s_barrier" ::: "memory"); FOR_ALL asm volatile("s_waitcnt vmcnt(0)" : "+v"(v) :: "memory"); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } else if (v > 3.f) part[b * 256 + t] = v; }
//: proved
KERNEL(each_wave) { HERE; LEAVE; WAIT; unsigned mine = 0; if (t % 64 == 0) { RELEASE; mine = TAKE; } mine = __builtin_amdgcn_readfirstlane(mine); if (mine == 4 * n - 1) { ACQUIRE; SUM; } }
//: race_free refuted
KERNEL(some_blocks_take) { HERE; LEAVE; WAIT; __syncthreads(); if (b != 0) { FOR_ALL __syncthreads(); if (got == n - 2) { ACQUIRE; SUM; } } }
//: unproved
KERNEL(read_by_scalar) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL __syncthreads(); if (got == n - 1) { ACQUIRE; float s; asm volatile("s_load_dword %0, %1, 0x0\ns_waitcnt lgkmcnt(0)" : "=s"(s) : "s"(part + 256) : "memory"); o[t] = s; } }
//: race_free refuted
KERNEL(fence_one_of_two) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { if (b & 1) RELEASE; else { WAIT; } got = TAKE; } LAST }
