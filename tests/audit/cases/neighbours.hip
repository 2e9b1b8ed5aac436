// For each thing that a claim rests on, a right kernel and its wrong neighbour (own code): b is the block, t the
// thread of 128, i its element; s and u lie in LDS.
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(128) name(float* x, const int* c, float* o, int n) { \
    __shared__ float s[128]; __shared__ float u[256]; \
    const unsigned b = blockIdx.x, t = threadIdx.x, i = b * 128 + t; \
    (void)s; (void)u; (void)i; \
    __VA_ARGS__ }

// in_bounds: a load's offset
//: proved
KERNEL(loads_offset, o[i] = x[i];)
//: in_bounds refuted
KERNEL(loads_offset_wrong, o[i] = x[i + 1];)

// in_bounds: a store's offset
//: proved
KERNEL(stores_offset, o[i] = x[i];)
//: in_bounds refuted
KERNEL(stores_offset_wrong, o[i + 1] = x[i];)

// in_bounds: a guard
//: proved
KERNEL(guard, if (t < 127) o[i] = x[i + 1];)
//: in_bounds refuted
KERNEL(guard_wrong, if (t < 128) o[i] = x[i + 1];)

// in_bounds: what is assumed of an index
//: proved
KERNEL(what_is_assumed_of_an_index, o[i] = x[b * 128 + c[i]];)
//: in_bounds refuted
KERNEL(what_is_assumed_of_an_index_wrong, o[i] = x[b * 128 + c[i] + 1];)

// in_bounds: a loop's count
//: proved
KERNEL(loops_count, float a = 0; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;)
//: in_bounds refuted
KERNEL(loops_count_wrong, float a = 0; for (int j = 0; j <= n; ++j) a += x[j * 128 + t]; o[i] = a;)

// lds_in_bounds: an offset in LDS
//: proved
KERNEL(offset_in_lds, s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 1];)
//: lds_in_bounds refuted, initialised unknown
KERNEL(offset_in_lds_wrong, s[t] = x[i]; __syncthreads(); u[0] = 0; o[i] = u[t + 200];)

// aligned: an address' last bits
//: proved
KERNEL(address_last_bits, o[i] = *(const float*)((const char*)x + i * 4);)
//: aligned refuted
KERNEL(address_last_bits_wrong, o[i] = t == 127 ? 0 : *(const float*)((const char*)x + i * 4 + 2);)

// no_overflow: a product's range
//: proved
KERNEL(products_range, if (b < 8) o[i] = x[(unsigned long)i * 1u];)
//: no_overflow refuted
KERNEL(products_range_wrong, if (i * 99999999u < 128u * n) o[i] = x[i * 99999999u];)

// read_only: which tensor is stored to
//: proved
KERNEL(tensor_is_stored_to, o[i] = x[i];)
//: read_only refuted
KERNEL(tensor_is_stored_to_wrong, o[i] = 0; x[i] = 1;)

// defined: that a register was written
//: proved
KERNEL(a_register_was_written, float v; asm volatile("v_mov_b32 %0, 1.0" : "=v"(v)); o[i] = v;)
//: defined refuted
KERNEL(a_register_was_written_wrong, float v; asm volatile("" : "=v"(v)); o[i] = v;)

// race_free: blocks that store apart
//: proved
KERNEL(blocks_that_store_apart, o[i] = t;)
//: race_free refuted
KERNEL(blocks_that_store_apart_wrong, o[t] = b;)

// race_free: threads that store apart
//: proved
KERNEL(threads_that_store_apart, o[i] = t;)
//: race_free refuted
KERNEL(threads_that_store_apart_wrong, o[b * 128 + t / 2] = t;)

// race_free: a barrier between a store and a load
//: proved
KERNEL(barrier_between_a_store_and_a_load, o[i] = t; __syncthreads(); float v = o[i ^ 64]; __syncthreads(); o[i] = v;)
//: race_free refuted
KERNEL(barrier_between_a_store_and_a_load_wrong, o[i] = t; float v = o[i ^ 64]; __syncthreads(); o[i] = v;)

