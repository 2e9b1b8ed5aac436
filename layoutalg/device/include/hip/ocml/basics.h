// Arithmetic in pairs of doubles, and polynomials: what the functions of this folder are made of.
//
// A pair is the unrounded sum of two doubles, about 2^-104 exact; T. J. Dekker (1971), D. E. Knuth (TAOCP 2, 4.2.2)
// and, with a fused multiply-add, J.-M. Muller et al. (Handbook of Floating-Point Arithmetic, 2nd ed., chapters 4 and
// 14). Nothing here may be contracted by the compiler, so each function says so.
#pragma once

#define LAYOUTALG_EXACT _Pragma("clang fp contract(off)")

namespace layoutalg_ocml {

struct Pair {
    double high, low;
};

constexpr double INF = __builtin_inf(), NOT = __builtin_nan("");
constexpr Pair ZERO{0.0, 0.0};

#include <hip/ocml/polynomials.h>

LAYOUTALG_HIP double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
LAYOUTALG_HIP double magnitude(double x) { return __builtin_fabs(x); }
LAYOUTALG_HIP double with_sign(double x, double of) { return __builtin_copysign(x, of); }
LAYOUTALG_HIP double nearest(double x) { return __builtin_rint(x); }
LAYOUTALG_HIP double clamped(double x, double most) { return __builtin_fmin(__builtin_fmax(x, -most), most); }
LAYOUTALG_HIP double scaled(double x, int exponent) { return __builtin_ldexp(x, exponent); }
LAYOUTALG_HIP Pair scaled(Pair x, int exponent) { return {scaled(x.high, exponent), scaled(x.low, exponent)}; }
LAYOUTALG_HIP double rounded(Pair x) { return x.high + x.low; }
LAYOUTALG_HIP Pair negative(Pair x) { return {-x.high, -x.low}; }

// The sum where the first is the larger in magnitude, and where it need not be.
LAYOUTALG_HIP Pair ordered_sum(double a, double b) {
    LAYOUTALG_EXACT
    double s = a + b;
    return {s, b - (s - a)};
}
LAYOUTALG_HIP Pair sum(double a, double b) {
    LAYOUTALG_EXACT
    double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}
LAYOUTALG_HIP Pair sum(Pair a, Pair b) {
    LAYOUTALG_EXACT
    Pair s = sum(a.high, b.high);
    return ordered_sum(s.high, s.low + (a.low + b.low));
}
LAYOUTALG_HIP Pair product(double a, double b) {
    LAYOUTALG_EXACT
    double p = a * b;
    return {p, fused(a, b, -p)};
}
LAYOUTALG_HIP Pair product(Pair a, Pair b) {
    LAYOUTALG_EXACT
    Pair p = product(a.high, b.high);
    return ordered_sum(p.high, fused(a.high, b.low, fused(a.low, b.high, p.low)));
}
LAYOUTALG_HIP Pair quotient(Pair a, Pair b) {
    LAYOUTALG_EXACT
    double q = a.high / b.high, left = fused(-q, b.low, fused(-q, b.high, a.high) + a.low);
    return ordered_sum(q, left / b.high);
}
LAYOUTALG_HIP Pair root(Pair a) {
    LAYOUTALG_EXACT
    double s = __builtin_sqrt(a.high), twice = s == 0 ? 1 : 2 * s;
    return ordered_sum(s, (fused(-s, s, a.high) + a.low) / twice);
}

// A polynomial by Horner's rule, the lowest coefficient first.
template <int length>
LAYOUTALG_HIP double at(const double (&coefficients)[length], double x) {
    double value = coefficients[length - 1];
#pragma unroll
    for (int k = length - 2; k >= 0; k--) value = fused(value, x, coefficients[k]);
    return value;
}

}  // namespace layoutalg_ocml
