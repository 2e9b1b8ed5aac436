// A block has so many rows of 64 bits' numbers, from its first to the lesser of two ends, and a barrier in each (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n, int rows)
#define ROWS(begin, end, last) \
  { __shared__ float s[256]; int t = threadIdx.x; float v = 0; long first = (long)blockIdx.x * rows; begin \
    for (long row = first; row < end; row++) { \
      s[t] = x[row * 256 + t]; __syncthreads(); v += s[255 - t]; last \
    } \
    o[blockIdx.x * 256 + t] = v; }
#define LESSER(a, b) ((a) < (b) ? (a) : (b))

//: proved
KERNEL(lesser) ROWS(, LESSER(first + rows, (long)n), __syncthreads();)
// in each turn as many, and two more before, so that the last one stands before what is stored behind the loop
//: proved
KERNEL(behind) ROWS(s[255 - t] = 1; __syncthreads(); v = s[t]; __syncthreads();, LESSER(first + rows, (long)n), __syncthreads();)
// nothing keeps the last block's rows below n
//: in_bounds refuted
KERNEL(without_end) ROWS(, first + rows, __syncthreads();)
// the greater of the two
//: in_bounds refuted
KERNEL(greater) ROWS(, (first + rows < (long)n ? (long)n : first + rows), __syncthreads();)
// what one turn stores another wave may not have read yet
//: race_free refuted
KERNEL(one_barrier) ROWS(, LESSER(first + rows, (long)n), )
// an end of each thread's own
//: unproved
KERNEL(own_end) ROWS(first += t & 64;, LESSER(first + rows, (long)n), __syncthreads();)