// race_free: a barrier between a load and a store
//: proved
KERNEL(barrier_between_a_load_and_a_store, float v = o[i ^ 64]; __syncthreads(); o[i] = v;)
//: race_free refuted
KERNEL(barrier_between_a_load_and_a_store_wrong, float v = o[i ^ 64]; o[i] = v;)

// race_free: iterations that store apart
//: proved
KERNEL(iterations_that_store_apart, for (int j = 0; j < 4; ++j) if (t < 32) o[b * 128 + j * 32 + t] = j;)
//: race_free refuted
KERNEL(iterations_that_store_apart_wrong, for (int j = 0; j < 4; ++j) o[b * 128 + j + (t & 63)] = j;)

// race_free: an index that was loaded
//: proved
KERNEL(index_that_was_loaded, o[i] = c[i];)
//: race_free refuted
KERNEL(index_that_was_loaded_wrong, o[b * 128 + c[i]] = t;)

// race_free: that nothing comes of a load
//: proved
KERNEL(nothing_comes_of_a_load, float v = ((volatile float*)o)[i & ~64]; if (t < 64) o[i] = v;)
//: race_free refuted
KERNEL(nothing_comes_of_a_load_wrong, float v = o[i ^ 64]; if (t % 64 < 2) o[i] = v;)

// race_free: a barrier between two waves in LDS
//: proved
KERNEL(barrier_between_two_waves_in_lds, s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 64];)
//: race_free unknown, initialised unknown, runs refuted
KERNEL(barrier_between_two_waves_in_lds_wrong, s[t] = x[i]; o[i] = s[t ^ 64];)

// race_free: lanes that store apart in LDS
//: proved
KERNEL(lanes_that_store_apart_in_lds, s[t] = x[i]; __syncthreads(); o[i] = s[t];)
//: race_free refuted
KERNEL(lanes_that_store_apart_in_lds_wrong, s[t / 2] = x[i]; __syncthreads(); o[i] = s[t / 2];)

// race_free: one value of all
//: proved
KERNEL(one_value_of_all, s[0] = n; __syncthreads(); o[i] = s[0];)
//: race_free refuted
KERNEL(one_value_of_all_wrong, s[0] = t; __syncthreads(); o[i] = s[0];)

// race_free: buffers that iterations take in turns
//: proved
KERNEL(buffers_that_iterations_take_in_turns, float a = 0; for (int j = 0; j < n; ++j) { u[(j & 1) * 128 + t] = x[j *
  128 + t]; __syncthreads(); a += u[(j & 1) * 128 + (t ^ 64)]; } o[i] = a;)
//: race_free refuted
KERNEL(buffers_that_iterations_take_in_turns_wrong, float a = 0; for (int j = 0; j < n; ++j) { u[t] = x[j * 128 + t];
  __syncthreads(); a += u[t ^ 64]; } o[i] = a;)

// race_free: a barrier in the inner loop
//: proved
KERNEL(barrier_in_the_inner_loop, for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k) { __syncthreads(); u[t] = k;
  __syncthreads(); o[i] = u[t ^ 64]; })
