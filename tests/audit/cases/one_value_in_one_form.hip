#include <hip/hip_runtime.h>
// All threads of a block store to one place what is of one form, or only looks so (own code).
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(const float* x, float* o, int* w, int n)
#define T threadIdx.x
#define B blockIdx.x
#define WI asm volatile("s_waitcnt vmcnt(0)" ::: "memory")
//: proved
KERNEL(right) { float v = x[B * 256]; o[B * 256] = v; }
// another thread changes what is loaded, ordered for one wave alone
//: race_free refuted
KERNEL(changed_between) { int v = 0; if (T < 64) v = ((volatile int*)w)[B * 256]; __syncthreads(); if (T == 70) w[B * 256] = 5; __syncthreads(); if (T >= 64) v = ((volatile int*)w)[B * 256]; o[B * 256] = v; }
// same instruction: waves come to it in epochs of their own
//: unproved
KERNEL(epochs_apart) { if (T < 64) { __builtin_amdgcn_s_barrier(); __builtin_amdgcn_s_barrier(); } int v = ((volatile int*)w)[B * 256]; if (T >= 64) { __builtin_amdgcn_s_barrier(); if (T == 64) w[B * 256] = 7; __builtin_amdgcn_s_barrier(); } o[B * 256] = v; }
// the value is loaded behind an own store
//: race_free refuted
KERNEL(own_store) { w[B * 256 + T] = T; int v = w[B * 256 + T]; o[B * 256] = v; }
//: race_free refuted
KERNEL(atomic_between) { int v = atomicAdd(&w[B * 256], 1); o[B * 256] = v; }
//: unproved
KERNEL(atomic_max) { atomicMax(&w[B * 256], (int)T); int v = ((volatile int*)w)[B * 256]; o[B * 256] = v; }
// the other operand of a sum comes in another order
//: race_free refuted
KERNEL(ring) { float v = x[B * 256 + T % 64]; for (int d = 1; d < 4; d++) v += __shfl(v, (T + d) % 64); o[B * 256] = v; }
//: unproved
KERNEL(four_rotated) { float a = x[B * 256], b = x[B * 256 + 1], c = x[B * 256 + 2]; float v = T < 64 ? (a + b) + c : a + (b + c); o[B * 256] = v; }
//: proved
KERNEL(commuted) { float a = x[B * 256], b = x[B * 256 + 1], c = x[B * 256 + 2]; float v = T < 64 ? (a + b) + c : c + (b + a); o[B * 256] = v; }
//: race_free refuted
KERNEL(minus) { float a = x[B * 256], b = x[B * 256 + 1]; float v = T < 64 ? a - b : b - a; o[B * 256] = v; }
//: unproved
KERNEL(zero_signs) { float a = x[B * 256]; float v = T < 64 ? a : a + 0.f; o[B * 256] = v; }
//: unproved
KERNEL(times_one) { float a = x[B * 256]; float v = a; if (T < 64) asm volatile("v_mul_f32 %0, 1.0, %1" : "=v"(v) : "v"(a)); o[B * 256] = v; }
//: unproved
KERNEL(max_self) { float a = x[B * 256]; float v = a; if (T < 64) asm volatile("v_max_f32 %0, %1, %1" : "=v"(v) : "v"(a)); o[B * 256] = v; }
//: proved
KERNEL(max_self_quiet) { float a = x[B * 256] + 1.f; float v = a; if (T < 64) asm volatile("v_max_f32 %0, %1, %1" : "=v"(v) : "v"(a)); o[B * 256] = v; }
//: unproved
KERNEL(max_order_raw) { float a = x[B * 256], b = x[B * 256 + 1], c = x[B * 256 + 2]; float v, q; asm volatile("v_max_f32 %0, %2, %3\nv_max_f32 %0, %0, %4\nv_max_f32 %1, %3, %4\nv_max_f32 %1, %1, %2" : "=&v"(v), "=&v"(q) : "v"(a), "v"(b), "v"(c)); o[B * 256] = T < 64 ? v : q; }
//: proved
KERNEL(max_order_quiet) { float a = x[B * 256] + 1.f, b = x[B * 256 + 1] + 1.f, c = x[B * 256 + 2] + 1.f; float v, q; asm volatile("v_max_f32 %0, %2, %3\nv_max_f32 %0, %0, %4\nv_max_f32 %1, %3, %4\nv_max_f32 %1, %1, %2" : "=&v"(v), "=&v"(q) : "v"(a), "v"(b), "v"(c)); o[B * 256] = T < 64 ? v : q; }
//: race_free refuted
KERNEL(max_of_abs) { float a = x[B * 256] + 1.f, b = x[B * 256 + 1] + 1.f; float v, q; asm volatile("v_max_f32 %0, |%2|, %3\nv_max_f32 %1, %2, %3" : "=&v"(v), "=&v"(q) : "v"(a), "v"(b)); o[B * 256] = T < 64 ? v : q; }
//: race_free refuted
KERNEL(max_clamped) { float a = x[B * 256] + 1.f, b = x[B * 256 + 1] + 1.f; float v, q; asm volatile("v_max_f32 %0, %2, %3 clamp\nv_max_f32 %1, %2, %3" : "=&v"(v), "=&v"(q) : "v"(a), "v"(b)); o[B * 256] = T < 64 ? v : q; }
//: race_free refuted
KERNEL(max_min) { float a = x[B * 256] + 1.f, b = x[B * 256 + 1] + 1.f; float v, q; asm volatile("v_max_f32 %0, %2, %3\nv_min_f32 %1, %2, %3" : "=&v"(v), "=&v"(q) : "v"(a), "v"(b)); o[B * 256] = T < 64 ? v : q; }
//: race_free refuted
KERNEL(two_blocks_one_place) { float v = x[0]; o[B / 2 * 256] = v + B; }
//: race_free refuted
KERNEL(two_blocks_same) { float v = x[0] + (B & 1); o[B / 2 * 256] = v; }
//: race_free refuted
KERNEL(place_of_each) { float v = x[B * 256]; o[B * 256 + T / 2] = v + (T & 1); }
//: proved
KERNEL(place_of_two) { float v = x[B * 256]; o[B * 256 + T / 2] = v; }
//: unproved
KERNEL(overlapping_wide) { float v = x[B * 256]; if (T < 200) { o[B * 256 + T] = v; o[B * 256 + T + 1] = v; } }
//: unproved
KERNEL(bytes_overlap) { int q = w[B * 256 + 9]; ((volatile char*)o)[B * 1024 + T / 2] = q >> (T & 1); }
//: race_free refuted
KERNEL(value_by_place) { float v = x[B * 256 + T / 2]; o[B * 256 + T / 2 % 4] = v; }
//: unproved
KERNEL(loaded_and_stored) { float v = ((volatile float*)o)[B * 256]; o[B * 256] = v + 1; }
//: unproved
KERNEL(read_by_others) { float v = x[B * 256]; o[B * 256] = v; float q = ((volatile float*)o)[B * 256]; w[B * 256 + T] = q; }
//: race_free refuted
KERNEL(lane) { float v = __builtin_amdgcn_mbcnt_lo(~0u, 0); o[B * 256] = v; }
//: race_free refuted
KERNEL(wave_lane) { float v = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(x[B * 256 + T]), 3)); o[B * 256] = v; }
//: proved
KERNEL(lane_of_same) { float v = __int_as_float(__builtin_amdgcn_readlane(__float_as_int(x[B * 256 + T % 64]), 3)); o[B * 256] = v; }
//: race_free refuted
KERNEL(ballot) { unsigned long long m = __ballot(x[B * 256 + T] > 0); o[B * 256] = __popcll(m); }
//: race_free refuted
KERNEL(some_threads_other) { float v = x[B * 256]; if (v > T) v += 1.f; o[B * 256] = v; }
//: unproved
KERNEL(shift_64) { unsigned long long c = T < 64 ? 0x100000001ull : 0x200000001ull; unsigned k = __float_as_uint(x[B * 256]) & 63; c >>= k; o[B * 256] = (float)(unsigned)c; }
