#include <hip/hip_runtime.h>

// Lanes without a thread have no bit.
//: proved
extern "C" __global__ void counted(const int* x, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long some = __ballot(i < n && x[i] > 0);
  if (threadIdx.x % 64 == 0) o[blockIdx.x * ((blockDim.x + 63) / 64) + threadIdx.x / 64] = __popcll(some);
}

// The last lane has its own number: two lanes store to one place.
//: race_free refuted
extern "C" __global__ void to_the_lane_above(const int* x, int* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, above = __shfl_down(i, 1);
  if (i < n) o[above] = i;
}
