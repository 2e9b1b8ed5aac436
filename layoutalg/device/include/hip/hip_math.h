// The mathematical functions of HIP: of a float NAMEf, of a double NAME, and NAME of both as C++ has it, `std`
// included.
//
// Those of one or a few instructions are clang's own and exact; the others are of AMD's device library, or of hip/ocml
// in its place: see hip_ocml.h for how exact these are. Those that begin with two underlines are the hardware's
// approximations, as in HIP, or end in _rn and are rounded once. Of the directed ones, __fadd_rd and its kin, none is
// here, as in HIP without OCML_BASIC_ROUNDED_OPERATIONS.
#pragma once

#if __has_include(<cmath>)
#include <cmath>  // the host's functions of the same names; it comes first, since it undefines C's macros
#endif

#include <hip/hip_ocml.h>

#if !defined(INFINITY)
#define INFINITY __builtin_inff()
#endif
#if !defined(NAN)
#define NAN __builtin_nanf("")
#endif

extern "C++" {

// Types that are numbers, and what several of them are together.
template <bool, typename T>
struct layoutalg_enable {};
template <typename T>
struct layoutalg_enable<true, T> {
    typedef T type;
};
template <typename A, typename B>
using layoutalg_mixed = typename layoutalg_enable<
    __is_arithmetic(A) && __is_arithmetic(B) && !(__is_same(A, B) && __is_floating_point(A)), double>::type;
template <typename A>
using layoutalg_whole = typename layoutalg_enable<__is_integral(A), double>::type;

#define LAYOUTALG_HIP_MATH_1(NAME, OF_FLOAT, OF_DOUBLE)                             \
    LAYOUTALG_HIP float NAME##f(float x) { return OF_FLOAT(x); }                     \
    LAYOUTALG_HIP float NAME(float x) { return OF_FLOAT(x); }                        \
    LAYOUTALG_HIP double NAME(double x) { return OF_DOUBLE(x); }                     \
    template <typename A>                                                            \
    LAYOUTALG_HIP layoutalg_whole<A> NAME(A x) {                                     \
        return OF_DOUBLE((double)x);                                                 \
    }
#define LAYOUTALG_HIP_MATH_2(NAME, OF_FLOAT, OF_DOUBLE)                             \
    LAYOUTALG_HIP float NAME##f(float x, float y) { return OF_FLOAT(x, y); }         \
    LAYOUTALG_HIP float NAME(float x, float y) { return OF_FLOAT(x, y); }            \
    LAYOUTALG_HIP double NAME(double x, double y) { return OF_DOUBLE(x, y); }        \
    template <typename A, typename B>                                                \
    LAYOUTALG_HIP layoutalg_mixed<A, B> NAME(A x, B y) {                             \
        return OF_DOUBLE((double)x, (double)y);                                      \
    }
#define LAYOUTALG_HIP_BUILTIN_1(NAME, BUILTIN) LAYOUTALG_HIP_MATH_1(NAME, BUILTIN, BUILTIN)
#define LAYOUTALG_HIP_BUILTIN_2(NAME, BUILTIN) LAYOUTALG_HIP_MATH_2(NAME, BUILTIN, BUILTIN)
#define LAYOUTALG_HIP_OCML_1(NAME, OCML) LAYOUTALG_HIP_MATH_1(NAME, __ocml_##OCML##_f32, __ocml_##OCML##_f64)
#define LAYOUTALG_HIP_OCML_2(NAME, OCML) LAYOUTALG_HIP_MATH_2(NAME, __ocml_##OCML##_f32, __ocml_##OCML##_f64)

LAYOUTALG_HIP_BUILTIN_1(fabs, __builtin_elementwise_abs)
LAYOUTALG_HIP_BUILTIN_1(floor, __builtin_elementwise_floor)
LAYOUTALG_HIP_BUILTIN_1(ceil, __builtin_elementwise_ceil)
LAYOUTALG_HIP_BUILTIN_1(trunc, __builtin_elementwise_trunc)
LAYOUTALG_HIP_BUILTIN_1(rint, __builtin_elementwise_rint)
LAYOUTALG_HIP_BUILTIN_1(nearbyint, __builtin_elementwise_nearbyint)
LAYOUTALG_HIP_BUILTIN_1(round, __builtin_elementwise_round)
LAYOUTALG_HIP_BUILTIN_1(sqrt, __builtin_elementwise_sqrt)
LAYOUTALG_HIP_BUILTIN_2(fmax, __builtin_elementwise_maxnum)
LAYOUTALG_HIP_BUILTIN_2(fmin, __builtin_elementwise_minnum)
LAYOUTALG_HIP_BUILTIN_2(copysign, __builtin_elementwise_copysign)
LAYOUTALG_HIP float fmaf(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }
LAYOUTALG_HIP float fma(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }
LAYOUTALG_HIP double fma(double x, double y, double z) { return __builtin_elementwise_fma(x, y, z); }

// --- of the device library -------------------------------------------------------------------------------------------

LAYOUTALG_HIP_OCML_1(sin, sin)
LAYOUTALG_HIP_OCML_1(cos, cos)
LAYOUTALG_HIP_OCML_1(tan, tan)
LAYOUTALG_HIP_OCML_1(asin, asin)
LAYOUTALG_HIP_OCML_1(acos, acos)
LAYOUTALG_HIP_OCML_1(atan, atan)
LAYOUTALG_HIP_OCML_1(sinpi, sinpi)
LAYOUTALG_HIP_OCML_1(cospi, cospi)
LAYOUTALG_HIP_OCML_1(sinh, sinh)
LAYOUTALG_HIP_OCML_1(cosh, cosh)
LAYOUTALG_HIP_OCML_1(tanh, tanh)
LAYOUTALG_HIP_OCML_1(asinh, asinh)
LAYOUTALG_HIP_OCML_1(acosh, acosh)
LAYOUTALG_HIP_OCML_1(atanh, atanh)
LAYOUTALG_HIP_OCML_1(exp, exp)
LAYOUTALG_HIP_OCML_1(exp2, exp2)
LAYOUTALG_HIP_OCML_1(exp10, exp10)
LAYOUTALG_HIP_OCML_1(expm1, expm1)
LAYOUTALG_HIP_OCML_1(log, log)
LAYOUTALG_HIP_OCML_1(log2, log2)
LAYOUTALG_HIP_OCML_1(log10, log10)
LAYOUTALG_HIP_OCML_1(log1p, log1p)
LAYOUTALG_HIP_OCML_1(erf, erf)
LAYOUTALG_HIP_OCML_1(erfc, erfc)
LAYOUTALG_HIP_OCML_1(erfcx, erfcx)
LAYOUTALG_HIP_OCML_1(erfinv, erfinv)
LAYOUTALG_HIP_OCML_1(erfcinv, erfcinv)
LAYOUTALG_HIP_OCML_1(cbrt, cbrt)
LAYOUTALG_HIP_OCML_1(rcbrt, rcbrt)
LAYOUTALG_HIP_OCML_1(rsqrt, rsqrt)
LAYOUTALG_HIP_OCML_1(tgamma, tgamma)
LAYOUTALG_HIP_OCML_1(lgamma, lgamma)
LAYOUTALG_HIP_OCML_1(j0, j0)
LAYOUTALG_HIP_OCML_1(j1, j1)
LAYOUTALG_HIP_OCML_1(y0, y0)
LAYOUTALG_HIP_OCML_1(y1, y1)
LAYOUTALG_HIP_OCML_1(normcdf, ncdf)
LAYOUTALG_HIP_OCML_1(normcdfinv, ncdfinv)
LAYOUTALG_HIP_OCML_1(cyl_bessel_i0, i0)
LAYOUTALG_HIP_OCML_1(cyl_bessel_i1, i1)
LAYOUTALG_HIP_OCML_2(pow, pow)
LAYOUTALG_HIP_OCML_2(fmod, fmod)
LAYOUTALG_HIP_OCML_2(remainder, remainder)
LAYOUTALG_HIP_OCML_2(atan2, atan2)
LAYOUTALG_HIP_OCML_2(hypot, hypot)
LAYOUTALG_HIP_OCML_2(rhypot, rhypot)

LAYOUTALG_HIP float powif(float x, int n) { return __ocml_pown_f32(x, n); }
LAYOUTALG_HIP double powi(double x, int n) { return __ocml_pown_f64(x, n); }
LAYOUTALG_HIP float pow(float x, int n) { return __ocml_pown_f32(x, n); }
LAYOUTALG_HIP double pow(double x, int n) { return __ocml_pown_f64(x, n); }

// T is the type, S the name's ending, F the library's.
#define LAYOUTALG_HIP_OF_TYPE(T, S, F)                                                                              \
    LAYOUTALG_HIP T norm3d##S(T x, T y, T z) { return __ocml_len3_##F(x, y, z); }                                    \
    LAYOUTALG_HIP T norm4d##S(T x, T y, T z, T w) { return __ocml_len4_##F(x, y, z, w); }                            \
    LAYOUTALG_HIP T rnorm3d##S(T x, T y, T z) { return __ocml_rlen3_##F(x, y, z); }                                  \
    LAYOUTALG_HIP T rnorm4d##S(T x, T y, T z, T w) { return __ocml_rlen4_##F(x, y, z, w); }                          \
    LAYOUTALG_HIP T norm##S(int length, const T* x) {                                                                \
        T squares = 0;                                                                                               \
        for (int k = 0; k < length; k++) squares += x[k] * x[k];                                                     \
        return sqrt(squares);                                                                                        \
    }                                                                                                                \
    LAYOUTALG_HIP T rnorm##S(int length, const T* x) { return rsqrt(norm##S(length, x) * norm##S(length, x)); }      \
    LAYOUTALG_HIP void sincos##S(T x, T* sine, T* cosine) {                                                          \
        T other;                                                                                                     \
        *sine = __ocml_sincos_##F(x, (LAYOUTALG_OCML_PRIVATE(T)) & other);                                           \
        *cosine = other;                                                                                             \
    }                                                                                                                \
    LAYOUTALG_HIP void sincospi##S(T x, T* sine, T* cosine) {                                                        \
        T other;                                                                                                     \
        *sine = __ocml_sincospi_##F(x, (LAYOUTALG_OCML_PRIVATE(T)) & other);                                         \
        *cosine = other;                                                                                             \
    }                                                                                                                \
    LAYOUTALG_HIP T layoutalg_remquo(T x, T y, int* quotient) {                                                      \
        int last;                                                                                                    \
        T rest = __ocml_remquo_##F(x, y, (LAYOUTALG_OCML_PRIVATE(int)) & last);                                      \
        *quotient = last;                                                                                            \
        return rest;                                                                                                 \
    }
