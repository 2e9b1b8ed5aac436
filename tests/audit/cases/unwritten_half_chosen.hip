#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const unsigned* x, unsigned* o)
#define LOAD "global_load_d16_b16 v90, %1, off\n\ts_wait_loadcnt 0x0\n\tv_cmp_gt_u32 vcc_lo, 40, %2\n\t" \
  "s_and_saveexec_b32 s90, vcc_lo\n\t" \
  "global_load_u16 v90, %1, off\n\ts_wait_loadcnt 0x0\n\ts_mov_b32 exec_lo, s90\n\t"
#define CHOSEN "v_cmp_lt_u32 vcc_lo, 50, %2\n\tv_cndmask_b32 %0, v90, %2, vcc_lo\n\t"
#define HALF(then) unsigned r; \
  asm volatile(LOAD then : "=v"(r) : "v"(x + threadIdx.x), "v"(threadIdx.x) : "v90", "s90", "vcc", "memory"); \
  o[threadIdx.x] = r

// Some lanes load half a register, and nothing wrote the other half of theirs: shifted or masked out, it is gone.

//: proved
KERNEL(shifted_out) { HALF("v_lshlrev_b32 %0, 16, v90"); }

//: proved
KERNEL(masked_out) { HALF("v_and_b32 %0, 0xffff, v90"); }

//: proved
KERNEL(a_byte_of_it) { HALF("v_and_b32 %0, 0xff00, v90"); }

//: proved
KERNEL(twice_chosen) { HALF(CHOSEN "v_lshlrev_b32 %0, 16, %0"); }

//: proved
KERNEL(doubled_before) { HALF("v_add_nc_u32 %0, v90, v90\n\tv_lshlrev_b32 %0, 16, %0"); }

//: defined refuted
KERNEL(all_but_a_bit) { HALF("v_lshlrev_b32 %0, 15, v90"); }

//: defined refuted
KERNEL(a_bit_more) { HALF("v_and_b32 %0, 0x1ffff, v90"); }

//: defined refuted
KERNEL(its_upper_bytes) { HALF("v_and_b32 %0, 0xff0000, v90"); }

//: defined refuted
KERNEL(halved_before) { HALF("v_lshrrev_b32 %0, 1, v90\n\tv_lshlrev_b32 %0, 16, %0"); }

//: defined refuted
KERNEL(multiplied_by_itself) { HALF("v_mul_hi_u32 %0, v90, v90\n\tv_lshlrev_b32 %0, 16, %0"); }

//: defined refuted
KERNEL(one_way_only) { HALF("v_lshrrev_b32 v90, 8, v90\n\t" CHOSEN "v_lshlrev_b32 %0, 16, %0"); }
