#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(256) k(const int* z, int* o, int N) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < N; ++j) {
    o[0] = 1;
    o[j * 256 + t] = 0;
  }
}
