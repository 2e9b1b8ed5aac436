// What a loop carries is stored to one place of LDS by all threads, in each turn (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n)

__device__ float sum(float v) {
  for (int d = 32; d; d /= 2) v += __shfl_xor(v, d);
  return v;
}

//: proved
KERNEL(sum_so_far) {
  __shared__ float s[1];
  float m = 0;
  for (int i = 0; i < n; i++) {
    m = m + sum(x[(blockIdx.x * n + i) * 64 + threadIdx.x % 64]);
    __syncthreads();
    s[0] = m;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// each thread begins with another number
//: race_free refuted
KERNEL(from_elsewhere) {
  __shared__ float s[1];
  float m = threadIdx.x;
  for (int i = 0; i < n; i++) {
    m = m + sum(x[(blockIdx.x * n + i) * 64 + threadIdx.x % 64]);
    __syncthreads();
    s[0] = m;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// one wave leaves out a turn, and has another number from there on
//: race_free refuted
KERNEL(but_for_a_turn) {
  __shared__ float s[1];
  float m = 0;
  for (int i = 0; i < n; i++) {
    float v = sum(x[(blockIdx.x * n + i) * 64 + threadIdx.x % 64]);
    m = i == 1 && threadIdx.x >= 64 ? m : m + v;
    __syncthreads();
    s[0] = m;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// two numbers that turns exchange, of which one is each thread's own
//: race_free refuted
KERNEL(exchanged) {
  __shared__ float s[1];
  float a = 0, b = threadIdx.x;
  for (int i = 0; i < n; i++) {
    float c = a;
    a = b + x[blockIdx.x * n * 64 + i];
    b = c;
    __syncthreads();
    s[0] = a;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// a chain that a thread's own number goes along, a step in each turn
//: race_free refuted
KERNEL(along_a_chain) {
  __shared__ float s[1];
  float a = 0, b = 0, c = 0, d = 0, e = threadIdx.x;
  for (int i = 0; i < n; i++) {
    float y = x[blockIdx.x * n * 64 + i];
    a = b + y, b = c + y, c = d + y, d = e + y, e = e + y;
    __syncthreads();
    s[0] = a;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// an inner loop goes on with what the outer one carries
//: proved
KERNEL(nested_right) {
  __shared__ float s[1];
  float m = 0, d = 0;
  for (int i = 0; i < n; i++) {
    float q = d;
    for (int j = 0; j < n; j++) q = q * 2 + x[(blockIdx.x * n + i) * 64];
    m += q;
    d += 1;
    __syncthreads();
    s[0] = m;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// which one wave has otherwise after the first turn
//: race_free refuted
KERNEL(nested) {
  __shared__ float s[1];
  float m = 0, d = 0;
  for (int i = 0; i < n; i++) {
    float q = d;
    for (int j = 0; j < n; j++) q = q * 2 + x[(blockIdx.x * n + i) * 64];
    m += q;
    d += threadIdx.x / 64;
    __syncthreads();
    s[0] = m;
    __syncthreads();
    o[(blockIdx.x * n + i) * 128 + threadIdx.x] = s[0];
  }
}
// waves make another number of turns
//: race_free refuted
KERNEL(other_counts) {
  __shared__ float s[1];
  float m = 0;
  int k = threadIdx.x < 64 ? n : n - 1;
  for (int j = 0; j < k; j++) m += x[(blockIdx.x * n) * 64 + j];
  s[0] = m;
  __syncthreads();
  o[blockIdx.x * n * 128 + threadIdx.x] = s[0];
}
// and lanes
//: race_free refuted
KERNEL(exit_of_lanes) {
  __shared__ float s[1];
  float m = 0;
  for (int j = 0; j < n; j++) {
    float v = x[(blockIdx.x * n) * 64 + j];
    m += v;
    if (v > threadIdx.x) break;
  }
  s[0] = m;
  __syncthreads();
  o[blockIdx.x * n * 128 + threadIdx.x] = s[0];
}
