#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(float* o, float* part, unsigned* ticket, unsigned* more, const float* x)
#define HERE __shared__ unsigned got; unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x
#define LEAVE part[b * 256 + t] = x[b * 256 + t] + 1.f
#define RELEASE __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent")
#define ACQUIRE __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent")
#define TAKE(by) __hip_atomic_fetch_add(ticket, by, __ATOMIC_RELAXED, DEVICE)
#define SUM float s = 0; for (unsigned k = 0; k < n; k++) s += part[k * 256 + t]; o[t] = s

// The block that arrives last sums what all blocks have left in memory.

//: proved
KERNEL(right) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: proved on gfx942 gfx90a
KERNEL(acquires_once) { HERE; LEAVE; __threadfence(); __syncthreads();
  if (t == 0) { got = TAKE(1u); ACQUIRE; }
  __syncthreads(); if (got == n - 1) { SUM; } }

// On gfx11 and gfx12 the barrier waits for the store, and no cache keeps it: the code is right there.
//: race_free refuted on gfx942 gfx90a
//: proved on gfx1100 gfx1201
KERNEL(no_release) { HERE; LEAVE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: race_free refuted
KERNEL(no_acquire) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { SUM; } }

//: race_free refuted
KERNEL(fences_of_a_block) { HERE; LEAVE; __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __syncthreads();
  if (t == 0) got = TAKE(1u);
  __syncthreads(); if (got == n - 1) { __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); SUM; } }

//: race_free refuted
KERNEL(leaves_too_late) { HERE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); LEAVE; __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: unproved
KERNEL(before_the_last) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 2) { ACQUIRE; SUM; } }

