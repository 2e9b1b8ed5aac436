#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
extern "C" __global__ void k(int* out) {
  __shared__ int box[32];
  int wave = __builtin_amdgcn_readfirstlane(threadIdx.x / 32), lane = threadIdx.x % 32;
  if (wave == 0) {
    box[lane] = 3 * lane + 1;
    asm volatile("s_wait_dscnt 0\ns_barrier_signal 1" ::: "memory");
  } else {
    asm volatile("s_barrier_join 1\ns_barrier_signal 1\ns_barrier_wait 1" ::: "memory");
    out[lane] = box[lane];
  }
}