LAYOUTALG_HIP_OF_TYPE(float, f, f32)
LAYOUTALG_HIP_OF_TYPE(double, , f64)

// --- a number's parts ------------------------------------------------------------------------------------------------

// Of both types alike; NAMEf and NAME of a float follow.
template <typename T>
LAYOUTALG_HIP T layoutalg_frexp(T x, int* exponent) {
    int found;
    T mantissa = sizeof(T) == 4 ? (T)__builtin_frexpf((float)x, &found) : (T)__builtin_frexp((double)x, &found);
    *exponent = found;
    return mantissa;
}
template <typename T>
LAYOUTALG_HIP T layoutalg_modf(T x, T* whole) {
    *whole = __builtin_elementwise_trunc(x);
    return __builtin_elementwise_copysign(__builtin_isinf(x) ? (T)0 : x - *whole, x);
}
template <typename T>
LAYOUTALG_HIP int layoutalg_ilogb(T x) {
    int exponent;
    layoutalg_frexp(x, &exponent);
    return x == 0 ? -__INT_MAX__ - 1 : __builtin_isfinite(x) ? exponent - 1 : __INT_MAX__;
}
template <typename T>
LAYOUTALG_HIP T layoutalg_logb(T x) {
    if (x == 0) return -(T)__builtin_inf();
    return __builtin_isfinite(x) ? (T)layoutalg_ilogb(x) : x * x;
}
LAYOUTALG_HIP float layoutalg_next(float x, float up) {
    int bits = __builtin_bit_cast(int, x);
    return __builtin_bit_cast(float, bits + ((x > 0) == (up > x) ? 1 : -1));
}
LAYOUTALG_HIP double layoutalg_next(double x, double up) {
    long long bits = __builtin_bit_cast(long long, x);
    return __builtin_bit_cast(double, bits + ((x > 0) == (up > x) ? 1 : -1));
}
template <typename T>
LAYOUTALG_HIP T layoutalg_nextafter(T x, T y) {
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    return x == 0 ? __builtin_elementwise_copysign(layoutalg_next((T)0, (T)-1), y) : layoutalg_next(x, y);
}
template <typename T>
LAYOUTALG_HIP T layoutalg_fdim(T x, T y) {
    return x != x || y != y ? x + y : x > y ? x - y : 0;
}
LAYOUTALG_HIP float layoutalg_ldexp(float x, int exponent) { return __builtin_ldexpf(x, exponent); }
LAYOUTALG_HIP double layoutalg_ldexp(double x, int exponent) { return __builtin_ldexp(x, exponent); }
LAYOUTALG_HIP int layoutalg_as_int(long exponent) {
    return (int)(exponent < -5000 ? -5000 : exponent > 5000 ? 5000 : exponent);
}

