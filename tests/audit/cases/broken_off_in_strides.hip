// Loops in strides of the block that lanes leave in their middle: the rest is skipped where no lane is left (own code).
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void rows(const int* x, float* o, int n) {
  float most = -1, *row = o + blockIdx.x * n;
  for (int c = 0; c < n; c += blockDim.x) {
    int i = c + threadIdx.x;
    if (i >= n) break;
    most = fmaxf(most, x[blockIdx.x * n + i]);
  }
#pragma unroll
  for (int c = 0; c < n; c += blockDim.x) {
    int i = c + threadIdx.x;
    if (i >= n) break;
    row[i] = most;
  }
}

//: in_bounds refuted, race_free refuted
extern "C" __global__ void one_too_far(const int* x, float* o, int n) {
  for (int c = 0; c <= n; c += blockDim.x) {
    int i = c + threadIdx.x;
    if (i > n) break;
    o[blockIdx.x * n + i] = x[blockIdx.x * n + i % 8] + threadIdx.x;
  }
}

// How many turns any lane has something in is not how many turns there are.
//: in_bounds unknown, race_free unknown
extern "C" __global__ void turns_that_count(const int* x, float* o, int n) {
  int turns = 0, some = 0;
  for (int c = 0; c < n; c += blockDim.x) {
    int i = c + threadIdx.x;
    if (i >= n) break;
    turns++;
    if (__ballot(x[blockIdx.x * n + i] > 7)) some++;
  }
  o[blockIdx.x * n + (turns - some) * n + threadIdx.x] = 1;
}
