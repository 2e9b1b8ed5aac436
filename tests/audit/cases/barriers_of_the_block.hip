#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(const float* x, const int* y, int* w, float* o, int n)
#define HERE int t = threadIdx.x, b = blockIdx.x; float v = x[b * 256 + t], s = 0
#define OUT o[b * 256 + t] = s
#define BARRIER asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory")
__device__ inline int wave() { return __builtin_amdgcn_readfirstlane(threadIdx.x / 64); }

// Conditions that all waves of a block have alike: arguments, the block's number, what it loads that nobody stores to.

//: proved
//: proved with o[i,j] = x[i,j] + x[i,255-j]
KERNEL(on_each_way) { __shared__ float a[256]; HERE; a[t] = v;
  if (n > 4) { __syncthreads(); s = v + a[255 - t]; } else { __syncthreads(); s = a[255 - t] + v; }
  OUT; }

//: proved
KERNEL(under_an_argument) { __shared__ float a[256]; HERE; a[t] = v; if (n > 4) __syncthreads(); s = v; if (n > 4) s += a[255 - t]; OUT; }

//: race_free refuted, initialised unknown
KERNEL(under_an_argument_not_all) { __shared__ float a[256]; HERE; a[t] = v; if (n > 5) __syncthreads(); s = v; if (n > 4) s += a[255 - t]; OUT; }

//: proved
//: proved with o[i,j] = x[i,255-j]
KERNEL(each_turn) { __shared__ float a[256]; HERE;
  #pragma unroll 1
  for (int i = 0; i < n; i++) { a[t] = v; __syncthreads(); s = a[255 - t]; __syncthreads(); if (n < 9) __syncthreads(); }
  OUT; }

//: race_free refuted
KERNEL(each_turn_not_all) { __shared__ float a[256]; HERE;
  #pragma unroll 1
  for (int i = 0; i < n; i++) { a[t] = v; __syncthreads(); s = a[255 - t]; if (n < 9) __syncthreads(); }
  OUT; }

//: proved
KERNEL(leaves_by_label) { __shared__ float a[256]; HERE; if (y[b] < 0) { OUT; return; } a[t] = v; __syncthreads(); s = a[255 - t]; OUT; }

//: followed unknown, initialised unknown, runs refuted
KERNEL(leaves_by_label_of_the_wave) { __shared__ float a[256]; HERE; if (y[(b + t / 64) % gridDim.x] < 0) { OUT; return; } a[t] = v; __syncthreads(); s = a[255 - t]; OUT; }

// The label that one wave loads another may have stored.
//: followed unknown, race_free refuted, initialised unknown
KERNEL(leaves_by_label_that_is_stored) { __shared__ float a[256]; HERE; if (w[b] < 0) { OUT; return; } if (t == 0) w[b] = -1; a[t] = v; __syncthreads(); s = a[255 - t]; OUT; }

//: followed unknown, read_only refuted, race_free unknown
KERNEL(leaves_by_label_that_is_stored_though_not_said) { __shared__ float a[256]; HERE; if (y[b] < 0) { OUT; return; } if (t == 0) const_cast<int*>(y)[b] = -1; a[t] = v; __syncthreads(); s = a[255 - t]; OUT; }

//: proved
KERNEL(one_way_by_label) { __shared__ float a[256]; HERE; a[t] = v;
  if (y[b] < 0) { __syncthreads(); s = a[255 - t]; __syncthreads(); a[t] = s; } else { __syncthreads(); s = a[t ^ 64]; }
  __syncthreads(); s += a[t ^ 128]; OUT; }

//: race_free refuted, initialised unknown
KERNEL(one_way_by_label_not_the_other) { __shared__ float a[256]; HERE; a[t] = v;
  if (y[b] < 0) { __syncthreads(); s = a[255 - t]; __syncthreads(); a[t] = s; } else { s = a[t ^ 64]; }
  __syncthreads(); s += a[t ^ 128]; OUT; }

// Waves of the lower half leave, so that others come to a barrier alone: sources differ in what it does then.
//: followed unknown
KERNEL(half_of_the_waves) { __shared__ float a[256]; HERE; if (wave() < 2) return; a[t] = v; __syncthreads(); s = a[t ^ 64]; OUT; }

// Loops that all waves leave together, by what they load.

//: proved
KERNEL(until_label) { __shared__ float a[256]; HERE;
  #pragma unroll 1
  for (int i = 0; i < n; i++) { if (y[i] == b) break; a[t] = v; __syncthreads(); s += a[255 - t]; __syncthreads(); }
  OUT; }

//: followed unknown
KERNEL(until_label_of_the_wave) { __shared__ float a[256]; HERE;
  #pragma unroll 1
  for (int i = 0; i < n; i++) { if (y[i] == wave()) break; a[t] = v; __syncthreads(); s += a[255 - t]; __syncthreads(); }
  OUT; }

//: followed unknown
KERNEL(as_often_as_the_wave_says) { __shared__ float a[256]; HERE;
  #pragma unroll 1
  for (int i = 0; i < n + wave(); i++) { a[t] = v; __syncthreads(); s += a[255 - t]; __syncthreads(); }
  OUT; }