#define LAYOUTALG_HIP_PARTS(T, S)                                                                       \
    LAYOUTALG_HIP T frexp##S(T x, int* exponent) { return layoutalg_frexp(x, exponent); }                \
    LAYOUTALG_HIP T modf##S(T x, T* whole) { return layoutalg_modf(x, whole); }                          \
    LAYOUTALG_HIP int ilogb##S(T x) { return layoutalg_ilogb(x); }                                       \
    LAYOUTALG_HIP T logb##S(T x) { return layoutalg_logb(x); }                                           \
    LAYOUTALG_HIP T nextafter##S(T x, T y) { return layoutalg_nextafter(x, y); }                         \
    LAYOUTALG_HIP T fdim##S(T x, T y) { return layoutalg_fdim(x, y); }                                   \
    LAYOUTALG_HIP T ldexp##S(T x, int exponent) { return layoutalg_ldexp(x, exponent); }                 \
    LAYOUTALG_HIP T scalbn##S(T x, int exponent) { return layoutalg_ldexp(x, exponent); }                \
    LAYOUTALG_HIP T scalbln##S(T x, long exponent) { return layoutalg_ldexp(x, layoutalg_as_int(exponent)); } \
    LAYOUTALG_HIP T remquo##S(T x, T y, int* quotient) { return layoutalg_remquo(x, y, quotient); }      \
    LAYOUTALG_HIP long lrint##S(T x) { return (long)__builtin_elementwise_rint(x); }                     \
    LAYOUTALG_HIP long long llrint##S(T x) { return (long long)__builtin_elementwise_rint(x); }          \
    LAYOUTALG_HIP long lround##S(T x) { return (long)__builtin_elementwise_round(x); }                   \
    LAYOUTALG_HIP long long llround##S(T x) { return (long long)__builtin_elementwise_round(x); }
