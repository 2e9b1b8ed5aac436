// Halves: clang's _Float16, whose operators are HIP's. A conversion from float rounds to nearest even.
#pragma once

#include <hip/hip_runtime.h>

typedef _Float16 __half;
typedef _Float16 half;
typedef _Float16 __half2 __attribute__((ext_vector_type(2)));
typedef __half2 half2;

LAYOUTALG_HIP __half __float2half(float x) { return (__half)x; }
LAYOUTALG_HIP __half __float2half_rn(float x) { return (__half)x; }
LAYOUTALG_HIP float __half2float(__half x) { return (float)x; }
LAYOUTALG_HIP __half __int2half_rn(int x) { return (__half)x; }
LAYOUTALG_HIP int __half2int_rz(__half x) { return (int)x; }
LAYOUTALG_HIP __half __hadd(__half a, __half b) { return a + b; }
LAYOUTALG_HIP __half __hsub(__half a, __half b) { return a - b; }
LAYOUTALG_HIP __half __hmul(__half a, __half b) { return a * b; }
LAYOUTALG_HIP __half __hdiv(__half a, __half b) { return a / b; }
LAYOUTALG_HIP __half __hneg(__half a) { return -a; }
LAYOUTALG_HIP __half __hfma(__half a, __half b, __half c) { return __builtin_elementwise_fma(a, b, c); }
LAYOUTALG_HIP __half __hmax(__half a, __half b) { return __builtin_elementwise_maxnum(a, b); }
LAYOUTALG_HIP __half __hmin(__half a, __half b) { return __builtin_elementwise_minnum(a, b); }
// Of one instruction each, or of f32.
LAYOUTALG_HIP __half hceil(__half x) { return __builtin_elementwise_ceil(x); }
LAYOUTALG_HIP __half hfloor(__half x) { return __builtin_elementwise_floor(x); }
LAYOUTALG_HIP __half htrunc(__half x) { return __builtin_elementwise_trunc(x); }
LAYOUTALG_HIP __half hsqrt(__half x) { return __builtin_elementwise_sqrt(x); }
LAYOUTALG_HIP __half hrcp(__half x) { return __builtin_amdgcn_rcph(x); }
LAYOUTALG_HIP __half hlog(__half x) { return (__half)logf((float)x); }
LAYOUTALG_HIP __half hexp(__half x) { return (__half)expf((float)x); }
__device__ __half hsin(__half);  // declared, no more
LAYOUTALG_HIP bool __hgt(__half a, __half b) { return a > b; }
LAYOUTALG_HIP bool __hlt(__half a, __half b) { return a < b; }
LAYOUTALG_HIP __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
LAYOUTALG_HIP __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
LAYOUTALG_HIP __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __builtin_elementwise_fma(a, b, c); }
LAYOUTALG_HIP __half2 __halves2half2(__half a, __half b) { return __half2{a, b}; }
LAYOUTALG_HIP __half2 __floats2half2_rn(float a, float b) { return __half2{(__half)a, (__half)b}; }
LAYOUTALG_HIP __half2 __float2half2_rn(float a) { return __half2{(__half)a, (__half)a}; }
LAYOUTALG_HIP __half2 __half2half2(__half a) { return __half2{a, a}; }
LAYOUTALG_HIP float2 __half22float2(__half2 a) { return float2{(float)a.x, (float)a.y}; }
LAYOUTALG_HIP float __low2float(__half2 a) { return (float)a.x; }
LAYOUTALG_HIP float __high2float(__half2 a) { return (float)a.y; }
LAYOUTALG_HIP __half __low2half(__half2 a) { return a.x; }
LAYOUTALG_HIP __half __high2half(__half2 a) { return a.y; }