//: unproved
KERNEL(adds_two) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(2u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: race_free refuted
KERNEL(two_of_a_block) { HERE; LEAVE; RELEASE; __syncthreads();
  if (t == 64) TAKE(1u);
  if (t == 0) got = TAKE(1u);
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: unproved
KERNEL(does_not_begin_with_nothing) { HERE; LEAVE; RELEASE; __syncthreads();
  if (t == 0) got = __hip_atomic_fetch_add(more, 1u, __ATOMIC_RELAXED, DEVICE);
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: unproved
KERNEL(no_barrier) { HERE; LEAVE; RELEASE; if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: race_free refuted on gfx942 gfx90a
//: proved on gfx1100 gfx1201
KERNEL(waits_too_early) { HERE; RELEASE; LEAVE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: race_free refuted
KERNEL(acquires_too_early) { HERE; LEAVE; RELEASE; __syncthreads(); ACQUIRE; if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { SUM; } }

//: unproved
KERNEL(takes_twice) { HERE; LEAVE; RELEASE; __syncthreads();
  #pragma unroll 1
  for (unsigned k = 0; k < n; k++) if (t == 0) got = TAKE(1u);
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

// Stores that go past all caches, waited for: nothing has to be written back, and caches are to be renewed all the same.
#define THROUGH __hip_atomic_store(&part[b * 256 + t], x[b * 256 + t] + 1.f, __ATOMIC_RELAXED, DEVICE)
#define WAIT __builtin_amdgcn_s_waitcnt(0)

//: proved on gfx942 gfx90a
KERNEL(stores_through) { HERE; THROUGH; WAIT; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: race_free refuted
KERNEL(stores_through_and_reads_old) { HERE; THROUGH; WAIT; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { SUM; } }

// A wait for loads is none for stores where these have a counter of their own.

//: proved on gfx90a
//: race_free refuted on gfx942 gfx1100 gfx1201
KERNEL(waits_for_loads) { HERE; LEAVE; asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory"); __builtin_amdgcn_s_barrier();
  if (t == 0) got = TAKE(1u);
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

// The counter is set back for the next launch: by whoever took the last ticket, or by wrapping.

//: proved
KERNEL(sets_back) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads();
  if (got == n - 1) { ACQUIRE; SUM; if (t == 0) *ticket = 0; } }

//: unproved
KERNEL(sets_back_too_early) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads();
  if (got == n - 1) { ACQUIRE; SUM; } else if (t == 0 && got == n / 2) *ticket = 0; }

//: proved
KERNEL(wraps) { HERE; LEAVE; RELEASE; __syncthreads();
  if (t == 0) got = __builtin_amdgcn_atomic_inc32(ticket, n - 1, __ATOMIC_RELAXED, "agent");
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: unproved
KERNEL(wraps_too_early) { HERE; LEAVE; RELEASE; __syncthreads();
  if (t == 0) got = __builtin_amdgcn_atomic_inc32(ticket, n - 2, __ATOMIC_RELAXED, "agent");
  __syncthreads(); if (got == n - 2) { ACQUIRE; SUM; } }

// Each wave takes a ticket, and one of all waves is the last.

//: proved on gfx942
KERNEL(of_each_wave) { unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x, got = 0; LEAVE; RELEASE;
  if ((t & 63) == 0) got = TAKE(1u);
  got = __builtin_amdgcn_readfirstlane(got);
  if (got == 4 * n - 1) { ACQUIRE; for (unsigned w = 0; w < 4; w++) { float s = 0; for (unsigned k = 0; k < n; k++) s += part[k * 256 + w * 64 + t % 64]; o[w * 64 + t % 64] = s; } } }

//: unproved on gfx942
KERNEL(of_each_wave_before_the_last) { unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x, got = 0; LEAVE; RELEASE;
  if ((t & 63) == 0) got = TAKE(1u);
  got = __builtin_amdgcn_readfirstlane(got);
  if (got == 4 * n - 4) { ACQUIRE; for (unsigned w = 0; w < 4; w++) { float s = 0; for (unsigned k = 0; k < n; k++) s += part[k * 256 + w * 64 + t % 64]; o[w * 64 + t % 64] = s; } } }

// Blocks that take no ticket think that they are the last.

//: unproved
KERNEL(last_without_a_ticket) { HERE; LEAVE; RELEASE; __syncthreads(); if (t == 0) { got = n - 1; if (x[b] > 0) got = TAKE(1u); }
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

//: unproved
KERNEL(knows_without_looking) { HERE; LEAVE; if (n == 1 || b == n - 1) { SUM; } RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u);
  __syncthreads(); if (got == n - 1) o[t] = 0; }

// One thread leaves, takes and sums, as reductions do; a fence before the ticket is none behind it.
#define ONE(acquire) __shared__ bool mine; unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x; \
  if (t == 0) { part[b] = x[b]; __threadfence(); mine = atomicAdd(ticket, 1u) == n - 1; acquire; } \
  __syncthreads(); if (mine && t == 0) { float s = 0; for (unsigned k = 0; k < n; k++) s += part[k]; o[0] = s; }

//: proved
KERNEL(by_one_thread) { ONE(__threadfence()) }

//: race_free refuted
KERNEL(by_one_thread_with_one_fence) { ONE(;) }

// What an atomic operation has left in LDS is not known; beside what tells of the ticket it is no matter.

//: proved on gfx942
KERNEL(beside_an_atomic_operation) { HERE; __shared__ unsigned count; LEAVE; if (t == 0) count = 0; RELEASE; __syncthreads(); atomicAdd(&count, t);
  if (t == 0) got = TAKE(1u);
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; if (t == 0) more[0] = count; } }

//: unproved on gfx942
KERNEL(told_by_an_atomic_operation) { HERE; LEAVE; if (t == 0) got = 0; RELEASE; __syncthreads(); if (t == 0) atomicOr(&got, TAKE(1u));
  __syncthreads(); if (got == n - 1) { ACQUIRE; SUM; } }

// Waves that end early come to fewer barriers than others: no barrier finds what they have not shown.
#define ENDS __builtin_amdgcn_endpgm()
#define SUM_ALL float s = 0; for (unsigned k = 0; k < 4 * n; k++) s += part[k * 64 + t]; o[t] = s

//: followed unknown, race_free unknown on gfx942
KERNEL(ends_before_it_is_seen) { HERE; LEAVE; if (t >= 64) ENDS; RELEASE; __syncthreads(); if (t == 0) got = TAKE(1u); __syncthreads(); if (got == n - 1) { ACQUIRE; SUM_ALL; } }

//: followed unknown, race_free refuted, initialised unknown on gfx942
KERNEL(ends_before_it_renews) { HERE; LEAVE; RELEASE; __syncthreads(); if (t < 64) { if (t == 0) got = TAKE(1u); asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory"); ENDS; }
  __builtin_amdgcn_s_barrier(); if (got == n - 1) { SUM; } }