LAYOUTALG_HIP_PARTS(float, f)
LAYOUTALG_HIP_PARTS(float, )
LAYOUTALG_HIP_PARTS(double, )

#define LAYOUTALG_HIP_CLASSES(T)                                           \
    LAYOUTALG_HIP bool isnan(T x) { return __builtin_isnan(x); }            \
    LAYOUTALG_HIP bool isinf(T x) { return __builtin_isinf(x); }            \
    LAYOUTALG_HIP bool isfinite(T x) { return __builtin_isfinite(x); }      \
    LAYOUTALG_HIP bool isnormal(T x) { return __builtin_isnormal(x); }      \
    LAYOUTALG_HIP bool signbit(T x) { return __builtin_signbit(x); }
LAYOUTALG_HIP_CLASSES(float)
LAYOUTALG_HIP_CLASSES(double)
LAYOUTALG_HIP float nanf(const char*) { return __builtin_nanf(""); }
LAYOUTALG_HIP double nan(const char*) { return __builtin_nan(""); }

// --- approximations and single roundings -----------------------------------------------------------------------------

LAYOUTALG_HIP float __exp10f(float x) { return __builtin_amdgcn_exp2f(x * 3.32192809488736234787f); }
LAYOUTALG_HIP float __expf(float x) { return __builtin_amdgcn_exp2f(x * 1.44269504088896340736f); }
LAYOUTALG_HIP float __logf(float x) { return __builtin_amdgcn_logf(x) * 0.693147180559945309417f; }
LAYOUTALG_HIP float __log2f(float x) { return __builtin_amdgcn_logf(x); }
LAYOUTALG_HIP float __log10f(float x) { return __builtin_amdgcn_logf(x) * 0.301029995663981195214f; }
LAYOUTALG_HIP float __powf(float x, float y) { return __builtin_amdgcn_exp2f(y * __builtin_amdgcn_logf(x)); }
LAYOUTALG_HIP float __sinf(float x) { return __builtin_elementwise_sin(x); }
LAYOUTALG_HIP float __cosf(float x) { return __builtin_elementwise_cos(x); }
LAYOUTALG_HIP float __tanf(float x) { return __sinf(x) * __builtin_amdgcn_rcpf(__cosf(x)); }
LAYOUTALG_HIP void __sincosf(float x, float* sine, float* cosine) { *sine = __sinf(x), *cosine = __cosf(x); }
LAYOUTALG_HIP float __fdividef(float x, float y) { return x / y; }
LAYOUTALG_HIP float fdividef(float x, float y) { return x / y; }
LAYOUTALG_HIP float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
LAYOUTALG_HIP float __frsqrt_rn(float x) { return __builtin_amdgcn_rsqf(x); }

