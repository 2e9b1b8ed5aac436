// Waves pass k of four barriers before a loop, and 4 - k behind it: iteration i of one meets i + 1 of another.
#include <hip/hip_runtime.h>
#define BARRIER asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory")
__device__ inline int wave() { return __builtin_amdgcn_readfirstlane(threadIdx.x / 64); }
#define IF(bit) if (wave() & bit) BARRIER;
#define UNLESS(bit) if (!(wave() & bit)) BARRIER;
//: race_free refuted
extern "C" __global__ void __launch_bounds__(1024) stores_alike_of_two_turns(const float* x, float* o, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, b = blockIdx.x;
  IF(1) IF(2) IF(4) IF(8)
  int w = wave();
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    if (w < 14 || i == 0) s[t % 64] = x[i * 64 + t % 64];
    BARRIER;
  }
  UNLESS(1) UNLESS(2) UNLESS(4) UNLESS(8)
  BARRIER; BARRIER; BARRIER; BARRIER; BARRIER; BARRIER; BARRIER; BARRIER; BARRIER;
  o[b * 1024 + t] = s[63 - t % 64];
}
