// Several lanes, and waves, store to one place of LDS: the same to the bit, or not (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(256) name(const float* x, float* o, int n) { \
    __shared__ float s[64]; \
    int t = threadIdx.x, g = blockIdx.x; \
    __VA_ARGS__ \
    __syncthreads(); \
    if (t < 64) o[g * 64 + t] = s[63 - t]; }

//: proved
KERNEL(butterfly, float v = x[g * 256 + t]; v += __shfl_xor(v, 1); v += __shfl_xor(v, 2); s[t / 4] = v;)
// equal over the reals alone: each lane adds in an order of its own
//: race_free unknown
KERNEL(ring, float v = x[g * 256 + t], r = v; for (int k = 1; k < 4; k++) r += __shfl(v, (t & ~3) + (t + k) % 4); s[t / 4] = r;)
// lane 3 of each four has the sum of two
//: race_free refuted
KERNEL(one_lane_missing, float v = x[g * 256 + t]; v += __shfl_xor(v, 1); float u = __shfl_xor(v, 2); if (t % 4 != 3) v += u; s[t / 4] = v;)
//: proved
KERNEL(loaded_by_all_waves, s[t % 64] = x[g * 256 + t % 64] * 2;)
//: race_free refuted
KERNEL(loaded_by_all_waves_but_one, s[t % 64] = x[g * 256 + t % 64 + (t >= 192)] * 2;)
// nobody has stored yet to what all load
//: proved
KERNEL(loaded_before_it_is_stored, s[t % 64] = o[g * 64 + t % 64];)
// some load it before, and some behind
//: race_free refuted
KERNEL(loaded_before_and_behind, float v = o[g * 64 + t % 64]; __syncthreads(); if (t < 64) o[g * 64 + t] = v + 1; __syncthreads(); float w = o[g * 64 + t % 64]; s[t % 64] = t < 128 ? v : w;)
//: proved
KERNEL(in_turns, float a = 0; for (int k = 0; k < n; k++) { s[t % 64] = x[k * 64 + t % 64]; __syncthreads(); a += s[63 - t % 64]; __syncthreads(); } if (t < 64) s[t] = a;)
// a wave may be a turn ahead
//: race_free refuted
KERNEL(in_turns_of_one_barrier, float a = 0; for (int k = 0; k < n; k++) { s[t % 64] = x[k * 64 + t % 64]; __syncthreads(); a += s[63 - t % 64]; } __syncthreads(); if (t < 64) s[t] = a;)