#define LAYOUTALG_HIP_ROUNDED(T, NAME, RESULT)   \
    LAYOUTALG_HIP T NAME(T x, T y) {             \
        _Pragma("clang fp contract(off)");       \
        return RESULT;                           \
    }
LAYOUTALG_HIP_ROUNDED(float, __fadd_rn, x + y)
LAYOUTALG_HIP_ROUNDED(float, __fsub_rn, x - y)
LAYOUTALG_HIP_ROUNDED(float, __fmul_rn, x * y)
LAYOUTALG_HIP_ROUNDED(float, __fdiv_rn, x / y)
LAYOUTALG_HIP_ROUNDED(double, __dadd_rn, x + y)
LAYOUTALG_HIP_ROUNDED(double, __dsub_rn, x - y)
LAYOUTALG_HIP_ROUNDED(double, __dmul_rn, x * y)
LAYOUTALG_HIP_ROUNDED(double, __ddiv_rn, x / y)
LAYOUTALG_HIP float __frcp_rn(float x) { return 1.0f / x; }
LAYOUTALG_HIP double __drcp_rn(double x) { return 1.0 / x; }
LAYOUTALG_HIP float __fsqrt_rn(float x) { return __builtin_elementwise_sqrt(x); }
LAYOUTALG_HIP double __dsqrt_rn(double x) { return __builtin_elementwise_sqrt(x); }
LAYOUTALG_HIP float __fmaf_rn(float x, float y, float z) { return __builtin_elementwise_fma(x, y, z); }
LAYOUTALG_HIP double __fma_rn(double x, double y, double z) { return __builtin_elementwise_fma(x, y, z); }

// --- order -----------------------------------------------------------------------------------------------------------

#define LAYOUTALG_HIP_HOST_TOO static inline __host__ __device__ __attribute__((always_inline))
#define LAYOUTALG_HIP_ORDER(T, LESS, MORE)                               \
    LAYOUTALG_HIP_HOST_TOO T min(T a, T b) { return LESS; }              \
    LAYOUTALG_HIP_HOST_TOO T max(T a, T b) { return MORE; }
LAYOUTALG_HIP_ORDER(int, b < a ? b : a, a < b ? b : a)
LAYOUTALG_HIP_ORDER(unsigned, b < a ? b : a, a < b ? b : a)
LAYOUTALG_HIP_ORDER(long, b < a ? b : a, a < b ? b : a)
LAYOUTALG_HIP_ORDER(unsigned long, b < a ? b : a, a < b ? b : a)
LAYOUTALG_HIP_ORDER(long long, b < a ? b : a, a < b ? b : a)
LAYOUTALG_HIP_ORDER(unsigned long long, b < a ? b : a, a < b ? b : a)
LAYOUTALG_HIP_ORDER(float, __builtin_fminf(a, b), __builtin_fmaxf(a, b))
LAYOUTALG_HIP_ORDER(double, __builtin_fmin(a, b), __builtin_fmax(a, b))
// Of two types: what C's arithmetic makes of both.
template <typename A, typename B>
using layoutalg_common = typename layoutalg_enable<
    __is_arithmetic(A) && __is_arithmetic(B) && !__is_same(A, B), decltype(A() + B())>::type;
