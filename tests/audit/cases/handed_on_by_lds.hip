// Blocks of 128 threads, each of which takes a value, gives it to another, and stores what it got (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o, int n) { \
    __shared__ int s[256]; int t = threadIdx.x, i = blockIdx.x * 128 + t, v = x[i]; __VA_ARGS__ }

//: proved with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(reversed, s[t] = v; __syncthreads(); o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i]
KERNEL(reversed_and_not_said, s[t] = v; __syncthreads(); o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(one_further, s[t] = v; __syncthreads(); o[i] = s[126 - t < 0 ? 0 : 126 - t];)

//: slow
//: proved with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(stored_reversed, s[127 - t] = v; __syncthreads(); o[i] = s[t];)
//: proved with o[i] = x[i // 128 * 128 + 127 - i % 128] + 1
KERNEL(three_times, s[t] = v + 1; __syncthreads(); v = s[127 - t]; __syncthreads(); s[t] = v; __syncthreads(); o[i] =
  s[t];)
//: proved with o[i] = where(i % 128 < 64, x[i // 128 * 128 + i % 128 * 2], -x[i // 128 * 128 + i % 128 * 2 - 128])
KERNEL(two_halves, s[t] = v; s[t + 128] = -v; __syncthreads(); o[i] = s[t * 2];)
//: proved with o[i] = x[i // 64 * 64 + i % 8 * 8 + i // 8 % 8]
KERNEL(swizzled, int r = t / 8 % 8, c = t % 8, h = t & 64; s[h + r * 8 + (c ^ r)] = v; __syncthreads(); o[i] = s[h + c
  * 8 + (r ^ c)];)
//: proved with o[i] = x[i // 128 * 128 + i % 16 * 8 + i // 16 % 8]
KERNEL(transposed, s[t % 8 * 16 + t / 8] = v; __syncthreads(); o[i] = s[t];)
//: proved with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(in_each_turn, for (int c = 0; c < n; ++c) { __syncthreads(); s[t] = v; __syncthreads(); o[i] = s[127 - t]; })
//: proved with o[i] = where(N > 3, x[i], x[i % 128])
KERNEL(by_a_size, if (n > 3) s[t] = v; else s[t] = x[t]; __syncthreads(); o[i] = s[t];)
//: computes refuted with o[i] = x[i // 64 * 64 + i % 8 * 8 + i // 8 % 8]
KERNEL(swizzled_otherwise, int r = t / 8 % 8, c = t % 8, h = t & 64; s[h + r * 8 + (c ^ r)] = v; __syncthreads(); o[i]
  = s[h + c * 8 + (r ^ c ^ 1)];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(neighbours_swapped, s[t] = v; __syncthreads(); o[i] = s[(127 - t) ^ 1];)
//: race_free refuted, initialised unknown, computes unknown with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(no_barrier, s[t] = v; o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(cleared_for_some_sizes, s[t] = v; __syncthreads(); if (n > 3) s[t] = 0; __syncthreads(); o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(cleared_for_a_thread, s[t] = v; __syncthreads(); if (t == 5) s[t] = 0; __syncthreads(); o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(cleared_by_data, s[t] = v; __syncthreads(); if (v > 3) s[t] = 0; __syncthreads(); o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(stored_in_the_next_turn, s[t] = v; __syncthreads(); for (int c = 1; c < n; ++c) { o[i] = s[127 - t];
  __syncthreads(); s[t] = c; __syncthreads(); } if (n == 1) o[i] = s[127 - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(stored_in_turns, s[t] = v; __syncthreads(); for (int c = 1; c < n; ++c) s[t] = c; __syncthreads(); o[i] = s[127
  - t];)
//: computes refuted with o[i] = x[i // 128 * 128 + i * 2 % 128]
KERNEL(halves_of_two, s[t] = v; s[t + 128] = -v; __syncthreads(); o[i] = s[t * 2];)
//: computes refuted with o[i] = x[i // 128 * 128 + 127 - i % 128]
KERNEL(bytes_overwritten, ((char*)s)[t * 4] = v; s[t] = v; ((char*)s)[t * 4 + 2] = v >> 8; __syncthreads(); o[i] =
  s[127 - t];)
//: computes refuted with o[i] = x[i]
KERNEL(stored_by_some_threads, s[t] = v; __syncthreads(); for (int c = 0; c < (t & 3); ++c) s[t] = c; __syncthreads();
  o[i] = s[t];)
