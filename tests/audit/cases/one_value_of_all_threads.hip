// All threads of a block store to one place of memory: of one value, whichever is last leaves the same (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, float* all)

__device__ float* rows(const float* x) {
  static __shared__ float s[256];
  s[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  return s;
}

//: proved
KERNEL(of_lds) {
  float* s = rows(x);
  o[blockIdx.x] = s[17];
}
//: proved
KERNEL(sum_of_lds) {
  float* s = rows(x);
  o[blockIdx.x] = s[255] + s[1] * s[2];
}
//: race_free refuted
KERNEL(of_each_thread) {
  float* s = rows(x);
  o[blockIdx.x] = s[threadIdx.x];
}
// one thread alone has another
//: race_free refuted
KERNEL(of_all_but_one) {
  float* s = rows(x);
  o[blockIdx.x] = s[threadIdx.x == 200 ? 1 : 0];
}
// blocks have others
//: race_free refuted
KERNEL(of_all_blocks) {
  float* s = rows(x);
  all[0] = s[0];
  if (blockIdx.x > 70000) o[blockIdx.x] = 0;
}
// but of one block
//: proved
KERNEL(of_one_block) {
  float* s = rows(x);
  if (((threadIdx.x % 64) | blockIdx.x) == 0) all[0] = s[0];
  if (blockIdx.x > 70000) o[blockIdx.x] = 0;
}
//: race_free refuted
KERNEL(of_two_blocks) {
  float* s = rows(x);
  if (((threadIdx.x % 64) | (blockIdx.x & ~1u)) == 0) all[0] = s[0];
  if (blockIdx.x > 70000) o[blockIdx.x] = 0;
}
// what a place has changes between what two waves load of it
//: race_free refuted
KERNEL(before_and_after) {
  float* s = rows(x);
  float v = s[0];
  __syncthreads();
  if (threadIdx.x == 0) s[0] = v + 1;
  __syncthreads();
  if (threadIdx.x >= 64) v = s[0];
  o[blockIdx.x] = v;
}
// waves are in turns of their own
//: race_free refuted
KERNEL(in_turns) {
  float* s = rows(x);
#pragma unroll 1
  for (int i = 0; i < 9; i++) *(volatile float*)&o[blockIdx.x] = s[i];
}
// and in instructions of their own
//: race_free refuted
KERNEL(one_after_the_other) {
  float* s = rows(x);
  *(volatile float*)&o[blockIdx.x] = s[0];
  *(volatile float*)&o[blockIdx.x] = s[1];
}
// to places that overlap in half
//: aligned refuted, race_free refuted
KERNEL(half_beside) {
  float* s = rows(x);
  if (blockIdx.x == 0) *(float*)((char*)all + 2 * (threadIdx.x & 1)) = s[3];
  if (blockIdx.x > 70000) o[blockIdx.x] = 0;
}
