// The mathematical functions that clang lowers for AMD targets without AMD's device library.
//
// Those with a name of C are as exact as LLVM's own lowering makes them (fmaxf, floorf, sqrtf: exact; expf, logf: about
// 1 ulp). Those that begin with two underlines are the hardware's approximations, as in HIP.
#pragma once

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

// NAME of a double and NAMEf of a float, and the overload that C++ has.
#define LAYOUTALG_HIP_MATH_1(NAME, BUILTIN)                                       \
    LAYOUTALG_HIP float NAME##f(float x) { return BUILTIN(x); }                    \
    LAYOUTALG_HIP float NAME(float x) { return BUILTIN(x); }                       \
    LAYOUTALG_HIP double NAME(double x) { return BUILTIN(x); }
#define LAYOUTALG_HIP_MATH_2(NAME, BUILTIN)                                       \
    LAYOUTALG_HIP float NAME##f(float x, float y) { return BUILTIN(x, y); }        \
    LAYOUTALG_HIP float NAME(float x, float y) { return BUILTIN(x, y); }           \
    LAYOUTALG_HIP double NAME(double x, double y) { return BUILTIN(x, y); }

extern "C++" {
LAYOUTALG_HIP_MATH_1(fabs, __builtin_elementwise_abs)
LAYOUTALG_HIP_MATH_1(floor, __builtin_elementwise_floor)
LAYOUTALG_HIP_MATH_1(ceil, __builtin_elementwise_ceil)
LAYOUTALG_HIP_MATH_1(trunc, __builtin_elementwise_trunc)
LAYOUTALG_HIP_MATH_1(rint, __builtin_elementwise_rint)
LAYOUTALG_HIP_MATH_1(nearbyint, __builtin_elementwise_nearbyint)
LAYOUTALG_HIP_MATH_1(round, __builtin_elementwise_round)
LAYOUTALG_HIP_MATH_1(sqrt, __builtin_elementwise_sqrt)
LAYOUTALG_HIP_MATH_2(fmax, __builtin_elementwise_maxnum)
LAYOUTALG_HIP_MATH_2(fmin, __builtin_elementwise_minnum)
LAYOUTALG_HIP_MATH_2(copysign, __builtin_elementwise_copysign)
LAYOUTALG_HIP float fmaf(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }
LAYOUTALG_HIP float fma(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }
LAYOUTALG_HIP double fma(double x, double y, double z) { return __builtin_elementwise_fma(x, y, z); }

// Of f32 only: LLVM lowers these of f64 to the library.
LAYOUTALG_HIP float expf(float x) { return __builtin_elementwise_exp(x); }
LAYOUTALG_HIP float exp2f(float x) { return __builtin_elementwise_exp2(x); }
LAYOUTALG_HIP float exp10f(float x) { return __builtin_elementwise_exp10(x); }
LAYOUTALG_HIP float logf(float x) { return __builtin_elementwise_log(x); }
LAYOUTALG_HIP float log2f(float x) { return __builtin_elementwise_log2(x); }
LAYOUTALG_HIP float log10f(float x) { return __builtin_elementwise_log10(x); }
LAYOUTALG_HIP float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
LAYOUTALG_HIP float __expf(float x) { return __builtin_amdgcn_exp2f(x * 1.44269504088896340736f); }
LAYOUTALG_HIP float __logf(float x) { return __builtin_amdgcn_logf(x) * 0.693147180559945309417f; }
LAYOUTALG_HIP float __log2f(float x) { return __builtin_amdgcn_logf(x); }
LAYOUTALG_HIP float __sinf(float x) { return __builtin_elementwise_sin(x); }
LAYOUTALG_HIP float __cosf(float x) { return __builtin_elementwise_cos(x); }
LAYOUTALG_HIP float __frcp_rn(float x) { return 1.0f / x; }
LAYOUTALG_HIP float __fsqrt_rn(float x) { return __builtin_elementwise_sqrt(x); }
LAYOUTALG_HIP float __fdividef(float x, float y) { return x / y; }
LAYOUTALG_HIP float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
LAYOUTALG_HIP int __float2int_rn(float x) { return (int)__builtin_elementwise_rint(x); }
LAYOUTALG_HIP int __float2int_rz(float x) { return (int)x; }
LAYOUTALG_HIP int __float2int_rd(float x) { return (int)__builtin_elementwise_floor(x); }
LAYOUTALG_HIP int __float2int_ru(float x) { return (int)__builtin_elementwise_ceil(x); }
LAYOUTALG_HIP float __int2float_rn(int x) { return (float)x; }
LAYOUTALG_HIP long lrintf(float x) { return (long)__builtin_elementwise_rint(x); }
LAYOUTALG_HIP bool isnan(float x) { return __builtin_isnan(x); }
LAYOUTALG_HIP bool isnan(double x) { return __builtin_isnan(x); }
LAYOUTALG_HIP bool isinf(float x) { return __builtin_isinf(x); }
LAYOUTALG_HIP bool isinf(double x) { return __builtin_isinf(x); }
LAYOUTALG_HIP bool isfinite(float x) { return __builtin_isfinite(x); }

#define LAYOUTALG_HIP_ORDER(T)                                   \
    LAYOUTALG_HIP T min(T a, T b) { return b < a ? b : a; }      \
    LAYOUTALG_HIP T max(T a, T b) { return a < b ? b : a; }
LAYOUTALG_HIP_ORDER(int)
LAYOUTALG_HIP_ORDER(unsigned)
LAYOUTALG_HIP_ORDER(long)
LAYOUTALG_HIP_ORDER(unsigned long)
LAYOUTALG_HIP_ORDER(long long)
LAYOUTALG_HIP_ORDER(unsigned long long)
LAYOUTALG_HIP float min(float a, float b) { return fminf(a, b); }
LAYOUTALG_HIP float max(float a, float b) { return fmaxf(a, b); }
LAYOUTALG_HIP double min(double a, double b) { return fmin(a, b); }
LAYOUTALG_HIP double max(double a, double b) { return fmax(a, b); }
LAYOUTALG_HIP int abs(int x) { return x < 0 ? -x : x; }
LAYOUTALG_HIP float abs(float x) { return fabsf(x); }
LAYOUTALG_HIP double abs(double x) { return fabs(x); }

// What AMD's device library (ocml) has to be linked for: declared, so that headers that name it can be read. A kernel
// that needs one does not link, and the linker names it.
#define LAYOUTALG_HIP_OCML_1(NAME)                                                    \
    extern "C" __device__ _Float16 __ocml_##NAME##_f16(_Float16);                      \
    extern "C" __device__ float __ocml_##NAME##_f32(float);                            \
    extern "C" __device__ double __ocml_##NAME##_f64(double);
#define LAYOUTALG_HIP_OCML_2(NAME)                                                    \
    extern "C" __device__ _Float16 __ocml_##NAME##_f16(_Float16, _Float16);            \
    extern "C" __device__ float __ocml_##NAME##_f32(float, float);                     \
    extern "C" __device__ double __ocml_##NAME##_f64(double, double);
#define LAYOUTALG_HIP_OF_OCML_1(NAME)                                                 \
    LAYOUTALG_HIP_OCML_1(NAME)                                                         \
    LAYOUTALG_HIP float NAME##f(float x) { return __ocml_##NAME##_f32(x); }            \
    LAYOUTALG_HIP float NAME(float x) { return __ocml_##NAME##_f32(x); }               \
    LAYOUTALG_HIP double NAME(double x) { return __ocml_##NAME##_f64(x); }
#define LAYOUTALG_HIP_OF_OCML_2(NAME)                                                 \
    LAYOUTALG_HIP_OCML_2(NAME)                                                         \
    LAYOUTALG_HIP float NAME##f(float x, float y) { return __ocml_##NAME##_f32(x, y); } \
    LAYOUTALG_HIP float NAME(float x, float y) { return __ocml_##NAME##_f32(x, y); }   \
    LAYOUTALG_HIP double NAME(double x, double y) { return __ocml_##NAME##_f64(x, y); }
LAYOUTALG_HIP_OF_OCML_1(sin)
LAYOUTALG_HIP_OF_OCML_1(cos)
LAYOUTALG_HIP_OF_OCML_1(tan)
LAYOUTALG_HIP_OF_OCML_1(asin)
LAYOUTALG_HIP_OF_OCML_1(acos)
LAYOUTALG_HIP_OF_OCML_1(atan)
LAYOUTALG_HIP_OF_OCML_1(sinh)
LAYOUTALG_HIP_OF_OCML_1(cosh)
LAYOUTALG_HIP_OF_OCML_1(tanh)
LAYOUTALG_HIP_OF_OCML_1(asinh)
LAYOUTALG_HIP_OF_OCML_1(acosh)
LAYOUTALG_HIP_OF_OCML_1(atanh)
LAYOUTALG_HIP_OF_OCML_1(erf)
LAYOUTALG_HIP_OF_OCML_1(erfc)
LAYOUTALG_HIP_OF_OCML_1(expm1)
LAYOUTALG_HIP_OF_OCML_1(log1p)
LAYOUTALG_HIP_OF_OCML_1(cbrt)
LAYOUTALG_HIP_OF_OCML_1(tgamma)
LAYOUTALG_HIP_OF_OCML_1(lgamma)
LAYOUTALG_HIP_OF_OCML_2(pow)
LAYOUTALG_HIP_OF_OCML_2(fmod)
LAYOUTALG_HIP_OF_OCML_2(remainder)
LAYOUTALG_HIP_OF_OCML_2(atan2)
LAYOUTALG_HIP_OF_OCML_2(hypot)

// Those that LLVM lowers for halves too.
#define LAYOUTALG_HIP_HALF_OCML(NAME, BUILTIN) \
    extern "C" __device__ inline _Float16 __ocml_##NAME##_f16(_Float16 x) { return BUILTIN(x); }
LAYOUTALG_HIP_HALF_OCML(ceil, __builtin_elementwise_ceil)
LAYOUTALG_HIP_HALF_OCML(floor, __builtin_elementwise_floor)
LAYOUTALG_HIP_HALF_OCML(trunc, __builtin_elementwise_trunc)
LAYOUTALG_HIP_HALF_OCML(rint, __builtin_elementwise_rint)
LAYOUTALG_HIP_HALF_OCML(round, __builtin_elementwise_round)
LAYOUTALG_HIP_HALF_OCML(sqrt, __builtin_elementwise_sqrt)
LAYOUTALG_HIP_HALF_OCML(fabs, __builtin_elementwise_abs)

// Of f64 only: LLVM lowers those of f32, and those of f16 are f32's, rounded.
#define LAYOUTALG_HIP_DOUBLE_OF_OCML(NAME)                                            \
    extern "C" __device__ double __ocml_##NAME##_f64(double);                          \
    LAYOUTALG_HIP float NAME(float x) { return NAME##f(x); }                           \
    LAYOUTALG_HIP double NAME(double x) { return __ocml_##NAME##_f64(x); }
#define LAYOUTALG_HIP_LOWERED_OCML(NAME, BUILTIN)                                               \
    extern "C" __device__ inline _Float16 __ocml_##NAME##_f16(_Float16 x) {                    \
        return (_Float16)BUILTIN((float)x);                                                      \
    }                                                                                            \
    extern "C" __device__ inline float __ocml_##NAME##_f32(float x) { return BUILTIN(x); }       \
    LAYOUTALG_HIP_DOUBLE_OF_OCML(NAME)
LAYOUTALG_HIP_LOWERED_OCML(exp, __builtin_elementwise_exp)
LAYOUTALG_HIP_LOWERED_OCML(exp2, __builtin_elementwise_exp2)
LAYOUTALG_HIP_LOWERED_OCML(exp10, __builtin_elementwise_exp10)
LAYOUTALG_HIP_LOWERED_OCML(log, __builtin_elementwise_log)
LAYOUTALG_HIP_LOWERED_OCML(log2, __builtin_elementwise_log2)
LAYOUTALG_HIP_LOWERED_OCML(log10, __builtin_elementwise_log10)
LAYOUTALG_HIP_DOUBLE_OF_OCML(rsqrt)
}
