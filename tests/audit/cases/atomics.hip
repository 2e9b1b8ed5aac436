// Atomic operations: in bounds as stores are, no race with one another, and nobody knows what they bring (own code).
#include <hip/hip_runtime.h>
typedef unsigned long long u64;
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const unsigned* x, unsigned* o, u64* w, int n) { \
    __shared__ unsigned s[256]; __shared__ u64 wide[64]; (void)s; (void)wide; \
    int t = threadIdx.x, i = blockIdx.x * 128 + t; __VA_ARGS__ }
#define CLEARED s[t] = 0; s[t + 128] = 0; __syncthreads();

//: proved
KERNEL(add_at_loaded, if (i < n) atomicAdd(&o[x[i] & 255], 1u);)
//: proved
KERNEL(max_of_eight_bytes, if (i < n) atomicMax(&w[x[i] % 64], (u64)i);)
//: proved
KERNEL(compared, if (i < n) atomicCAS(&o[t], x[i], 7u);)
//: proved
KERNEL(brought_is_guarded,
  if (i < n) { unsigned at = atomicInc(&o[t & 7], 100u); if (at < n) atomicXor(&o[8 + t], x[at]); })
//: proved
KERNEL(brought_of_eight_bytes,
  if (i < n) { u64 at = atomicExch(&w[t & 7], (u64)i); if (at < n) atomicOr(&o[t & 1], x[at]); })
//: proved
KERNEL(counts_in_lds,
  CLEARED if (i < n) atomicAdd(&s[x[i] & 255], 1u); __syncthreads(); atomicAdd(&o[t], s[t] + s[t + 128]);)
//: proved
KERNEL(brought_of_lds, CLEARED if (i < n && atomicSub(&s[x[i] & 255], 1u) == 0) atomicAdd(&o[t], 1u);)
//: proved
KERNEL(beside_stores, if (i < n) { atomicAdd(&o[t], 1u); if (i < 128) o[128 + t] = 3; })

// wrong, and shown by a run
//: in_bounds refuted on gfx942
KERNEL(one_too_many, if (i <= n) atomicAdd(&o[x[i] & 255], 1u);)
//: in_bounds refuted on gfx942
KERNEL(one_of_eight_bytes_too_many, if (i < n) atomicAdd(&w[t % 65], (u64)i);)
//: aligned refuted on gfx942
KERNEL(eight_bytes_at_a_dword, if (i < n) atomicAdd((u64*)(o + (t & 127)), 1ull);)
//: lds_in_bounds refuted, initialised unknown on gfx942
KERNEL(beyond_lds, CLEARED if (i < n) atomicAdd(&s[x[i] & 511], 1u);)
//: race_free refuted, initialised unknown on gfx942
KERNEL(read_without_a_barrier,
  s[t] = 0; __syncthreads(); if (i < n) { atomicAdd(&s[x[i] & 255], 1u); atomicAdd(&o[t], s[t]); })
//: race_free refuted on gfx942
KERNEL(read_by_a_neighbour, if (i < n) atomicAdd(&o[t], o[(t + 1) & 127]);)
//: race_free refuted, initialised unknown on gfx942
KERNEL(cleared_without_a_barrier, s[t] = 0; s[t + 128] = 0; if (i < n) atomicAdd(&s[x[i] & 255], 1u);)

// a tensor that is only read is not updated
//: read_only refuted on gfx942
KERNEL(update_of_what_is_read, if (i < n) atomicAdd((unsigned*)x + i, 1u);)
//: read_only refuted on gfx942
KERNEL(exchange_of_what_is_read, if (i < n) atomicExch((unsigned*)x + i, 1u);)

// a narrow scope orders no two blocks
//: proved on gfx1201
KERNEL(scope_of_the_agent,
  if (i < n) __hip_atomic_fetch_add(&o[t & 7], x[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);)
//: race_free unknown on gfx1201
KERNEL(scope_of_the_block,
  if (i < n) __hip_atomic_fetch_add(&o[t & 7], x[i], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);)

// what comes back may be anything
//: in_bounds unknown, race_free unknown on gfx942
KERNEL(brought_as_an_index, if (i < n) o[128 + (atomicAdd(&o[t], 1u) & 255)] = 1;)
//: in_bounds unknown, race_free unknown on gfx942
KERNEL(brought_twice, unsigned a = atomicOr(&o[t], 0u), b = atomicOr(&o[t], 0u); if (a != b) atomicAdd(&o[a + 256], 1u);)
//: in_bounds unknown, race_free unknown on gfx942
KERNEL(brought_behind_an_exchange,
  atomicExch(&o[t & 1], 5u); if (atomicOr(&o[t & 1], 0u) != 5) atomicAdd(&o[256 + t], 1u);)
//: in_bounds unknown on gfx942
KERNEL(brought_of_cleared_lds, CLEARED if (atomicAdd(&s[t], 1u) > 0) atomicAdd(&o[256 + t], 1u);)
// two may get one
//: race_free refuted on gfx942
KERNEL(stored_at_what_came, if (i < n) o[atomicAdd(&o[t], 0u) & 127 | 128] = i;)
//: race_free unknown on gfx942
KERNEL(two_widths, if (i < n) { atomicAdd(&o[t & 1], 1u); atomicAdd((u64*)&o[t & 2], 1ull); })
//: race_free unknown on gfx942
KERNEL(two_widths_in_lds,
  wide[t & 63] = 0; __syncthreads(); atomicAdd(&wide[t & 63], 1ull); atomicAdd((unsigned*)&wide[t & 31], 1u);)
//: initialised unknown on gfx942
KERNEL(of_nothing_in_lds, if (i < n) atomicAdd(&s[x[i] & 255], 1u);)
//: defined refuted on gfx942
KERNEL(of_no_register, int v; asm volatile("" : "=v"(v)); if (i < n) atomicAdd(&o[t], v);)

//: slow
//: in_bounds refuted on gfx942
KERNEL(twice_too_far, if (i < n) atomicAdd(&o[t * 2 + 2], 1u);)
//: aligned refuted on gfx942
KERNEL(at_any_byte_of_lds, CLEARED if (i < n) atomicAdd((unsigned*)((char*)s + t), 1u);)
//: race_free refuted on gfx942
KERNEL(beside_a_neighbours_store, if (i < n) { atomicAdd(&o[t], 1u); o[t ^ 64] = 3; })
//: race_free refuted on gfx942
KERNEL(read_of_lds_without_a_barrier, CLEARED if (i < n) atomicAdd(&s[x[i] & 255], 1u); atomicAdd(&o[t], s[t]);)
