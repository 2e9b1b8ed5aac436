#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const unsigned* x, unsigned* o)
#define LOAD "global_load_d16_b16 v90, %1, off\n\ts_wait_loadcnt 0x0\n\t"
#define HALF(then) unsigned r; \
  asm volatile(LOAD then : "=v"(r) : "v"(x + threadIdx.x) : "v90", "memory"); \
  o[threadIdx.x] = r

// One half of a register is written, as for a bf16 that becomes an f32: nothing is left of the other above bit 31.

//: proved
KERNEL(all_of_it) { HALF("v_lshlrev_b32 %0, 16, v90"); }

//: proved
KERNEL(more_than_it) { HALF("v_lshlrev_b32 %0, 20, v90"); }

//: defined refuted
KERNEL(all_but_a_bit) { HALF("v_lshlrev_b32 %0, 15, v90"); }

//: defined refuted
KERNEL(shifted_back) { HALF("v_lshlrev_b32 %0, 8, v90\n\tv_lshrrev_b32 %0, 8, %0"); }

//: defined refuted
KERNEL(the_other_half) { HALF("v_lshrrev_b32 %0, 16, v90"); }