template <typename A, typename B>
LAYOUTALG_HIP_HOST_TOO layoutalg_common<A, B> min(A a, B b) {
    return min((layoutalg_common<A, B>)a, (layoutalg_common<A, B>)b);
}
template <typename A, typename B>
LAYOUTALG_HIP_HOST_TOO layoutalg_common<A, B> max(A a, B b) {
    return max((layoutalg_common<A, B>)a, (layoutalg_common<A, B>)b);
}
LAYOUTALG_HIP unsigned umin(unsigned a, unsigned b) { return min(a, b); }
LAYOUTALG_HIP unsigned umax(unsigned a, unsigned b) { return max(a, b); }
LAYOUTALG_HIP long long llmin(long long a, long long b) { return min(a, b); }
LAYOUTALG_HIP long long llmax(long long a, long long b) { return max(a, b); }
LAYOUTALG_HIP unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
LAYOUTALG_HIP unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
LAYOUTALG_HIP int abs(int x) { return x < 0 ? -x : x; }
LAYOUTALG_HIP long abs(long x) { return x < 0 ? -x : x; }
LAYOUTALG_HIP long long abs(long long x) { return x < 0 ? -x : x; }
LAYOUTALG_HIP long labs(long x) { return x < 0 ? -x : x; }
LAYOUTALG_HIP long long llabs(long long x) { return x < 0 ? -x : x; }
LAYOUTALG_HIP float abs(float x) { return fabsf(x); }
LAYOUTALG_HIP double abs(double x) { return fabs(x); }

}  // extern "C++"

// The same names in std, as <cmath> has them of the host.
namespace std {
using ::fabs;
using ::fabsf;
using ::floor;
using ::floorf;
using ::ceil;
using ::ceilf;
using ::trunc;
using ::truncf;
using ::rint;
using ::rintf;
using ::nearbyint;
using ::nearbyintf;
using ::round;
using ::roundf;
using ::sqrt;
using ::sqrtf;
using ::fmax;
using ::fmaxf;
using ::fmin;
using ::fminf;
using ::copysign;
using ::copysignf;
using ::fma;
using ::fmaf;
using ::sin;
using ::sinf;
using ::cos;
using ::cosf;
using ::tan;
using ::tanf;
using ::asin;
using ::asinf;
using ::acos;
using ::acosf;
using ::atan;
using ::atanf;
using ::sinh;
using ::sinhf;
using ::cosh;
using ::coshf;
using ::tanh;
using ::tanhf;
using ::asinh;
using ::asinhf;
using ::acosh;
using ::acoshf;
using ::atanh;
using ::atanhf;
using ::exp;
using ::expf;
using ::exp2;
using ::exp2f;
using ::expm1;
using ::expm1f;
using ::log;
using ::logf;
using ::log2;
using ::log2f;
using ::log10;
using ::log10f;
using ::log1p;
using ::log1pf;
using ::erf;
using ::erff;
using ::erfc;
using ::erfcf;
using ::cbrt;
using ::cbrtf;
using ::tgamma;
using ::tgammaf;
using ::lgamma;
using ::lgammaf;
using ::pow;
using ::powf;
using ::fmod;
using ::fmodf;
using ::remainder;
using ::remainderf;
using ::atan2;
using ::atan2f;
using ::hypot;
using ::hypotf;
using ::frexp;
using ::frexpf;
using ::modf;
using ::modff;
using ::ilogb;
using ::ilogbf;
using ::logb;
using ::logbf;
using ::nextafter;
using ::nextafterf;
using ::fdim;
using ::fdimf;
using ::ldexp;
using ::ldexpf;
using ::scalbn;
using ::scalbnf;
using ::scalbln;
using ::scalblnf;
using ::remquo;
using ::remquof;
using ::lrint;
using ::lrintf;
using ::llrint;
using ::llrintf;
using ::lround;
using ::lroundf;
using ::llround;
using ::llroundf;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::isnormal;
using ::signbit;
using ::abs;
using ::labs;
using ::llabs;
}  // namespace std
