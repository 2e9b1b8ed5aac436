// Lanes 2 and 4 store 2^31 >> 2, and what is left of 2^32 in a word, which is 0.
#include <hip/hip_runtime.h>
//: race_free refuted
extern "C" __global__ __launch_bounds__(64) void shifted_out(int* o) {
  __shared__ int s[66];
  int t = threadIdx.x;
  s[t + 1] = t;
  if (t == 2 || t == 4) s[0] = (unsigned)(t << 30) >> (t / 2 + 1);
  __syncthreads();
  o[t] = s[t + 1];
}
