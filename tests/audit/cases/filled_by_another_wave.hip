// One wave stores as many words as a block's number says, by its lanes alone; a thread of another one sums them (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, who, stored, read) \
  extern "C" __global__ void __launch_bounds__(192) name(const int* x, int* o) { \
    __shared__ int s[64]; \
    int t = threadIdx.x, b = blockIdx.x, lane = t % 64, n = 63 - b % 9, sum = 0; \
    if ((who) && lane < (stored)) s[lane] = x[b * 64 + lane]; \
    __syncthreads(); \
    if (t == 0) { for (int k = 0; k < (read); ++k) sum += s[k]; o[b] = sum; } }

//: proved
KERNEL(of_wave_2, t >= 128, n, n)
//: proved
KERNEL(of_wave_1, t / 64 == 1, n, n)
// the last word is nobody's
//: initialised unknown, runs refuted
KERNEL(one_more, t / 64 == 1, n, n + 1)
// a lane of the wave stores nothing
//: initialised unknown, runs refuted
KERNEL(without_a_lane, t / 64 == 1 && lane != 7, n, n)
