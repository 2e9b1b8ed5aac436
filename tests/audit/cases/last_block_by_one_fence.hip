#include <hip/hip_runtime.h>
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

// One thread releases what all waves of its block have left: they wait for it themselves, before the barrier.

//: proved on gfx942 gfx90a
KERNEL(right) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL LAST }

//: proved on gfx90a
//: race_free unknown on gfx942
KERNEL(of_two_barriers) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) RELEASE; __syncthreads(); if (t == 0) got = TAKE; LAST }

// LLVM waits at no barrier of CDNA for what is stored: behind it another wave's fence does not wait for that, either.

//: race_free unknown on gfx942 gfx90a
//: proved on gfx1100
KERNEL(no_wait) { HERE; LEAVE; __syncthreads(); FOR_ALL LAST }

//: race_free unknown on gfx942 gfx90a
KERNEL(one_wave_waits) { HERE; LEAVE; if (t < 64) WAIT; __syncthreads(); FOR_ALL LAST }

//: race_free unknown on gfx942 gfx90a
KERNEL(waits_too_early) { HERE; WAIT; LEAVE; __syncthreads(); FOR_ALL LAST }

// In gfx90a all that is done is seen by other blocks, in gfx942 what was written back.

//: race_free refuted on gfx942
KERNEL(no_fence) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) got = TAKE; LAST }

//: race_free refuted on gfx942
KERNEL(fence_of_a_block) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); got = TAKE; } LAST }

//: race_free refuted on gfx942
KERNEL(fence_behind_the_ticket) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { got = TAKE; RELEASE; } LAST }

//: race_free unknown on gfx942
KERNEL(fence_before_the_barrier) { HERE; LEAVE; WAIT; if (t == 0) RELEASE; __syncthreads(); if (t == 0) got = TAKE; LAST }

//: race_free unknown on gfx942
KERNEL(fence_of_another_wave) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 64) RELEASE; if (t == 0) got = TAKE; LAST }

//: race_free refuted on gfx942
KERNEL(fence_on_one_way) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { if (x[b] > 0) RELEASE; got = TAKE; } LAST }

//: race_free unknown on gfx942
KERNEL(fence_is_not_waited_for) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) { WRITE_BACK; got = TAKE; } LAST }

//: race_free unknown on gfx942
KERNEL(leaves_behind_the_barrier) { HERE; WAIT; __syncthreads(); LEAVE; FOR_ALL LAST }

//: race_free refuted on gfx942
KERNEL(no_acquire) { HERE; LEAVE; WAIT; __syncthreads(); FOR_ALL __syncthreads(); if (got == n - 1) { SUM; } }

// Between the barrier of the fence and the next one more is left: the fence was before it.

//: race_free refuted on gfx942
KERNEL(leaves_between) { HERE; LEAVE; WAIT; __syncthreads(); if (t == 0) RELEASE; part[b * 256 + t] += 1.f; WAIT; __syncthreads(); if (t == 0) got = TAKE; LAST }

// In a loop all turns but the last are written back.

//: race_free unknown on gfx942
KERNEL(in_a_loop) { HERE;
  #pragma unroll 1
  for (unsigned k = 0; k < 4; k++) { part[b * 256 + t] = x[b * 256 + t] + k; WAIT; if (t == 0) RELEASE; __syncthreads(); }
  if (t == 0) got = TAKE;
  LAST }

//: proved on gfx942
KERNEL(behind_a_loop) { HERE;
  #pragma unroll 1
  for (unsigned k = 0; k < 4; k++) { part[b * 256 + t] = x[b * 256 + t] + k; WAIT; __syncthreads(); }
  FOR_ALL LAST }

// Each turn writes back what the turn before has left, and nobody what the last one left.

//: unproved on gfx942
KERNEL(a_turn_behind) { HERE;
  #pragma unroll 1
  for (unsigned k = 0; k < 4; k++) { RELEASE; part[b * 256 + t] = x[b * 256 + t] + k; WAIT; __syncthreads(); }
  if (t == 0) got = TAKE;
  LAST }
