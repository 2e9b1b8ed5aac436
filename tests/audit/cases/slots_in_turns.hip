// LDS whose slots turn with a loop, and each small mistake (own code): t is the thread of 256, a what it stores.
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o, int n) { \
    __shared__ int s[1024]; int t = threadIdx.x, a = 0; __VA_ARGS__ o[t] = a; }
#define FIRST s[t] = x[t]; __syncthreads();
#define READ a += s[(i & 1) * 256 + (t ^ 64)]; __syncthreads();

//: proved
KERNEL(double_buffer, FIRST for (int i = 0; i < n; ++i) { if (i + 1 < n) s[(i + 1 & 1) * 256 + t] = x[t]; READ })
//: race_free refuted, initialised unknown
KERNEL(no_barrier_before, s[t] = x[t];
  for (int i = 0; i < n; ++i) { if (i + 1 < n) s[(i + 1 & 1) * 256 + t] = x[t]; READ })
//: race_free refuted, initialised unknown
KERNEL(same_slot, FIRST for (int i = 0; i < n; ++i) { if (i + 1 < n) s[(i & 1) * 256 + t] = x[t]; READ })
//: proved
KERNEL(two_slots_one_barrier, for (int i = 0; i < n; ++i) {
  s[(i & 1) * 256 + t] = x[t]; __syncthreads(); a += s[(i & 1) * 256 + (t ^ 64)]; })
//: proved
KERNEL(four_slots, for (int j = 0; j < 3; ++j) s[j * 256 + t] = x[t]; __syncthreads();
  for (int i = 0; i < n; ++i) { s[(i + 3 & 3) * 256 + t] = x[t]; a += s[(i & 3) * 256 + (t ^ 64)]; __syncthreads(); })
//: proved
KERNEL(last_slot, for (int i = 0; i < n; ++i) { s[(i & 1) * 256 + t] = x[t]; __syncthreads(); }
  a = s[(n - 1 & 1) * 256 + (t ^ 64)];)
//: proved
KERNEL(tree_in_loop, for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads();
  for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); } a += s[0]; __syncthreads(); })
//: proved
KERNEL(two_loops, for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads(); a += s[t ^ 64]; __syncthreads(); }
  for (int i = 0; i < n; ++i) a += s[t ^ 128];)
//: proved
KERNEL(reverse, if (t < n && n <= 256) s[n - 1 - t] = x[t]; __syncthreads(); if (t < n && n <= 256) a = s[t];)
//: proved
KERNEL(either_guard, if (n < 100) s[t] = 1; else s[t] = 2; __syncthreads(); a = s[t ^ 64];)
//: proved
KERNEL(narrow_reader, if (t < n) s[t] = 1; __syncthreads(); if ((t ^ 64) < n) a = s[t ^ 64];)

//: slow
//: proved
KERNEL(ping_pong, int c = 0; FIRST for (int i = 0; i < n; ++i) {
  s[(c ^ 1) * 256 + t] = s[c * 256 + (t ^ 64)] + i; c ^= 1; __syncthreads(); } a = s[c * 256 + (t ^ 64)];)
//: initialised unknown, runs refuted
KERNEL(nothing_first, for (int i = 0; i < n; ++i) { if (i + 1 < n) s[(i + 1 & 1) * 256 + t] = x[t]; READ })
//: initialised unknown, runs refuted
KERNEL(narrow_writer, FIRST for (int i = 0; i < n; ++i) { if (i + 2 < n) s[(i + 1 & 1) * 256 + t] = x[t]; READ })
//: race_free refuted
KERNEL(one_slot_one_barrier, for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads(); a += s[t ^ 64]; })
//: race_free refuted, initialised unknown
KERNEL(four_slots_a_stage_more, for (int j = 0; j < 3; ++j) s[j * 256 + t] = x[t]; __syncthreads();
  for (int i = 0; i < n; ++i) { s[(i + 4 & 3) * 256 + t] = x[t]; a += s[(i & 3) * 256 + (t ^ 64)]; __syncthreads(); })
//: initialised unknown, runs refuted
KERNEL(four_slots_a_stage_less, for (int j = 0; j < 2; ++j) s[j * 256 + t] = x[t]; __syncthreads();
  for (int i = 0; i < n; ++i) { s[(i + 3 & 3) * 256 + t] = x[t]; a += s[(i & 3) * 256 + (t ^ 64)]; __syncthreads(); })
//: initialised unknown, runs refuted
KERNEL(another_slot, for (int i = 0; i < n; ++i) { s[(i & 1) * 256 + t] = x[t]; __syncthreads(); }
  a = s[(n & 1) * 256 + (t ^ 64)];)
//: race_free refuted
KERNEL(tree_without_the_last_barrier, for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads();
  for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); } a += s[0]; })
//: race_free refuted
KERNEL(second_loop_stores,
  for (int i = 0; i < n; ++i) { s[t] = x[t]; __syncthreads(); a += s[t ^ 64]; __syncthreads(); }
  for (int i = 0; i < n; ++i) { a += s[t ^ 128]; s[t] = i; })
//: initialised unknown, runs refuted
KERNEL(reverse_of_one_less, if (t < n && n <= 256) s[n - 1 - t] = x[t]; __syncthreads();
  if (t < n && n <= 256) a = s[t + 1];)
//: initialised unknown, runs refuted
KERNEL(a_gap_between_guards, if (n < 100) s[t] = 1; else if (n > 100) s[t] = 2; __syncthreads(); a = s[t ^ 64];)
//: initialised unknown, runs refuted
KERNEL(wide_reader, if (t < n) s[t] = 1; __syncthreads(); if ((t ^ 64) <= n) a = s[t ^ 64];)
