#include <hip/hip_runtime.h>
// Rows of threads of their own, and copies of a loop, but for one (own code).
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const float* x, float* o, const int* c, int g)
#define T threadIdx.x
#define ROW (((size_t)blockIdx.x * 64 + T) * 64)
#define C(k) c[blockIdx.x * 64 + (k)]
//: proved
KERNEL(own_rows_loaded) { for (int k = 0; k < 12; k++) o[ROW + C(k)] = x[ROW + k]; }
//: unproved
KERNEL(copies_of_two_steps) { for (int k = 0; k < 16; k++) o[(size_t)blockIdx.x * 4096 + T * 4 + (k & 3) * 256 + (k >> 2) * 2] = T; }
//: proved
KERNEL(copies_right) { for (int k = 0; k < 16; k++) o[(size_t)blockIdx.x * 4096 + T * 4 + (k & 3) + (k >> 2) * 256] = T; }
//: unproved
KERNEL(copies_guarded_wrong) { for (int k = 0; k < 8; k++) if (T + k * 8 < 64) o[(size_t)blockIdx.x * 4096 + T + k * 8] = T; }
//: unproved
KERNEL(wide_over_narrow) { ((float4*)(o + (size_t)blockIdx.x * 4096))[T] = float4{1, 2, 3, 4}; o[(size_t)blockIdx.x * 4096 + T * 4 + 5] = 3.f; }
//: proved
KERNEL(wide_over_own) { ((float4*)(o + (size_t)blockIdx.x * 4096))[T] = float4{1, 2, 3, 4}; asm volatile("" ::: "memory"); o[(size_t)blockIdx.x * 4096 + T * 4 + 2] = 3.f; }
//: unproved
KERNEL(halves_of_word) { ((volatile short*)o)[(size_t)blockIdx.x * 8192 + (T * 3 & 63)] = T; ((volatile int*)o)[(size_t)blockIdx.x * 4096 + T] = 3; }
//: slow
//: in_bounds refuted, race_free refuted
KERNEL(own_rows_one_more) { for (int k = 0; k < 12; k++) o[ROW + C(k) + (k == 11)] = x[ROW + k]; }
//: unproved
KERNEL(rows_but_one_group) { for (int k = 0; k < 12; k++) o[ROW + C(k)] = x[ROW + k]; o[((size_t)blockIdx.x * 64 + (T ^ 1)) * 64 + 3] = 7.f; }
//: unproved
KERNEL(rows_and_load_of_next) { for (int k = 0; k < 12; k++) o[ROW + C(k)] = x[ROW + k] + o[((size_t)blockIdx.x * 64 + (T ^ 1)) * 64 + k]; }
//: proved
KERNEL(columns_own) { for (int k = 0; k < 12; k++) o[(size_t)blockIdx.x * 4096 + T + 64 * C(k)] = x[ROW + k]; }