//: proved
KERNEL(until_word_of_lds) { __shared__ int word; HERE; if (t == 0) word = y[0]; __syncthreads();
  #pragma unroll 1
  for (int i = 0; i < n; i++) { int held = word; __syncthreads(); if (held < 0) break; s += held; if (t == 0) word = held - 1; __syncthreads(); }
  OUT; }

// The word is another one before all have read it: waves may part.
//: unproved
KERNEL(until_word_of_lds_too_early) { __shared__ int word; HERE; if (t == 0) word = y[0]; __syncthreads();
  #pragma unroll 1
  for (int i = 0; i < n; i++) { int held = word; if (held < 0) break; s += held; if (t == 0) word = held - 1; __syncthreads(); }
  OUT; }

//: proved
KERNEL(by_word_of_lds) { __shared__ int word; __shared__ float a[256]; HERE; if (t == 255) word = y[b]; a[t] = v; __syncthreads(); if (word > 3) { s = a[255 - t]; __syncthreads(); a[t] = s; __syncthreads(); } s += a[t ^ 64]; OUT; }

//: followed unknown, race_free refuted, initialised unknown
KERNEL(by_word_of_lds_without_barrier) { __shared__ int word; __shared__ float a[256]; HERE; if (t == 255) word = y[b]; a[t] = v; if (*(volatile int*)&word > 3) { __syncthreads(); s = a[255 - t]; __syncthreads(); a[t] = s; } __syncthreads(); s += a[t ^ 64]; OUT; }

//: followed unknown
KERNEL(by_word_of_each_wave) { __shared__ int words[4]; __shared__ float a[256]; HERE; if (t % 64 == 0) words[t / 64] = t; a[t] = v; __syncthreads(); if (words[wave()] > n) { __syncthreads(); s = a[255 - t]; } OUT; }

// Rounds: a wave that has passed a barrier more is ahead, wherever in the code that was.

//: proved
KERNEL(half_a_round_ahead) { __shared__ float a[256]; HERE; a[t] = v; if (wave() >= 2) BARRIER; BARRIER; BARRIER; s = a[255 - t]; if (wave() < 2) BARRIER; OUT; }

//: race_free unknown, initialised unknown, runs refuted
KERNEL(half_a_round_behind) { __shared__ float a[256]; HERE; if (wave() >= 2) BARRIER; a[t] = v; BARRIER; s = a[255 - t]; if (wave() < 2) BARRIER; OUT; }

//: followed unknown
KERNEL(half_a_round_too_few) { __shared__ float a[256]; HERE; a[t] = v; if (wave() >= 2) BARRIER; BARRIER; BARRIER; s = a[255 - t]; OUT; }

//: proved
KERNEL(half_stores_for_the_other) { __shared__ float a[128]; HERE; if (wave() >= 2) { a[t - 128] = v; BARRIER; BARRIER; } else { BARRIER; s = a[t]; BARRIER; } OUT; }

// Behind it in time, before it in the code.
//: initialised unknown, runs refuted
KERNEL(half_stores_for_the_other_too_late) { __shared__ float a[128]; HERE; if (wave() >= 2) { BARRIER; BARRIER; a[t - 128] = v; BARRIER; } else { BARRIER; s = a[t]; BARRIER; BARRIER; } OUT; }

//: proved
KERNEL(turns_of_two_halves) { __shared__ float a[256]; HERE; if (wave() >= 2) BARRIER;
  #pragma unroll 1
  for (int i = 0; i < n; i++) { if (wave() < 2) { a[t] = v + i; } BARRIER; if (wave() >= 2) s += a[t - 128]; BARRIER; BARRIER; }
  if (wave() < 2) BARRIER; OUT; }

//: race_free unknown, runs refuted
KERNEL(turns_of_two_halves_too_close) { __shared__ float a[256]; HERE; if (wave() >= 2) BARRIER;
  #pragma unroll 1
  for (int i = 0; i < n; i++) { if (wave() < 2) { a[t] = v + i; } BARRIER; if (wave() >= 2) s += a[t - 128]; BARRIER; }
  if (wave() < 2) BARRIER; OUT; }

// Loops that a flag ends which the turn before has set: all waves carry it alike.
#define UNTIL(first, next) __shared__ float a[256]; HERE; int flag = first; \
  _Pragma("unroll 1") for (int i = 0; i < n; i++) { if (flag < 0) break; \
    a[t] = v; __syncthreads(); s += a[255 - t]; flag = next; __syncthreads(); } OUT;
//: proved
KERNEL(until_flag) { UNTIL(0, y[i]) }

//: proved
KERNEL(until_sum_of_flags) { UNTIL(n, flag + y[i] - y[b] * i) }

//: followed unknown
KERNEL(until_flag_of_the_wave) { UNTIL(0, y[(i + wave()) % n]) }

//: followed unknown, runs refuted
KERNEL(until_flag_that_waves_begin) { UNTIL(wave() - 1, flag + y[i]) }

//: followed unknown, runs refuted
KERNEL(until_flag_that_is_stored) { UNTIL(0, w[b]; if (t == i) w[b] = -1) }
