// AMD's device library of mathematics by its own names, `__ocml_NAME_f32` …, which HIP's functions call.
//
// Where the compile links AMD's bitcode (LAYOUTALG_OCML), they are declared; else hip/ocml has them, by algorithms of
// its own. All of hip/ocml is of doubles; a float's or a half's function is the double's, rounded. Largest errors seen,
// over the samples of `tests/device/test_ocml.py`, in ulp of double (of float: 0.5 and what rounding twice adds):
//
// | functions | ulp |
// |---|---|
// | exp, exp2, exp10, expm1, pow, pown, sin, cos, tan, sinpi, cospi, sinh, cosh, tanh | 0.8 |
// | log, log2, log10, log1p, asinh, acosh, atanh, cbrt, rcbrt | 0.51 |
// | asin, acos, atan, atan2, tgamma, hypot, len3, len4, rhypot, rlen3, rlen4, rsqrt | 0.9 |
// | erf, erfc, erfcx, ncdf, erfinv, erfcinv, ncdfinv, lgamma of positive numbers | 3 |
// | fmod, remainder, remquo | exact |
//
// lgamma of negative numbers is within 4e-16 of the exact value, which vanishes now and then. exp, exp2, exp10, log,
// log2 and log10 of a float are LLVM's own lowering, about 1 ulp, and rsqrt of a float is V_RSQ_F32. What hip/ocml has
// not (Bessel's functions) is declared all the same: a kernel that calls it does not link, and the linker names it.
#pragma once

#if defined(LAYOUTALG_OCML)
#define LAYOUTALG_OCML_FUNCTION(T, NAME, ...) extern "C" __device__ T __ocml_##NAME(__VA_ARGS__)
#define LAYOUTALG_OCML_IS(...) ;
#else
#include <hip/ocml/roots.h>
#include <hip/ocml/special.h>
#define LAYOUTALG_OCML_FUNCTION(T, NAME, ...) \
    extern "C" __device__ inline __attribute__((always_inline)) T __ocml_##NAME(__VA_ARGS__)
#define LAYOUTALG_OCML_IS(...) { return __VA_ARGS__; }
#endif
#define LAYOUTALG_OCML_PRIVATE(T) __attribute__((address_space(5))) T*

// A function of one, two, three or four numbers of a type T that has the ending F.
#define LAYOUTALG_OCML_OF_1(F, T, NAME) \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x) LAYOUTALG_OCML_IS((T)layoutalg_ocml::NAME((double)x))
#define LAYOUTALG_OCML_OF_2(F, T, NAME)                       \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x, T y)           \
    LAYOUTALG_OCML_IS((T)layoutalg_ocml::NAME((double)x, (double)y))
#define LAYOUTALG_OCML_OF_3(F, T, NAME)                       \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x, T y, T z)      \
    LAYOUTALG_OCML_IS((T)layoutalg_ocml::NAME((double)x, (double)y, (double)z))
#define LAYOUTALG_OCML_OF_4(F, T, NAME)                          \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x, T y, T z, T w)    \
    LAYOUTALG_OCML_IS((T)layoutalg_ocml::NAME((double)x, (double)y, (double)z, (double)w))
#define LAYOUTALG_OCML_SINCOS(F, T, NAME)                                              \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x, LAYOUTALG_OCML_PRIVATE(T) cosine)       \
    LAYOUTALG_OCML_IS((T)layoutalg_ocml::NAME((double)x, cosine))
#define LAYOUTALG_OCML_REMQUO(F, T, NAME)                                               \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x, T y, LAYOUTALG_OCML_PRIVATE(int) last)   \
    LAYOUTALG_OCML_IS((T)layoutalg_ocml::NAME((double)x, (double)y, last))
#define LAYOUTALG_OCML_POWN(F, T, NAME)                                                  \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x, int n)                                    \
    LAYOUTALG_OCML_IS((T)layoutalg_ocml::pow((double)x, (double)n))
