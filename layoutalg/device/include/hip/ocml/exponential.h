// Exponentials, logarithms, powers and hyperbolic functions.
//
// The reduction to |r| <= ln 2 / 2 is W. J. Cody and W. Waite's (Software Manual for the Elementary Functions, 1980);
// the logarithm is that of (1 + s) / (1 - s), in pairs, so that it carries a power's exponent.
#pragma once

#include <hip/ocml/basics.h>

namespace layoutalg_ocml {

constexpr double MOST = 1100;  // past it, exponentials over- and underflow

// e^x - 1 for |x| <= ln 2 / 2.
LAYOUTALG_HIP Pair small_expm1(Pair x) {
    LAYOUTALG_EXACT
    double h = x.high, z = h * h;
    return ordered_sum(h, fused(z * h, at(EXP, h), 0.5 * z) + fused(h, x.low, x.low));
}

// e^x = 2^exponent * (1 + rest).
struct Exponential {
    int exponent;
    Pair rest;
};
LAYOUTALG_HIP Exponential exponential(Pair x) {
    LAYOUTALG_EXACT
    double k = nearest(x.high * BY_LN2.high);
    Pair r = sum(fused(k, -LN2_HIGH, x.high), fused(k, -LN2_LOW, x.low));
    return {(int)k, small_expm1(r)};
}
LAYOUTALG_HIP Pair mantissa(Exponential e) { return sum({1, 0}, e.rest); }
LAYOUTALG_HIP double value(Exponential e) { return scaled(rounded(mantissa(e)), e.exponent); }
// e^x - 1, as long as it is finite.
LAYOUTALG_HIP Pair expm1_of(Pair x) {
    Exponential e = exponential(x);
    if (e.exponent == 0) return e.rest;
    return sum(scaled(mantissa(e), e.exponent), {-1, 0});
}

LAYOUTALG_HIP double exp(double x) { return x != x ? x : value(exponential({clamped(x, MOST), 0})); }
LAYOUTALG_HIP double exp2(double x) {
    LAYOUTALG_EXACT
    if (x != x) return x;
    double k = nearest(clamped(x, MOST));
    return value({(int)k, small_expm1(product({clamped(x, MOST) - k, 0}, LN2))});
}
LAYOUTALG_HIP double exp10(double x) {
    return x != x ? x : value(exponential(product({clamped(x, MOST / 2), 0}, LN10)));
}
LAYOUTALG_HIP double expm1(double x) {
    if (x != x || x == 0) return x;
    return x > 710 ? INF : rounded(expm1_of({clamped(x, MOST), 0}));
}

// --- logarithms ------------------------------------------------------------------------------------------------------

// log(1 + f) for 1 + f from sqrt(1/2) to sqrt(2): 2s + 2/3 s^3 + ..., s = f / (2 + f).
LAYOUTALG_HIP Pair small_log1p(Pair f) {
    LAYOUTALG_EXACT
    Pair s = quotient(f, sum({2, 0}, f)), z = product(s, s);
    Pair series = sum(product(z, TWO_THIRDS), {z.high * z.high * at(LOG, z.high), 0});
    return sum({2 * s.high, 2 * s.low}, product(s, series));
}

// A logarithm as `exponent` times that of two, and a rest of at most log(2) / 2.
struct Logarithm {
    double exponent;
    Pair mantissa;
};
// Of x, and of 1 + x: where that is between sqrt(1/2) and sqrt(2), the series takes x itself.
LAYOUTALG_HIP Logarithm logarithm(Pair x, Pair less_one, bool near_one) {
    LAYOUTALG_EXACT
    int exponent;
    double half = __builtin_frexp(x.high, &exponent);
    exponent = near_one ? 0 : half < ROOT_OF_HALF.high ? exponent - 1 : exponent;
    Pair m = scaled(x, -exponent), rest = sum(m.high - 1, m.low);
    return {(double)exponent, small_log1p({near_one ? less_one.high : rest.high, near_one ? less_one.low : rest.low})};
}
LAYOUTALG_HIP Pair whole(Logarithm l) {
    LAYOUTALG_EXACT
    return sum({l.exponent * LN2_HIGH, l.exponent * LN2_LOW}, l.mantissa);
}
LAYOUTALG_HIP Pair log_of(Pair x) { return whole(logarithm(x, ZERO, false)); }
LAYOUTALG_HIP Pair log1p_of(Pair x) {
    return whole(logarithm(sum({1, 0}, x), x, (x.high > -0.25) & (x.high < 0.375)));
}

// What a logarithm is at 0, at infinity and where there is none; `value` elsewhere.
LAYOUTALG_HIP double log_or(double x, double value) {
    double of_positive = x < INF ? value : x;
    double of_signed = x < 0 ? NOT : of_positive;
    return x == 0 ? -INF : of_signed;
}
LAYOUTALG_HIP double log(double x) { return log_or(x, rounded(log_of({x, 0}))); }
LAYOUTALG_HIP double log2(double x) {
    Logarithm l = logarithm({x, 0}, ZERO, false);
    return log_or(x, rounded(sum({l.exponent, 0}, product(l.mantissa, BY_LN2))));
}
LAYOUTALG_HIP double log10(double x) { return log_or(x, rounded(product(log_of({x, 0}), BY_LN10))); }
LAYOUTALG_HIP double log1p(double x) { return x == 0 ? x : log_or(x + 1, rounded(log1p_of({x, 0}))); }

// --- powers ----------------------------------------------------------------------------------------------------------

// |x|^y for x not 0 and finite, times 2^exponent.
LAYOUTALG_HIP Exponential power(Pair x, double y) {
    LAYOUTALG_EXACT
    Pair l = log_of(x);
    double h = y * l.high, rest = fused(y, l.low, fused(y, l.high, -h));
    bool inside = magnitude(h) < MOST;
    return exponential(ordered_sum(inside ? h : with_sign(MOST, h), inside ? rest : 0));
}
// The special values are those of C's appendix F.
LAYOUTALG_HIP double pow(double x, double y) {
    double most = magnitude(x), half = y * 0.5;
    bool whole = __builtin_trunc(y) == y, odd = whole & (__builtin_trunc(half) != half);
    double result = value(power({most, 0}, y));
    result = ((most == 0) | (most == INF)) ? ((most == 0) == (y > 0) ? 0 : INF) : result;
    result = most == 1 ? 1 : result;
    result = odd ? with_sign(result, x) : result;
    result = ((x < 0) & !whole & (most < INF)) ? NOT : result;
    result = ((x != x) | (y != y)) ? x + y : result;
    return ((y == 0) | (x == 1)) ? 1 : result;
}

// --- hyperbolic functions --------------------------------------------------------------------------------------------

// e^|x| / 2 and its inverse's quarter: what sinh and cosh are the difference and the sum of.
LAYOUTALG_HIP double half_sum(double x, double sign) {
    LAYOUTALG_EXACT
    Exponential e = exponential({clamped(magnitude(x), MOST), 0});
    Pair half = scaled(mantissa(e), e.exponent - 1);
    return half.high == INF ? INF : rounded(sum(half, {sign * 0.25 / half.high, 0}));
}
LAYOUTALG_HIP double sinh(double x) {
    double z = x * x;
    if (z < 1) return fused(x * z, at(SINH, z), x);
    return x != x ? x : with_sign(half_sum(x, -1), x);
}
LAYOUTALG_HIP double cosh(double x) { return x != x ? x : half_sum(x, 1); }
LAYOUTALG_HIP double tanh(double x) {
    LAYOUTALG_EXACT
    if (x != x || x == 0) return x;
    Pair e = expm1_of({2 * clamped(magnitude(x), 20), 0});
    return with_sign(rounded(quotient(e, sum(e, {2, 0}))), x);
}
// From 2^60 on both are log(2x).
LAYOUTALG_HIP double asinh(double x) {
    LAYOUTALG_EXACT
    double most = magnitude(x);
    bool large = most > 0x1p60;
    Pair square = product(most, most), rest = quotient(square, sum({1, 0}, root(sum({1, 0}, square))));
    Pair sum_of_both = sum({most, 0}, rest), of = {large ? most : sum_of_both.high, large ? 0 : sum_of_both.low};
    double result = rounded(sum(log1p_of(of), {large ? LN2.high : 0, large ? LN2.low : 0}));
    return ((most < 0x1p-28) | !(most < INF)) ? x : with_sign(result, x);
}
LAYOUTALG_HIP double acosh(double x) {
    LAYOUTALG_EXACT
    bool large = x > 0x1p60;
    double t = x - 1;
    Pair both = sum({t, 0}, root(product({t, 0}, sum({t, 0}, {2, 0})))), of = {large ? t : both.high, large ? 0 : both.low};
    double result = rounded(sum(log1p_of(of), {large ? LN2.high : 0, large ? LN2.low : 0}));
    return x >= 1 ? x < INF ? result : x : NOT;
}
LAYOUTALG_HIP double atanh(double x) {
    LAYOUTALG_EXACT
    double most = magnitude(x);
    if (!(most < 1)) return most == 1 ? with_sign(INF, x) : NOT;
    if (most < 0x1p-28) return x;
    return with_sign(0.5 * rounded(log1p_of(quotient({2 * most, 0}, sum(1, -most)))), x);
}

}  // namespace layoutalg_ocml
