// A pointer that may be null is asked first; that of which one forgets to ask leads nowhere.
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void added(const float* x, const float* y, float* o, int n) {
  int t = blockIdx.x * 256 + threadIdx.x;
  if (t < n) o[t] = y ? x[t] + y[t] : x[t];
}

//: followed unknown, runs refuted
extern "C" __global__ void forgotten(const float* x, const float* y, float* o, int n) {
  int t = blockIdx.x * 256 + threadIdx.x;
  if (t < n) o[t] = x[t] + y[t];
}

//: followed unknown, runs refuted
extern "C" __global__ void turned_round(const float* x, const float* y, float* o, int n) {
  int t = blockIdx.x * 256 + threadIdx.x;
  if (t < n) o[t] = y ? x[t] : x[t] + y[t + 1];
}
