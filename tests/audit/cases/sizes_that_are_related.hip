// K < N and N % 4 == 0 stand at the top of the launch file: the next element is there, in the last four too.
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void next(const float* x, float* o, int k, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < k) o[i] = x[i + 1];
}

//: proved
extern "C" __global__ void last_four(const float* x, float* o, int k, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < k) o[i] = x[n - 4 + (i & 3)];
}

//: in_bounds refuted
extern "C" __global__ void second_next(const float* x, float* o, int k, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < k) o[i] = x[i + 2];
}

//: in_bounds refuted
extern "C" __global__ void last_eight(const float* x, float* o, int k, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < k) o[i] = x[n - 8 + (i & 3)];
}
