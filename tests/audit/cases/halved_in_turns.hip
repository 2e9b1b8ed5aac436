// Loops whose counter is halved or doubled, from an argument on (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n)

//: proved
KERNEL(halved) {
  float v = 0;
  for (int k = n; k > 0; k >>= 1) v += x[k - 1];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// a third each time, down to 8
//: proved
KERNEL(by_three) {
  float v = 0;
  for (unsigned k = n; k >= 8; k /= 3) v += x[k - 8];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
//: proved
KERNEL(doubled) {
  float v = 0;
  for (int k = 1; k < n; k *= 2) v += x[k];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
//: proved
KERNEL(doubled_from_the_block) {
  float v = 0;
  for (int k = blockIdx.x + 1; k < n; k <<= 1) v += x[k];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// where n is 1 the first is no element
//: in_bounds refuted
KERNEL(from_n_itself) {
  float v = 0;
  for (int k = n; k > 0; k >>= 1) v += x[k];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// the last is 1: below 0 in x
//: unproved
KERNEL(one_too_far) {
  float v = 0;
  for (int k = n; k > 0; k >>= 1) v += x[k - 2];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// from block 0 for ever
//: unproved
KERNEL(doubled_from_zero) {
  float v = 0;
  for (int k = blockIdx.x; k < n; k <<= 1) v += x[k & 0];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// the double of what is below n need not be
//: unproved
KERNEL(doubled_once_more) {
  float v = 0;
  for (int k = 1; k < n; k *= 2) v += x[2 * k - 1];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
