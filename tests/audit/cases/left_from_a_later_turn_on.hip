// Lanes leave a loop for themselves, and in its first iteration none does, as the sizes have it (own code).
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void rows(const float* x, float* o, int n) {
  for (int i = threadIdx.x; i < n; i += 256) o[blockIdx.x * n + i] = x[blockIdx.x * n + i] * 2.0f;
}

//: proved
extern "C" __global__ void with_branches(const float* x, float* o, int n) {
  for (int i = threadIdx.x; i < n; i += 256) {
    float v = x[blockIdx.x * n + i];
    if (v > 1.0f) v = 1.0f / v + v * v;
    o[blockIdx.x * n + i] = v;
  }
}

//: in_bounds refuted, race_free unknown
extern "C" __global__ void one_turn_more(const float* x, float* o, int n) {
  for (int i = threadIdx.x; i < n + 1; i += 256) o[blockIdx.x * n + i] = x[blockIdx.x * n + i] * 2.0f;
}

//: race_free refuted
extern "C" __global__ void on_the_next_rows(const float* x, float* o, int n) {
  for (int i = threadIdx.x; i < n; i += 255) o[blockIdx.x * n + i] = x[blockIdx.x * n + i] + threadIdx.x;
}

//: proved
extern "C" __global__ void in_lds(const int* x, float* o, int n) {
  __shared__ int count[771];
  for (int i = threadIdx.x; i < 771; i += 256) count[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 256) atomicAdd(&count[x[blockIdx.x * n + i] & 255], 1);
  __syncthreads();
  o[blockIdx.x * n + threadIdx.x] = count[threadIdx.x] + count[threadIdx.x + 515];
}

//: initialised unknown, runs refuted
extern "C" __global__ void in_lds_but_one(const int* x, float* o, int n) {
  __shared__ int count[771];
  for (int i = threadIdx.x; i < 770; i += 256) count[i] = 0;
  __syncthreads();
  o[blockIdx.x * n + threadIdx.x] = count[threadIdx.x] + count[threadIdx.x + 515];
}