//: race_free refuted, initialised unknown
KERNEL(barrier_in_the_inner_loop_wrong, for (int j = 0; j < n; ++j) { __syncthreads(); for (int k = 0; k < n; ++k) {
  u[t] = k; __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront"); o[i] = u[t ^ 64]; } })

// initialised: that somebody stored
//: proved
KERNEL(somebody_stored, s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 1];)
//: initialised unknown, runs refuted
KERNEL(somebody_stored_wrong, if (t < 127) s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 1];)

// initialised: that it was stored before
//: proved
KERNEL(it_was_stored_before, s[t] = x[i]; __syncthreads(); o[i] = s[127 - t];)
//: initialised unknown, runs refuted
KERNEL(it_was_stored_before_wrong, float v = ((volatile float*)s)[127 - t]; __syncthreads(); s[t] = x[i];
  __syncthreads(); o[i] = v + s[t];)

// initialised: a condition that both have
//: proved
KERNEL(condition_that_both_have, if (n > 3) s[t] = x[i]; __syncthreads(); if (n > 3) o[i] = s[t ^ 1];)
//: unproved
KERNEL(condition_that_both_have_wrong, if (n > 3) s[t] = x[i]; __syncthreads(); if (n > 2) o[i] = s[t ^ 1];)

// initialised: whose condition it is
//: proved
KERNEL(whose_condition_it_is, bool p = c[i] > 3; if (p) s[t] = x[i]; __syncthreads(); if (p) o[i] = s[t];)
//: initialised unknown, runs refuted
KERNEL(whose_condition_it_is_wrong, bool p = c[i] > 3; if (p) s[t] = x[i]; __syncthreads(); if (p) o[i] = s[t ^ 1];)

// followed: that all waves meet
//: proved
KERNEL(all_waves_meet, s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 64];)
//: followed unknown
KERNEL(all_waves_meet_wrong, s[t] = x[i]; if (t < 64) { __syncthreads(); } o[i] = s[t];)

// followed: a wait
//: proved on gfx942
KERNEL(wait, float v; asm volatile("global_load_dword %0, %1, off\ns_waitcnt vmcnt(0)" : "=&v"(v) : "v"(x + i)); o[i]
  = v;)
//: followed unknown, runs refuted on gfx942
KERNEL(wait_wrong, float v; asm volatile("global_load_dword %0, %1, off" : "=&v"(v) : "v"(x + i)); o[i] = v;)

// bank_conflict_free: each lane's bank
//: proved with claims = ["bank_conflict_free"]
KERNEL(each_lanes_bank, u[t] = x[i]; __syncthreads(); o[i] = u[t ^ 1];)
//: bank_conflict_free refuted with claims = ["bank_conflict_free"]
KERNEL(each_lanes_bank_wrong, u[t] = x[i]; __syncthreads(); o[i] = u[t % 4 * 32 + t / 4];)

// coalesced: lanes that are neighbours
//: proved with claims = ["coalesced"]
KERNEL(lanes_that_are_neighbours, o[i] = x[i];)
//: coalesced unknown with claims = ["coalesced"]
KERNEL(lanes_that_are_neighbours_wrong, o[i] = x[(t * n + b) % (128 * n)];)

// computes: the value
//: proved with o[r, k] = x[r, k] + 1
KERNEL(value, o[i] = x[i] + 1;)
//: computes refuted with o[r, k] = x[r, k] + 1
KERNEL(value_wrong, o[i] = x[i] + 2;)

// computes: the element
//: proved with o[r, k] = x[r, 127 - k]
KERNEL(element, o[i] = x[b * 128 + 127 - t];)
//: computes refuted with o[r, k] = x[r, 127 - k]
KERNEL(element_wrong, o[i] = x[b * 128 + 126 - (t & 63)];)

// computes: that all is stored
//: proved with o[r, k] = x[r, k]
KERNEL(all_is_stored, o[i] = x[i];)
//: computes refuted with o[r, k] = x[r, k]
KERNEL(all_is_stored_wrong, if (t != 77) o[i] = x[i];)

// computes: that somebody stores an element
//: proved with o[r, k] = 1.0
KERNEL(somebody_stores_an_element, if (c[i] > 3) o[i] = 1; else o[i] = 1;)
//: computes refuted with o[r, k] = 1.0
KERNEL(somebody_stores_an_element_wrong, if (c[i] > 3) o[i] = 1; if (c[i ^ 1] <= 3) o[i] = 1;)

