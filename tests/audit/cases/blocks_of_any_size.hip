#include <hip/hip_runtime.h>

#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n)
#define HERE unsigned t = threadIdx.x, many = blockDim.x; int first = blockIdx.x * many, i = first + t
#define SHARED extern __shared__ float s[]; HERE
#define GATHERED SHARED; s[t] = i < n ? x[i] : 0.f; __syncthreads()

//: proved with o[i] = x[i] * 2.0
KERNEL(each) { HERE; if (i < n) o[i] = x[i] * 2.0f; }

//: in_bounds refuted
KERNEL(without_guard) { HERE; o[i] = x[i] * 2.0f; }

//: proved with o[i] = x[i] * 2.0
KERNEL(stride_of_the_grid) { HERE; for (; i < n; i += gridDim.x * many) o[i] = x[i] * 2.0f; }

// Blocks of more than 256 threads step into each other's elements.
//: race_free refuted
KERNEL(stride_of_256) { HERE; for (i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) o[i] = x[i] + blockIdx.x; }

//: proved
KERNEL(reversed) { GATHERED; if (first + many - 1 - t < n) o[first + many - 1 - t] = s[many - 1 - t]; }

//: race_free refuted, initialised unknown
KERNEL(reversed_without_barrier) { SHARED; s[t] = i < n ? x[i] : 0.f; if (i < n) o[i] = s[many - 1 - t]; }

//: lds_in_bounds refuted, initialised unknown
KERNEL(reversed_too_far) { GATHERED; if (i < n) o[i] = s[4 * many - t]; }

//: proved on gfx942
KERNEL(halved) { GATHERED; for (unsigned half = many / 2; half > 0; half /= 2) { if (t < half) s[t] += s[t + half]; __syncthreads(); }
  if (t == 0) o[first] = s[0]; }

//: race_free refuted
KERNEL(halved_without_barrier) { GATHERED; for (unsigned half = many / 2; half > 0; half /= 2) if (t < half) s[t] += s[t + half];
  if (t == 0) o[first] = s[0]; }

//: proved
KERNEL(summed_by_one) { GATHERED; if (t == 0) { float sum = 0; for (unsigned k = 0; k < many; k++) sum += s[k]; o[first] = sum; } }

//: lds_in_bounds refuted, initialised unknown
KERNEL(of_blocks_of_256) { GATHERED; if (t == 0) { float sum = 0; for (unsigned k = 0; k < 256; k++) sum += s[k]; o[first] = sum; } }

//: proved
KERNEL(scanned) { GATHERED; for (unsigned d = 1; d < many; d *= 2) { float v = t >= d ? s[t - d] : 0.f; __syncthreads(); s[t] += v; __syncthreads(); }
  if (i < n) o[i] = s[t]; }

//: race_free refuted
KERNEL(scanned_without_barrier) { GATHERED; for (unsigned d = 1; d < many; d *= 2) { float v = t >= d ? s[t - d] : 0.f; s[t] += v; __syncthreads(); }
  if (i < n) o[i] = s[t]; }

// The last thread has its right neighbour's halo.
#define LEFT if (t == 0) s[0] = i > 0 ? x[i - 1] : 0.f
#define RIGHT(last) if (t == last) s[many + 1] = i + 1 < n ? x[i + 1] : 0.f
#define SMOOTHED __syncthreads(); if (i < n) o[i] = s[t] + s[t + 1] + s[t + 2]
//: proved
KERNEL(smoothed) { SHARED; s[t + 1] = i < n ? x[i] : 0.f; LEFT; RIGHT(many - 1); SMOOTHED; }

// A block of fewer threads has no thread 255.
//: initialised unknown, runs refuted
KERNEL(smoothed_by_256) { SHARED; s[t + 1] = i < n ? x[i] : 0.f; LEFT; RIGHT(255); SMOOTHED; }

// No lane is behind the last thread of a block: what one is read of is not defined, and an exchange by LDS gives 0.
//: proved
KERNEL(first_lane) { HERE; float v = i < n ? x[i] : 0.f; v = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(v), 0)); if (i < n) o[i] = v; }

//: defined refuted
KERNEL(last_lane) { HERE; float v = i < n ? x[i] : 0.f; v = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(v), warpSize - 1)); if (i < n) o[i] = v; }

//: race_free refuted
KERNEL(to_the_lane_above) { HERE; int above = __shfl_down(i, 1); if (i < n && above < n) o[above] = i; }

//: initialised unknown, runs refuted
KERNEL(told_by_the_second) { SHARED; if (t == 1) s[0] = x[0]; __syncthreads(); if (i < n) o[i] = s[0]; }

//: proved
KERNEL(told_by_the_first) { SHARED; if (t == 0) s[0] = x[0]; __syncthreads(); if (i < n) o[i] = s[0]; }

//: followed unknown, race_free refuted, initialised unknown
KERNEL(barrier_of_some) { SHARED; s[t] = i < n ? x[i] : 0.f; if (t < 64) __syncthreads(); if (i < n) o[i] = s[many - 1 - t]; }

//: proved
KERNEL(barrier_of_all) { SHARED; s[t] = i < n ? x[i] : 0.f; if (t < many) __syncthreads(); if (i < n) o[i] = s[many - 1 - t]; }

// Each wave's sum stands in a word of its own; how many there are rounds up.
#define WAVES(sum) __shared__ float w[33]; HERE; unsigned lane = t % warpSize, wave = t / warpSize; float v = i < n ? x[i] : 0.f; \
  for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor(v, d); \
  if (lane == 0) w[wave] = v; \
  __syncthreads(); unsigned waves = sum
#define OF_THE_FIRST if (wave == 0) { v = lane < waves ? w[lane] : 0.f; for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_xor(v, d); if (t == 0) o[first] = v; }

//: proved
KERNEL(of_waves) { WAVES((many + warpSize - 1) / warpSize); OF_THE_FIRST }

//: initialised unknown, runs refuted
KERNEL(of_one_wave_too_many) { WAVES(many / warpSize + 1); OF_THE_FIRST }

//: proved
KERNEL(of_waves_by_one) { WAVES((many + warpSize - 1) / warpSize); if (t == 0) { v = 0; for (unsigned k = 0; k < waves; k++) v += w[k]; o[first] = v; } }

//: proved
KERNEL(told_by_the_last) { SHARED; if (t == many - 1) s[0] = x[0]; __syncthreads(); if (i < n) o[i] = s[0]; }

//: proved
KERNEL(told_by_first_lanes) { __shared__ float w[32]; HERE; if (t % warpSize == 0) w[t / warpSize] = x[0]; __syncthreads(); if (i < n) o[i] = w[t / warpSize]; }

//: initialised unknown, runs refuted
KERNEL(told_by_last_lanes) { __shared__ float w[32]; HERE; if (t % warpSize == warpSize - 1) w[t / warpSize] = x[0]; __syncthreads(); if (i < n) o[i] = w[t / warpSize]; }

// All threads fill a table in their strides.
//: proved on gfx1100
KERNEL(filled) { __shared__ float w[300]; HERE; for (unsigned k = t; k < 300; k += many) w[k] = x[0]; __syncthreads(); if (i < n) o[i] = w[299 - t % 300]; }

//: unproved
KERNEL(filled_in_steps_of_256) { __shared__ float w[300]; HERE; for (unsigned k = t; k < 300; k += 256) w[k] = x[0]; __syncthreads(); if (i < n) o[i] = w[299 - t % 300]; }
