// A count is loaded before the loop, of the block's own place or of the thread's; the first turn may stand before it (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, const int* lengths, const int* pages, float* o)
#define SUM(length, before, end, after) \
  { __shared__ float s[256]; int t = threadIdx.x, n = (length); float v = 0; before \
    for (int page = 0; page < end; page++) { \
      s[t] = x[pages[blockIdx.x * 64 + page] * 256 + t]; __syncthreads(); v += s[255 - t]; after \
    } \
    o[blockIdx.x * 256 + t] = v; }

//: proved
KERNEL(loaded) SUM(lengths[blockIdx.x], , n, __syncthreads();)
// as many turns as there are, and one at least, of which a compiler takes the first out
//: proved
KERNEL(at_least_two) SUM(lengths[blockIdx.x], , max(n, 2) - 1, __syncthreads();)
// what stands behind is in order with all turns, however many there are
//: proved
KERNEL(behind) SUM(lengths[blockIdx.x], s[255 - t] = 1; __syncthreads(); v = s[t]; __syncthreads();, n, __syncthreads();)
// one turn more than there are pages
//: in_bounds refuted, followed unknown
KERNEL(one_more) SUM(lengths[blockIdx.x], , n + 1, __syncthreads();)
//: race_free refuted
KERNEL(one_barrier) SUM(lengths[blockIdx.x], , n, )
// waves have loaded other counts, and meet at barriers that others never come to
//: unproved
KERNEL(of_a_wave) SUM(lengths[blockIdx.x / 2 * 2 + t / 64 % 2], , n, __syncthreads();)
// the next block's count
//: unproved
KERNEL(of_the_next) SUM(lengths[blockIdx.x + 1], , n, __syncthreads();)
