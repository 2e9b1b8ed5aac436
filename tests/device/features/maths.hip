//@ maths: of floats
#include <hip/math_functions.h>
extern "C" __global__ void maths_of_floats(float* x, int* n) {
    float a = x[0], b = x[1], c = 0, s, t;
    c += sinf(a) + cosf(a) + tanf(a) + asinf(a) + acosf(a) + atanf(a) + sinhf(a) + coshf(a) + tanhf(a) + asinhf(a) + acoshf(a) + atanhf(a);
    c += expf(a) + exp2f(a) + exp10f(a) + expm1f(a) + logf(a) + log2f(a) + log10f(a) + log1pf(a) + powf(a, b) + powif(a, 3) + sqrtf(a) + rsqrtf(a) + cbrtf(a) + rcbrtf(a);
    c += erff(a) + erfcf(a) + erfcxf(a) + erfinvf(a) + erfcinvf(a) + normcdff(a) + normcdfinvf(a) + tgammaf(a) + lgammaf(a) + sinpif(a) + cospif(a);
    c += fabsf(a) + floorf(a) + ceilf(a) + truncf(a) + rintf(a) + nearbyintf(a) + roundf(a) + fmaf(a, b, c) + fmodf(a, b) + remainderf(a, b) + atan2f(a, b) + hypotf(a, b) + rhypotf(a, b);
    c += fmaxf(a, b) + fminf(a, b) + copysignf(a, b) + fdimf(a, b) + nextafterf(a, b) + ldexpf(a, 3) + scalbnf(a, 3) + scalblnf(a, 3l) + logbf(a) + fdividef(a, b);
    c += norm3df(a, b, c) + norm4df(a, b, c, a) + rnorm3df(a, b, c) + rnorm4df(a, b, c, a) + normf(3, x) + rnormf(3, x) + nanf("");
    sincosf(a, &s, &t); c += s + t; sincospif(a, &s, &t); c += s + t; c += frexpf(a, n) + modff(a, &s) + remquof(a, b, n + 1);
    n[2] = ilogbf(a) + lrintf(a) + llrintf(a) + lroundf(a) + llroundf(a) + isnan(a) + isinf(a) + isfinite(a) + signbit(a);
    c += __expf(a) + __exp10f(a) + __logf(a) + __log2f(a) + __log10f(a) + __powf(a, b) + __sinf(a) + __cosf(a) + __tanf(a) + __fdividef(a, b) + __saturatef(a);
    __sincosf(a, &s, &t); x[2] = c + s + t + INFINITY + NAN;
}

//@ maths: of doubles
#include <hip/hip_runtime.h>
extern "C" __global__ void maths_of_doubles(double* x, int* n) {
    double a = x[0], b = x[1], c = 0, s, t;
    c += sin(a) + cos(a) + tan(a) + asin(a) + acos(a) + atan(a) + sinh(a) + cosh(a) + tanh(a) + asinh(a) + acosh(a) + atanh(a);
    c += exp(a) + exp2(a) + exp10(a) + expm1(a) + log(a) + log2(a) + log10(a) + log1p(a) + pow(a, b) + powi(a, 3) + sqrt(a) + rsqrt(a) + cbrt(a) + rcbrt(a);
    c += erf(a) + erfc(a) + erfcx(a) + erfinv(a) + erfcinv(a) + normcdf(a) + normcdfinv(a) + tgamma(a) + lgamma(a) + sinpi(a) + cospi(a);
    c += fabs(a) + floor(a) + ceil(a) + trunc(a) + rint(a) + nearbyint(a) + round(a) + fma(a, b, c) + fmod(a, b) + remainder(a, b) + atan2(a, b) + hypot(a, b) + rhypot(a, b);
    c += fmax(a, b) + fmin(a, b) + copysign(a, b) + fdim(a, b) + nextafter(a, b) + ldexp(a, 3) + scalbn(a, 3) + scalbln(a, 3l) + logb(a);
    c += norm3d(a, b, c) + norm4d(a, b, c, a) + rnorm3d(a, b, c) + rnorm4d(a, b, c, a) + norm(3, x) + rnorm(3, x) + nan("");
    sincos(a, &s, &t); c += s + t; sincospi(a, &s, &t); c += s + t; c += frexp(a, n) + modf(a, &s) + remquo(a, b, n + 1);
    n[2] = ilogb(a) + lrint(a) + llrint(a) + lround(a) + llround(a) + isnan(a) + isinf(a) + isfinite(a) + signbit(a);
    x[2] = c;
}

//@ maths: the C++ library's names
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <type_traits>
#include <hip/hip_runtime.h>
template <typename T> __device__ T maths_of_std(T a, T b) {
    static_assert(std::is_floating_point<T>::value && std::numeric_limits<T>::has_infinity);
    assert(a > 0);
    T c = std::sin(a) + std::cos(a) + std::exp(a) + std::log(a) + std::sqrt(a) + std::pow(a, b) + std::tanh(a) + std::abs(a) + std::fabs(a);
    c += std::floor(a) + std::ceil(a) + std::fmod(a, b) + std::atan2(a, b) + std::fma(a, b, c) + std::fmax(a, b) + std::cbrt(a) + std::hypot(a, b) + std::erf(a);
    if (std::isnan(c) || std::isinf(c) || !std::isfinite(c)) c = std::numeric_limits<T>::max() + std::numeric_limits<T>::infinity();
    return std::max(c, std::min(a, b)) + std::clamp(a, b, b);
}
extern "C" __global__ void maths_of_std_names(float* x, double* y, int* n) {
    x[0] = maths_of_std(x[1], x[2]) + std::sqrt(n[0]) + std::pow(x[3], 2) + std::abs(n[1]) + std::max(n[2], 3) + std::sinf(x[4]);
    y[0] = maths_of_std(y[1], y[2]);
}

//@ maths: constants
#include <hip/hip_runtime.h>
#include <hip/hip_math_constants.h>
extern "C" __global__ void maths_constants(float* x, double* y) {
    x[0] = HIP_INF_F + HIP_NAN_F + HIP_PI_F + HIP_SQRT_TWO_F + HIP_LN2_F + HIP_MAX_NORMAL_F + HIP_MIN_DENORM_F;
    y[0] = HIP_INF + HIP_PI + HIP_PI_LO + HIP_L2E + HIP_LN2_LO + HIP_SQRT_2PI + M_PI + FLT_MAX + DBL_EPSILON + INT_MAX + UINT_MAX;
}

//@ maths: clocks, ends, prints
#include <stdio.h>
#include <assert.h>
#include <hip/hip_runtime.h>
extern "C" __global__ void maths_ends(long long* l, int* n, float* x) {
    l[0] = clock64() + clock() + wall_clock64() + __clock64();
    if (n[0] == 7) printf("%d %f %s\n", n[0], x[0], "seven");
    if (n[1] == 7) { printf("no more\n"); abort(); }
    assert(n[2] > 0 && "some");
    if (n[3]) __trap();
    __builtin_amdgcn_s_sleep(1);
}
