// LDS at places that data say, in a range that the launch states or the code makes (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(256) name(const int* x, int* o, int n) { \
    __shared__ int s[72]; \
    int t = threadIdx.x, i = blockIdx.x * 256 + t; \
    __VA_ARGS__ }
#define FILL(size) for (int k = t; k < size; k += 256) s[k] = x[k % n]; __syncthreads();

// x is below 64
//: proved
KERNEL(in_a_stated_range, FILL(64) if (i < n) o[i] = s[x[i]];)
//: proved
KERNEL(in_a_range_of_bits, FILL(64) if (i < n) o[i] = s[x[i] * 5 & 63];)
//: proved
KERNEL(counted, if (t < 64) s[t] = 0; __syncthreads(); if (i < n) atomicAdd(s + x[i], 1); __syncthreads(); if (t < 64) atomicAdd(o + t % n, s[t]);)
//: initialised unknown, runs refuted
KERNEL(one_short, FILL(63) if (i < n) o[i] = s[x[i]];)
//: initialised unknown, runs refuted
KERNEL(of_seven_bits, FILL(64) if (i < n) o[i] = s[(x[i] & 7) + 57 + (x[i] & 1)];)
//: lds_in_bounds refuted, initialised unknown
KERNEL(beyond_it, FILL(72) if (i < n) o[i] = s[x[i] + 16];)
//: race_free refuted
KERNEL(stored_where_two_may_meet, FILL(64) if (i < n) s[x[i]] = i; __syncthreads(); if (i < n) o[i] = s[t & 63];)
//: race_free refuted, initialised unknown
KERNEL(read_in_the_same_epoch, if (t < 64) s[t] = t; if (i < n) o[i] = s[x[i]];)