// computes: what was there before
//: proved with o[r, k] = o[r, k] + 1
KERNEL(what_was_there_before, o[i] = o[i] + 1;)
//: computes refuted with o[r, k] = o[r, k] + 1
KERNEL(what_was_there_before_wrong, o[i] = o[i] + 1; o[i] = ((volatile float*)o)[i] + 1;)

// computes: a condition
//: proved with o[r, k] = where(c[r, k] > 3, x[r, k], 0.0)
KERNEL(condition, o[i] = c[i] > 3 ? x[i] : 0;)
//: computes refuted with o[r, k] = where(c[r, k] > 3, x[r, k], 0.0)
KERNEL(condition_wrong, o[i] = c[i] > 4 ? x[i] : 0;)

// computes: which store LDS hands on
//: proved with o[r, k] = x[r, (k + 64) % 128]
KERNEL(store_lds_hands_on, s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 64];)
//: computes refuted with o[r, k] = x[r, (k + 64) % 128]
KERNEL(store_lds_hands_on_wrong, s[t] = x[i]; __syncthreads(); o[i] = s[t ^ 32];)

// computes: the last store to LDS
//: proved with o[r, k] = x[r, (k + 64) % 128]
KERNEL(last_store_to_lds, s[t] = x[i]; __syncthreads(); float v = s[t ^ 64]; __syncthreads(); s[t] = 0; o[i] = v;)
//: computes refuted with o[r, k] = x[r, (k + 64) % 128]
KERNEL(last_store_to_lds_wrong, s[t] = x[i]; __syncthreads(); s[t] = 0; __syncthreads(); o[i] = s[t ^ 64];)

// computes: the terms of a sum
//: proved with o[r, k] = sum[j < N] x[j, k]
KERNEL(terms_of_a_sum, float a = 0; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;)
//: computes refuted with o[r, k] = sum[j < N] x[j, k]
KERNEL(terms_of_a_sum_wrong, float a = 0; for (int j = 1; j < n; ++j) a += x[j * 128 + t]; o[i] = a;)

// computes: which end
//: proved on gfx942 with o[r, k] = max[j < 64] x[r, k - k % 64 + j]
KERNEL(end, float a = x[i]; for (int m = 1; m < 64; m *= 2) a = __builtin_fmaxf(a, __shfl_xor(a, m)); o[i] = a;)
//: computes refuted on gfx942 with o[r, k] = max[j < 64] x[r, k - k % 64 + j]
KERNEL(end_wrong, float a = x[i]; for (int m = 1; m < 64; m *= 2) a = __builtin_fminf(a, __shfl_xor(a, m)); o[i] = a;)

// ends: a count that is met
//: proved
KERNEL(count_that_is_met, float a = 0; for (unsigned j = 0; j < (unsigned)n; j += 2) a += x[t]; o[i] = a;)
//: slow
//: ends unknown
KERNEL(count_that_is_met_wrong, float a = 0; for (unsigned j = 0; j != (unsigned)n; j += 2) a += ((volatile
  float*)x)[t]; o[i] = a;)

// computes: lanes that a shuffle adds
//: proved on gfx942 with o[r, k] = sum[j < 64] x[r, k - k % 64 + j]
KERNEL(lanes_that_a_shuffle_adds, float a = x[i]; for (int m = 1; m < 64; m *= 2) a += __shfl_xor(a, m); o[i] = a;)
//: computes refuted on gfx942 with o[r, k] = sum[j < 64] x[r, k - k % 64 + j]
KERNEL(lanes_that_a_shuffle_adds_wrong, float a = x[i]; for (int m = 1; m < 32; m *= 2) a += __shfl_xor(a, m); o[i] =
  a;)

// computes: each term once
//: proved with o[r, k] = sum[j < N] x[j, k]
KERNEL(each_term_once, float a = 0; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;)
//: computes refuted with o[r, k] = sum[j < N] x[j, k]
KERNEL(each_term_once_wrong, float a = x[t]; for (int j = 0; j < n; ++j) a += x[j * 128 + t]; o[i] = a;)
