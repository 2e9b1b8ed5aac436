// What a tensor that is also stored to says of the way: one word of it is only read, and begins as the launch says (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(128) void name(unsigned* s)

//: proved with initially = ["s[0] == 1"]
//: followed unknown, race_free refuted, initialised unknown with initially = ["s[0] == 0"]
//: followed unknown, race_free refuted, initialised unknown
KERNEL(barrier_where_it_is_said) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) tile[lane] = t + 5;
  if (s[0]) __syncthreads();
  if (t >= 64) s[1 + lane] = tile[lane];
}

//: unproved with initially = ["s[0] == 1"]
KERNEL(first_wave_unsays_it) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) tile[lane] = t + 5;
  if (t == 0) s[0] = 0;
  if (s[0]) __syncthreads();
  if (t >= 64) s[1 + lane] = tile[lane];
}

//: unproved with initially = ["s[0] == 1"]
KERNEL(a_store_before_reaches_it) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  s[t] = t;
  if (t < 64) tile[lane] = t + 5;
  if (s[0]) __syncthreads();
  if (t >= 64) s[129 + lane] = tile[lane];
}

//: proved with initially = ["s[i] == 1 for i < 128"]
//: unproved with initially = ["s[i] == 1 for i < 64"]
//: unproved with initially = ["s[i] == 1 for i != 70"]
KERNEL(barrier_where_all_lanes_have_it) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) tile[lane] = t + 5;
  if (!__ballot(!s[t])) __syncthreads();
  if (t >= 64) s[129 + lane] = tile[lane];
}

//: unproved with initially = ["s[i] == 1 for i < 128"]
KERNEL(barrier_where_some_lane_has_it_not) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) tile[lane] = t + 5;
  if (__ballot(!s[t])) __syncthreads();
  if (t >= 64) s[129 + lane] = tile[lane];
}

//: unproved with initially = ["s[0] == 1"]
KERNEL(unsaid_in_the_turn_before) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  for (unsigned k = 0; k < 2; k++) {
    if (t < 64) tile[lane] = t + k;
    if (((volatile unsigned*)s)[0]) __syncthreads();
    if (t >= 64) s[1 + lane] = tile[lane];
    if (t == 64) ((volatile unsigned*)s)[0] = 0;
  }
}

//: unproved with initially = ["s[0] == 1"]
KERNEL(barrier_of_the_waves_that_find_another_word) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) tile[lane] = t + 5;
  if (s[t >> 6]) __syncthreads();
  if (t >= 64) s[129 + lane] = tile[lane];
}

//: proved with initially = ["s[0] == 1"]
//: unproved with initially = ["s[0] == 0"]
KERNEL(one_lane_of_each_wave) {
  __shared__ unsigned short half[2];
  unsigned t = threadIdx.x, wave = t >> 6, lane = t & 63;
  s[128 + t] = t;
  if (wave == 0 && lane == 0) half[0] = 5;
  asm volatile("s_nop 0" ::: "memory");
  if (wave == 1 && lane == 0) half[1] = 6;
  asm volatile("s_nop 0" ::: "memory");
  if (s[0]) __syncthreads();
  if (wave == 0 && lane == 1) s[1] = half[0] + half[1];
}

//: unproved with initially = ["s[0] == 1"]
KERNEL(one_barrier_is_said_and_one_is_not) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (s[0]) __syncthreads();
  if (t < 64) tile[lane] = t + 5;
  if (s[1 + (t >> 6)]) __syncthreads();
  if (t >= 64) s[129 + lane] = tile[lane];
}

//: unproved with initially = ["s[0] == 1"]
KERNEL(barrier_in_a_turn_that_another_word_says) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, lane = t & 63;
  if (t < 64) tile[lane] = 1;
  for (unsigned k = 0; k < 3; k++) {
    if (t < 64) tile[lane] += k;
    if (((volatile unsigned*)s)[k]) __syncthreads();
    if (t >= 64) s[129 + lane] = tile[lane];
  }
}
