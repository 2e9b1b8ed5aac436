// Lanes of a row store its one value to one place, also in two waves and in two blocks; and values that differ (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, float* w, int m, int n)
#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define OF_32(row) (row) = B * 4 + T / 32
// lanes 32 to 63 of a wave have the row that the next wave, or block, has too
#define TWICE(row) (row) = B * 2 + T / 64 + T % 64 / 32

template <int LANES> __device__ float most(float v) {
#pragma unroll
  for (int k = 1; k < LANES; k *= 2) v = fmaxf(v, __shfl_xor(v, k));
  return v;
}
template <int LANES> __device__ float sum(float v) {
#pragma unroll
  for (int k = 1; k < LANES; k *= 2) v += __shfl_xor(v, k);
  return v;
}

//: proved
KERNEL(sum_of_32) { int OF_32(row); if (row < m) o[row] = sum<32>(x[row * 32 + T % 32]); }
//: proved
KERNEL(row_of_two_blocks) { int TWICE(row); if (row < m) o[row * 32 + T % 32] = x[row * 32 + T % 32] * 3; }
// a half of the row has another sum
//: unproved
KERNEL(sum_of_16) { int OF_32(row); if (row < m) o[row] = sum<16>(x[row * 32 + T % 32]); }
// the value is of the block
//: unproved
KERNEL(and_its_block) { int TWICE(row); if (row < m) o[row * 32 + T % 32] = x[row * 32 + T % 32] + B; }
//: slow
//: proved
KERNEL(most_of_a_wave) { int row = B * 2 + T / 64; if (row < m) o[row] = most<64>(fabsf(x[row * 32 + T % 32] * 3)); }
//: proved
KERNEL(sums_of_two_blocks) { int TWICE(row); float v = sum<32>(x[row * 32 + T % 32]); if (row < m) o[row * 32 + T % 32] = v; }
//: unproved
KERNEL(most_of_half_a_row) { int row = B * 2 + T / 64; if (row < m) o[row] = most<32>(fabsf(x[row * 64 + T % 64])); }
// one lane's number is of no other
//: unproved
KERNEL(but_for_one_lane) { int OF_32(row); if (row < m) o[row] = sum<32>(x[row * 32 + T % 32]) + (T == 77); }
// the row before, in the upper half
//: unproved
KERNEL(row_of_its_wave) { int TWICE(row); if (row < m) o[row * 32 + T % 32] = x[(B * 2 + T / 64) * 32 + T % 32]; }
// what lies in LDS is of the block
//: unproved
KERNEL(by_lds) {
  __shared__ float s[32];
  int TWICE(row);
  if (T < 32) s[T] = x[B * 32 + T];
  __syncthreads();
  if (row < m) o[row * 32 + T % 32] = s[T % 32];
}
// what is stored to changes
//: unproved
KERNEL(of_what_is_stored) { int TWICE(row); float v = w[row * 32 + T % 32]; w[B * 128 + T + 4096] = v + 1; if (row < m) o[row * 32 + T % 32] = v; }
// places of one block that are one at one size alone
//: unproved
KERNEL(at_one_size) { if (n < 32) o[B * 32 + (T & 1 ? n : 7)] = x[T & 1]; }
// all blocks store to one place
//: unproved
KERNEL(of_all_blocks) { o[T / 32] = x[B * 4 + T / 32]; }
// blocks lie apart by one row, and the value is taken by two
//: unproved
KERNEL(blocks_by_two) { int row = B + T / 64; if (row < m) o[row] = x[B * 2 + T / 64]; }
// of the blocks' two rows the latter is the next block's first, in turns
//: unproved
KERNEL(in_turns) {
  int TWICE(row);
#pragma unroll 1
  for (int i = 0; i < n; i++) if (row < m) *(volatile float*)&o[row * 32 + T % 32] = x[row * 32 + T % 32] + i;
}
// the sums are added up in a ring
//: unproved
KERNEL(in_a_ring) {
  int OF_32(row);
  float v = x[row * 32 + T % 32], all = v;
#pragma unroll
  for (int k = 1; k < 32; k++) all += __shfl(v, (T + k) % 32, 32);
  if (row < m) o[row] = all;
}
// the place of a lane is a half of the next lane's
//: unproved
KERNEL(overlaps) { int TWICE(row); if (row < m) *(double*)((char*)o + (row * 32 + T % 32) * 4) = x[row * 32]; }
