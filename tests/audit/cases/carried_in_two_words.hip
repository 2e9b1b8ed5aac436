// Counters and addresses of 64 bits, of which a loop carries the halves in two words (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int64_t n)

//: proved
KERNEL(counted_up) {
  float v = 0;
  for (int64_t i = 0; i < n; i++) v += x[blockIdx.x * n + i];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
//: proved
KERNEL(each_lane) {
  float v = 0;
  for (int64_t i = threadIdx.x; i < n; i += 64) v += x[blockIdx.x * n + i];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
//: proved
KERNEL(in_strides_of_the_grid) {
  float v = 0;
  for (size_t i = threadIdx.x; i < (size_t)n; i += blockDim.x * gridDim.x) v += x[blockIdx.x * n + i];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// one element more
//: unproved
KERNEL(one_too_many) {
  float v = 0;
  for (int64_t i = 0; i <= n; i++) v += x[blockIdx.x * n + i];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
// what goes from the lower word to the upper one is lost, where n is 2³² or more for ever
//: unproved
KERNEL(without_carry) {
  float v = 0;
  for (int64_t i = 0; i < n; i = (i & ~0xffffffffll) | (uint32_t)(i + 1)) v += x[blockIdx.x * n + i];
  if (threadIdx.x == 0) o[blockIdx.x] = v;
}
