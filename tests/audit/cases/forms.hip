// Forms of instructions that compilers of others write: halves of pairs, constants, modes (own code, by assembly).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const float* x, unsigned* o, int n) { \
    int t = blockIdx.x * 64 + threadIdx.x; __VA_ARGS__ }
using Pair = float __attribute__((ext_vector_type(2)));

// a lane mask, of which no half is selected, beside a number
//: proved
KERNEL(beside_a_mask, Pair d; Pair s = {x[t], x[t + 64]};
  asm volatile("v_cmp_gt_i32 vcc, %3, %2\n\ts_mov_b32 s20, 0.5\n\ts_mov_b32 s21, vcc_lo\n\t"
               "v_pk_mul_f32 %0, %1, s[20:21] op_sel_hi:[1,0]"
               : "=v"(d) : "v"(s), "v"(t), "s"(n) : "vcc", "s20", "s21");
  o[t] = __float_as_uint(d.x + d.y);)
// one as f16 beside an f32
//: proved
KERNEL(mixed_with_one, float d;
  asm volatile("v_fma_mix_f32 %0, -%1, 1.0, %2 op_sel_hi:[0,1,1]" : "=v"(d) : "v"(x[t]), "v"(t));
  o[t] = __float_as_uint(d);)
// numbers of eight bits, in a mode that code sets
//: proved
KERNEL(eights_held, unsigned d = 0;
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n\tv_cvt_pk_fp8_f32 %0, %1, %1" : "+v"(d) : "v"(x[t]));
  o[t] = d;)
// in one mode or another
//: followed unknown
KERNEL(eights_in_no_mode, unsigned d = 0;
  asm volatile("s_cmp_gt_i32 %2, 5\n\ts_cbranch_scc0 2\n\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n\t"
               "v_cvt_pk_fp8_f32 %0, %1, %1" : "+v"(d) : "v"(x[t]), "s"(n) : "scc");
  o[t] = d;)
// a part of a register, as SDWA picks it
//: proved
KERNEL(part_of_eights, Pair d;
  asm volatile("v_cvt_pk_f32_bf8_sdwa %0, %1 src0_sel:WORD_1" : "=v"(d) : "v"(__float_as_uint(x[t])));
  o[t] = __float_as_uint(d.x) ^ __float_as_uint(d.y);)

// 32 bits of 64 with their sign, and 12 of which 4 are above
//: proved
KERNEL(signed_field, long a;
  asm volatile("s_mov_b32 s20, %1\n\ts_mov_b32 s21, 77\n\ts_bfe_i64 %0, s[20:21], 0x200000" : "=s"(a) : "s"(n) : "s20", "s21", "scc");
  if (t + a < 4096) o[t + a] = 1;)
//: in_bounds refuted
KERNEL(signed_field_too_wide, long a;
  asm volatile("s_mov_b32 s20, %1\n\ts_mov_b32 s21, 1\n\ts_bfe_i64 %0, s[20:21], 0x220000" : "=s"(a) : "s"(n) : "s20", "s21", "scc");
  o[t + a] = 1;)
// a literal of 64 bits has zeros above, not its sign
//: proved
KERNEL(low_bits, long a;
  asm volatile("s_mov_b32 s20, %1\n\ts_mov_b32 s21, 5\n\ts_and_b64 %0, s[20:21], 0xffffffff" : "=s"(a) : "s"(n) : "s20", "s21", "scc");
  o[t + a] = 1;)

// a lane mask as a number: any, the same for all lanes of a wave; its bits counted as compilers do it by hand
//: proved
KERNEL(number_of_a_mask, unsigned long m = __builtin_amdgcn_uicmp(t, n, 34); m = (m >> 1) * 3 + 5;
  asm volatile("" : "+s"(m)); o[t] = m + __float_as_uint(x[m & 4095]);)
//: in_bounds refuted
KERNEL(number_of_a_mask_too_large, unsigned long m = __builtin_amdgcn_uicmp(t, n, 34); m = (m >> 1) * 3 + 5;
  asm volatile("" : "+s"(m)); o[t] = m + __float_as_uint(x[m & 8191]);)
//: proved
KERNEL(bits_of_a_mask, unsigned long m = __builtin_amdgcn_uicmp(t, n, 34);
  m -= m >> 1 & 0x5555555555555555; m = (m & 0x3333333333333333) + (m >> 2 & 0x3333333333333333);
  asm volatile("" : "+s"(m)); o[t] = m;)
// a barrier that all waves of a block come to, whatever one's mask is; and one that a wave alone comes to
//: followed unknown
KERNEL(a_barrier_by_a_mask, __shared__ int s[64]; unsigned long m = __builtin_amdgcn_uicmp(t, n, 34);
  m = (m >> 1) * 3; asm volatile("" : "+s"(m)); s[threadIdx.x] = t; if (m > 9) __syncthreads(); o[t] = s[threadIdx.x ^ 1];)

// what ends the program: where no wave comes to it, and where one may
//: proved
KERNEL(no_trap, if (n > 64) __builtin_trap(); o[t] = 1;)
//: followed unknown, runs refuted
KERNEL(a_trap, if (n > 63) __builtin_trap(); o[t] = 1;)
// the time, which comes after a wait, and may be any
//: proved
KERNEL(the_time, unsigned long s = __builtin_readcyclecounter(); o[t] = __builtin_readcyclecounter() - s;)
//: in_bounds unknown
KERNEL(at_the_time, o[t] = __float_as_uint(x[__builtin_readcyclecounter() & 8191]);)
