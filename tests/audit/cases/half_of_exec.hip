// One half of EXEC is written at a time, as people do by hand: of each wave the lower 32 lanes store, or the upper, or
// all (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, first, exec) \
  extern "C" __global__ void name(float* __restrict__ o) { \
    const float* p = o + blockIdx.x * 32 + threadIdx.x - first; \
    float v = threadIdx.x; \
    asm volatile("s_mov_b64 s[20:21], exec\n" exec "\n" "global_store_dword %0, %1, off\n" \
                 "s_mov_b32 exec_lo, -1\n" "s_mov_b32 exec_hi, s21\n" :: "v"(p), "v"(v) : "s20", "s21", "memory"); }

//: proved
KERNEL(lower, 0, "s_mov_b32 exec_hi, 0")
//: proved
KERNEL(upper, 32, "s_mov_b32 exec_lo, 0")
//: in_bounds refuted
KERNEL(not_the_lower, 0, "s_mov_b32 exec_lo, 0")
//: in_bounds refuted, race_free unknown
KERNEL(all, 0, "s_mov_b32 exec_lo, -1")
