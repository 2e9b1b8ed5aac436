// A transposing read of LDS by one wave of two, behind a barrier (own code).
#include <hip/hip_runtime.h>
#include <stdint.h>
typedef unsigned u2 __attribute__((ext_vector_type(2)));
#define KERNEL(name, first, ...) \
  extern "C" __global__ void __launch_bounds__(128) name(u2* o) { \
    __shared__ __attribute__((aligned(8))) u2 tile[64]; \
    unsigned t = threadIdx.x, lane = t & 63; \
    if (t < 64) tile[lane] = u2{t, t * 3}; \
    __VA_ARGS__; \
    if (t >= first) { \
      u2 v; \
      unsigned a = (unsigned)(uintptr_t)&tile[lane]; \
      asm volatile("ds_read_b64_tr_b16 %0, %1\n\ts_waitcnt lgkmcnt(0)" : "=&v"(v) : "v"(a) : "memory"); \
      o[lane] = v; \
    } }

//: proved
KERNEL(whole, 64, __syncthreads())
// of some groups of lanes not all take part
//: followed unknown
KERNEL(a_part, 72, __syncthreads())
//: runs refuted, followed unknown
KERNEL(no_barrier, 64, )