#define LAYOUTALG_OCML_TYPES(OF, NAME)  \
    OF(f16, _Float16, NAME)       \
    OF(f32, float, NAME)          \
    OF(f64, double, NAME)

LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, acos)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, acosh)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, asin)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, asinh)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, atan)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, atanh)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, cbrt)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, cos)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, cosh)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, cospi)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, erf)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, erfc)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, erfcinv)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, erfcx)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, erfinv)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, expm1)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, lgamma)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, log1p)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, ncdf)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, ncdfinv)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, rcbrt)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, sin)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, sinh)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, sinpi)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, tan)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, tanh)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_1, tgamma)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_2, atan2)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_2, fmod)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_2, hypot)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_2, pow)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_2, remainder)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_2, rhypot)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_3, len3)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_3, rlen3)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_4, len4)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_OF_4, rlen4)

LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_SINCOS, sincos)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_SINCOS, sincospi)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_REMQUO, remquo)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_POWN, pown)

// V_RSQ_F32 takes a number that is not normal for zero.
LAYOUTALG_HIP float layoutalg_rsqrt(float x) {
    return x < 0x1p-126f ? __builtin_amdgcn_rsqf(x * 0x1p+24f) * 0x1p+12f : __builtin_amdgcn_rsqf(x);
}

// Those that LLVM lowers of floats: a half's is the float's, rounded.
#define LAYOUTALG_OCML_LOWERED(NAME, BUILTIN)                                                               \
    LAYOUTALG_OCML_FUNCTION(_Float16, NAME##_f16, _Float16 x) LAYOUTALG_OCML_IS((_Float16)BUILTIN((float)x))  \
    LAYOUTALG_OCML_FUNCTION(float, NAME##_f32, float x) LAYOUTALG_OCML_IS(BUILTIN(x))                        \
    LAYOUTALG_OCML_OF_1(f64, double, NAME)
LAYOUTALG_OCML_LOWERED(exp, __builtin_elementwise_exp)
LAYOUTALG_OCML_LOWERED(exp2, __builtin_elementwise_exp2)
LAYOUTALG_OCML_LOWERED(exp10, __builtin_elementwise_exp10)
LAYOUTALG_OCML_LOWERED(log, __builtin_elementwise_log)
LAYOUTALG_OCML_LOWERED(log2, __builtin_elementwise_log2)
LAYOUTALG_OCML_LOWERED(log10, __builtin_elementwise_log10)
LAYOUTALG_OCML_LOWERED(rsqrt, layoutalg_rsqrt)

// Those that LLVM lowers of every type.
#define LAYOUTALG_OCML_NATIVE(F, T, NAME) \
    LAYOUTALG_OCML_FUNCTION(T, NAME##_##F, T x) LAYOUTALG_OCML_IS(LAYOUTALG_OCML_BUILTIN_##NAME(x))
#define LAYOUTALG_OCML_BUILTIN_ceil __builtin_elementwise_ceil
#define LAYOUTALG_OCML_BUILTIN_floor __builtin_elementwise_floor
#define LAYOUTALG_OCML_BUILTIN_trunc __builtin_elementwise_trunc
#define LAYOUTALG_OCML_BUILTIN_rint __builtin_elementwise_rint
#define LAYOUTALG_OCML_BUILTIN_round __builtin_elementwise_round
#define LAYOUTALG_OCML_BUILTIN_sqrt __builtin_elementwise_sqrt
#define LAYOUTALG_OCML_BUILTIN_fabs __builtin_elementwise_abs
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, ceil)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, floor)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, trunc)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, rint)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, round)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, sqrt)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_NATIVE, fabs)

// Bessel's functions: AMD's library alone has them.
#define LAYOUTALG_OCML_LACKING(F, T, NAME) extern "C" __device__ T __ocml_##NAME##_##F(T x);
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_LACKING, j0)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_LACKING, j1)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_LACKING, y0)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_LACKING, y1)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_LACKING, i0)
LAYOUTALG_OCML_TYPES(LAYOUTALG_OCML_LACKING, i1)
