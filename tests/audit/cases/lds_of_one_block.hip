// What meets between two barriers in LDS, and what is read that nobody stored (own code): t is the thread of 256.
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(int* o) { __shared__ int s[256]; int t = threadIdx.x; __VA_ARGS__ }
#define THEN_READ __syncthreads(); o[t] = s[t & 3];
#define STORED(text, at, ...) \
  asm volatile(text "\ns_waitcnt lgkmcnt(0)" :: \
               "v"((unsigned)(unsigned long)(__attribute__((address_space(3))) char*)s + (at)), __VA_ARGS__ : "memory");

//: proved
KERNEL(read_behind_a_barrier, s[t] = t; __syncthreads(); o[t] = s[255 - t];)
// a wave's own lanes, whose accesses are in order
//: proved
KERNEL(of_one_wave, volatile int* v = s; v[t] = t; o[t] = v[t ^ 1];)
//: proved
KERNEL(half_of_the_threads, if (t < 128) s[t] = t; __syncthreads(); if (t < 128) o[t] = s[127 - t];)
//: proved
KERNEL(stored_twice, s[t] = t; __syncthreads(); int a = s[255 - t]; __syncthreads(); s[t] = a; __syncthreads();
  o[t] = s[255 - t];)
//: proved
KERNEL(what_was_stored_by_half, s[t] = t; __syncthreads(); if (t < 128) o[t] = s[t * 2 - 1 & 255]; else o[t] = 0;)

// synchronised not enough
//: race_free refuted, initialised unknown
KERNEL(no_barrier, s[t] = t; o[t] = s[255 - t];)
//: race_free refuted
KERNEL(no_barrier_behind_a_read, s[t] = t; __syncthreads(); int a = s[255 - t]; s[t] = a; __syncthreads();
  o[t] = s[t];)
// four waves store to one place
//: race_free refuted
KERNEL(one_place_of_waves, s[t & 63] = t; __syncthreads(); o[t] = s[t & 63];)
//: initialised unknown, runs refuted
KERNEL(stored_by_half, if (t < 128) s[t] = t; __syncthreads(); o[t] = s[t];)

// stores of the same bytes: a wave's one value, the block's
//: proved
KERNEL(one_value_of_a_wave, s[t >> 6] = __builtin_amdgcn_readfirstlane(t * 5); THEN_READ)
//: proved
KERNEL(one_value_of_all, s[t & 7] = 5; __syncthreads(); o[t] = s[t & 7];)
//: proved
KERNEL(one_value_on_two_ways, if (t & 1) s[3] = blockIdx.x; else s[3] = blockIdx.x; __syncthreads(); o[t] = s[3];)

// stores of other bytes: two waves' own values …
//: race_free refuted, initialised unknown
KERNEL(one_value_of_each_of_two_waves, s[t >> 7] = __builtin_amdgcn_readfirstlane(t * 5); THEN_READ)
//: race_free refuted
KERNEL(values_of_lanes, s[t >> 6] = t * 5; THEN_READ)
//: race_free refuted
KERNEL(the_waves_value_or_another, s[t >> 6] = t & 1 ? __builtin_amdgcn_readfirstlane(t) : 7; THEN_READ)
//: proved
KERNEL(values_of_pairs, s[t & 7] = t >> 1 & 3; THEN_READ)
//: race_free refuted, initialised unknown
KERNEL(two_values_on_two_ways, if (t & 1) s[3] = 4; else s[3] = 5; THEN_READ)
//: aligned unknown, race_free unknown
KERNEL(halves_and_wholes, ((short*)s)[t] = 0x1234; *(int*)((char*)s + 2 * t) = 0x12341234; THEN_READ)
//: aligned unknown, race_free unknown
KERNEL(words_at_any_byte, char* p = (char*)s; int v = __builtin_amdgcn_readfirstlane(t);
  if (t < 64) __builtin_memcpy(p + t, &v, 4); THEN_READ)
// who reads may come before
//: race_free refuted, initialised unknown
KERNEL(one_value_that_is_read, volatile int* v = s; v[0] = 1; if (v[t & 1]) o[t] = 1; THEN_READ)

// two elements of one instruction are stored at once: lane 0 stores its second where lane 1 does its first
//: race_free unknown
KERNEL(two_at_once, if (t < 64) { STORED("ds_write2_b32 %0, %1, %2 offset0:0 offset1:1", t * 4, "v"(t), "v"(-t)) })
//: proved
KERNEL(two_at_once_apart, if (t < 64) {
  STORED("ds_write2_b32 %0, %1, %2 offset0:0 offset1:64", t * 4, "v"(t), "v"(-t)) })
//: proved
KERNEL(one_after_the_other, if (t < 64) {
  STORED("ds_write_b32 %0, %1\nds_write_b32 %0, %2 offset:4", t * 4, "v"(t), "v"(-t)) })

// LDS is aligned to dwords: amdhsa allows any byte, and compilers join halves; atomic operations need their own width
//: proved
KERNEL(eight_bytes, if (t < 64) { STORED("ds_write_b64 %0, %1", t * 8, "v"((long)t)) })
//: proved
KERNEL(eight_bytes_at_a_dword, if (t < 64) { STORED("ds_write_b64 %0, %1", t * 8 + 4, "v"((long)t)) })
//: aligned unknown
KERNEL(eight_bytes_at_a_half, if (t < 64) { STORED("ds_write_b64 %0, %1", t * 8 + 2, "v"((long)t)) })
//: aligned refuted, initialised unknown
KERNEL(added_at_a_dword, if (t < 64) { STORED("ds_add_u64 %0, %1", t * 8 + 4, "v"((long)t)) })
// four bytes a lane, one after the other from any byte: clang stores and loads them as wider words
//: aligned unknown
KERNEL(bytes_that_the_compiler_joins, auto* c = (unsigned char*)s;
  for (int j = 0; j < 4; ++j) c[t * 5 % 640 + j] = o[0] >> 8 * j; if (t > 999) o[t] = c[t * 5];)
