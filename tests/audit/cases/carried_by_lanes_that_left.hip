#include <hip/hip_runtime.h>
// Lanes that have left a loop, turns that are other ones, what changes meanwhile (own code).
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(128) name(const float* x, float* o, int n, const int* c)
#define OUT __syncthreads(); o[(size_t)blockIdx.x * n * 128 + threadIdx.x] = s[0]
#define T threadIdx.x
#define B blockIdx.x
__device__ float lane0(float v) { return __int_as_float(__builtin_amdgcn_readlane(__float_as_int(v), 0)); }
__device__ float bperm(float v, int l) { return __int_as_float(__builtin_amdgcn_ds_bpermute(4 * l, __float_as_int(v))); }
__device__ float sum(float v) { for (int d = 32; d; d /= 2) v += __shfl_xor(v, d); return v; }
//: unproved
KERNEL(left_lane_bperm) { __shared__ float s[1]; float m = 0; int k = T == 0 ? 1 : T == 64 ? 3 : n; float q = 0;
  for (int j = 0; j < k; j++) { m = m * 2.f + 1.f; q += bperm(m, 0);  }
  if (T % 64 == 1) s[0] = q; OUT; }
//: unproved
KERNEL(left_lane_stored) { __shared__ float s[1]; float m = 0; int k = T == 0 ? 1 : T == 64 ? 3 : n; float q = 0;
  for (int j = 0; j < k; j++) { m = m * 2.f + 1.f; q = lane0(m); if (T % 64 == 1) s[0] = q; }
  OUT; }
// one uniform loop: wave 1 makes a turn less
//: race_free refuted
KERNEL(turn_less) { __shared__ float s[1]; float m = 0; int k = T < 64 ? n : n + 1;
  for (int j = 0; j < k; j++) m += x[(size_t)B * n * 128 + (j < n ? j : 0)];
  s[0] = m; OUT; }
//: proved
KERNEL(turns_loaded_one) { __shared__ float s[1]; float m = 0; int k = __builtin_amdgcn_readfirstlane(c[0]);
  for (int j = 0; j < k; j++) m = m * 3.f + 1.f;
  s[0] = m; OUT; }
// two loops one behind the other, of which the second begins with the first's in one wave
//: race_free refuted
KERNEL(two_loops) { __shared__ float s[1]; float m = 0, q = 0;
  for (int j = 0; j < n; j++) m = m * 3.f + x[(size_t)B * n * 128 + j];
  for (int j = 0; j < n; j++) q = q * 2.f + (T < 64 ? m : x[(size_t)B * n * 128 + j]);
  s[0] = q; OUT; }
// iteration numbers of two threads: what is stored in turn i by the one and i+1 by the other
//: race_free refuted
KERNEL(turns_shifted) { __shared__ float s[1]; float m = 0;
  for (int i = 0; i < n; i++) { m = m * 2.f + x[(size_t)B * n * 128 + i];
    if (T < 64) s[0] = m;
    __syncthreads();
    if (T >= 64) s[0] = m; }
  OUT; }
// same epoch, the same turn: what LDS has, between which waves add
//: race_free refuted
KERNEL(atomic_between) { __shared__ float s[1]; __shared__ int a[1]; a[0] = 0; __syncthreads(); atomicAdd(&a[0], 1); s[0] = ((volatile int*)a)[0]; OUT; }
//: race_free refuted
KERNEL(atomic_found) { __shared__ float s[1]; __shared__ int a[1]; a[0] = 0; __syncthreads(); s[0] = atomicAdd(&a[0], 1); OUT; }
//: proved
KERNEL(atomic_before) { __shared__ float s[1]; __shared__ int a[1]; a[0] = 0; __syncthreads(); atomicAdd(&a[0], 1); __syncthreads(); s[0] = a[0]; OUT; }
//: race_free refuted
KERNEL(low_half_other) { __shared__ unsigned s[64]; ((unsigned short*)s)[0] = (unsigned)x[B] + (T / 64 << 15); __syncthreads(); o[(size_t)B * n * 128 + T] = ((unsigned short*)s)[0]; }
//: proved
KERNEL(high_part_dropped) { __shared__ unsigned s[64]; ((unsigned short*)s)[0] = (unsigned)x[B] + (T / 64 << 16); __syncthreads(); o[(size_t)B * n * 128 + T] = ((unsigned short*)s)[0]; }
// which lanes: ballot
//: race_free refuted
KERNEL(ballot_waves) { __shared__ float s[1]; s[0] = __popcll(__ballot(x[T] > 0)); OUT; }
//: unproved
KERNEL(first_active) { __shared__ float s[1]; float q = x[T % 64]; if (x[T] > 0) s[0] = __int_as_float(__builtin_amdgcn_readfirstlane(__float_as_int(q))); OUT; }
//: unproved
KERNEL(shfl_in_branch) { __shared__ float s[1]; s[0] = 0; __syncthreads(); float q = x[T % 64]; if (x[T] > 0 || T == 1) { float r = bperm(q, 5); if (T % 64 == 1) s[0] = r; } OUT; }
// clock
//: unproved
KERNEL(clocks) { __shared__ float s[1]; s[0] = (float)clock64(); OUT; }
