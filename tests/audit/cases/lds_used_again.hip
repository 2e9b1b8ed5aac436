// LDS that is used again, as published faults have it: with the barrier, and without.
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(256) void name(float* o, const float* x)

// rocm-libraries #10909 (rocSOLVER, potf2): every thread reads the diagonal, and thread 0 stores its root there; the barrier
// between the two was missing, so that a late wave took the root of the root.

#define SCALE(between) __shared__ float a[256]; unsigned t = threadIdx.x; a[t] = x[blockIdx.x * 256 + t]; __syncthreads(); \
  for (unsigned k = 0; k < 4; k++) { float d = a[k * 65]; between; if (t == 0) a[k * 65] = sqrtf(d); __syncthreads(); \
    if (t > k * 65) a[t] /= sqrtf(d); __syncthreads(); } \
  o[blockIdx.x * 256 + t] = a[t]

//: proved
KERNEL(diagonal) { SCALE(__syncthreads()); }

//: race_free refuted
KERNEL(diagonal_without_barrier) { SCALE(;); }

// rocm-libraries #11373 (hipBLASLt, AMax and LayerNorm): upper waves leave what lower ones read, and the next step of the
// tree stores to the same few places; only the first of the two barriers was there.

#define TREE(behind) __shared__ float s[4]; unsigned t = threadIdx.x, wave = t / 64; float v = x[blockIdx.x * 256 + t]; \
  for (unsigned half = 2; half > 0; half /= 2) { if (wave >= half && wave < 2 * half && t % 64 == 0) s[wave - half] = v; \
    __syncthreads(); if (wave < half) v = fmaxf(v, s[wave]); behind; } \
  o[blockIdx.x * 256 + t] = v

//: proved
KERNEL(tree_of_waves) { TREE(__syncthreads()); }

//: race_free refuted
KERNEL(tree_of_waves_without_second_barrier) { TREE(;); }

// rocm-libraries #4713 (CK, attention): a tile of V is stored over one of K that other waves still read.

#define TILES(between) __shared__ float tile[256]; unsigned t = threadIdx.x; tile[t] = x[t]; __syncthreads(); \
  float k = tile[255 - t]; between; tile[t] = x[256 + t]; __syncthreads(); o[blockIdx.x * 256 + t] = k * tile[t ^ 128]

//: proved
KERNEL(tile_over_tile) { TILES(__syncthreads()); }

//: race_free refuted
KERNEL(tile_over_tile_without_barrier) { TILES(;); }

// rocm-libraries #10893 and #11454 (CK, block_sync_lds): a bare wait and barrier order nothing for a compiler, which may move a
// store of LDS behind them; what it makes of this one is right, and what it may make is not.

#define BARE __builtin_amdgcn_s_waitcnt(0xc07f); __builtin_amdgcn_s_barrier()
#define HANDED(first, then) __shared__ float a[256]; unsigned t = threadIdx.x; float v = x[blockIdx.x * 256 + t]; \
  first; then; o[blockIdx.x * 256 + t] = a[255 - t]

//: proved
KERNEL(bare_barrier) { HANDED(a[t] = v, BARE); }

//: unproved
KERNEL(store_moved_behind_a_bare_barrier) { HANDED(BARE, a[t] = v); }
