// The error and gamma functions, and their kin.
#pragma once

#include <hip/ocml/exponential.h>
#include <hip/ocml/trigonometric.h>

namespace layoutalg_ocml {

// --- the error function ----------------------------------------------------------------------------------------------

// (1 + 2x) e^(x^2) erfc x over 1 + 2x, for x from 0 to 28.
LAYOUTALG_HIP Pair scaled_erfc(Pair x) {
    LAYOUTALG_EXACT
    return quotient({at(ERFC, (x.high - 4) / (x.high + 4)), 0}, sum({1, 0}, {2 * x.high, 2 * x.low}));
}
LAYOUTALG_HIP double erfc_of(Pair x) {
    if (x.high > 28) return 0;
    Exponential e = exponential(negative(product(x, x)));
    return scaled(rounded(product(mantissa(e), scaled_erfc(x))), e.exponent);
}
LAYOUTALG_HIP double small_erf(double x) {
    LAYOUTALG_EXACT
    double z = x * x;
    return fused(x, TWO_BY_ROOT_PI.high, fused(x * z, at(ERF, z), x * TWO_BY_ROOT_PI.low));
}
LAYOUTALG_HIP double erf(double x) {
    double most = magnitude(x);
    if (most < 0.75) return small_erf(x);
    return x != x ? x : with_sign(1 - erfc_of({most, 0}), x);
}
LAYOUTALG_HIP double erfc(double x) {
    if (magnitude(x) < 0.25) return 1 - small_erf(x);
    if (x != x) return x;
    double right = erfc_of({magnitude(x), 0});
    return x < 0 ? 2 - right : right;
}
LAYOUTALG_HIP double erfcx(double x) {
    LAYOUTALG_EXACT
    constexpr double FAR[7] = {1, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875};  // of z = 1 / x^2
    if (magnitude(x) < 0.5) return exp(x * x) * (1 - small_erf(x));
    if (x != x) return x;
    if (x > 28) return BY_ROOT_PI.high / x * at(FAR, 1 / (x * x));
    double right = rounded(scaled_erfc({__builtin_fmin(magnitude(x), 28), 0}));
    return x < 0 ? 2 * value(exponential(product(clamped(x, 30), clamped(x, 30)))) - right : right;
}
LAYOUTALG_HIP double ncdf(double x) {
    LAYOUTALG_EXACT
    if (magnitude(x) < 1) return 0.5 + 0.5 * small_erf(x * ROOT_OF_HALF.high);
    if (x != x) return x;
    Pair t = product({clamped(magnitude(x), 64), 0}, ROOT_OF_HALF);
    double right = 0.5 * erfc_of(t);
    return x < 0 ? right : 1 - right;
}

// The x > 0 whose erfc is p < 1: by S. Winitzki's formula (2008) and E. Halley's iteration.
LAYOUTALG_HIP double inverse_erfc(double p) {
    LAYOUTALG_EXACT
    double l = log(p * (2 - p)), t = 4.33 + 0.5 * l, x = __builtin_sqrt(__builtin_sqrt(t * t - l / 0.147) - t);
#pragma nounroll
    for (int turn = 0; turn < 4; turn++) {
        Pair e = {scaled_erfc({x, 0}).high, 0};
        double step = (e.high - p * exp(x * x)) / TWO_BY_ROOT_PI.high;
        x += step / (1 - x * step);
    }
    return x;
}
LAYOUTALG_HIP double erfinv(double y) {
    LAYOUTALG_EXACT
    double most = magnitude(y);
    if (!(most <= 1)) return NOT;
    if (most == 1) return with_sign(INF, y);
    if (most >= 0.5) return with_sign(inverse_erfc(1 - most), y);
    double x = y / TWO_BY_ROOT_PI.high;
#pragma nounroll
    for (int turn = 0; turn < 4; turn++) {
        double step = (small_erf(x) - y) * exp(x * x) / TWO_BY_ROOT_PI.high;
        x -= step / (1 + x * step);
    }
    return x;
}
LAYOUTALG_HIP double erfcinv(double p) {
    if (!(p >= 0 && p <= 2)) return NOT;
    if (p >= 0.5 && p <= 1.5) return erfinv(1 - p);
    if (p == 0 || p == 2) return p == 0 ? INF : -INF;
    return p < 1 ? inverse_erfc(p) : -inverse_erfc(2 - p);
}
LAYOUTALG_HIP double ncdfinv(double p) {
    return ROOT_OF_TWO.high * (p >= 0.25 && p <= 0.75 ? erfinv(2 * p - 1) : -erfcinv(2 * p));
}

// --- the gamma function ----------------------------------------------------------------------------------------------

// Stirling's series of log(gamma(x)) for x >= 16.
LAYOUTALG_HIP Pair stirling(Pair x) {
    LAYOUTALG_EXACT
    double inverse = 1 / x.high;
    Pair power = product(sum(x, {-0.5, 0}), log_of(x));
    Pair rest = sum(HALF_LOG_TWO_PI, {inverse * at(STIRLING, inverse * inverse), 0});
    return sum(sum(power, negative(x)), rest);
}
// gamma(x) = gamma(shifted) / divisor, shifted >= 16.
struct Shifted {
    Pair shifted, divisor;
};
LAYOUTALG_HIP Shifted shifted(double x) {
    LAYOUTALG_EXACT
    Shifted to = {{x, 0}, {1, 0}};
#pragma nounroll
    for (int k = 0; k < 16; k++) {
        if (to.shifted.high >= 16) break;
        to.divisor = product(to.divisor, to.shifted);
        to.shifted = sum({x, 0}, {k + 1.0, 0});
    }
    return to;
}
LAYOUTALG_HIP double tgamma(double x) {
    LAYOUTALG_EXACT
    double most = magnitude(x), inside = __builtin_fmin(__builtin_fmax(most, 0x1p-60), 200);
    Shifted to = shifted(inside);
    Exponential e = exponential(stirling(to.shifted));
    Pair gamma = quotient(mantissa(e), to.divisor);
    double above = scaled(rounded(gamma), e.exponent);
    Pair under = product(product({-inside, 0}, sin_of(angle_of_pi(inside))), gamma);
    double below = scaled(rounded(quotient(PI, under)), -e.exponent);
    double result = x < 0 ? below : x > 172 ? INF : above;
    result = most < 0x1p-60 ? 1 / x : result;
    return (!(x > -INF) | ((x < 0) & (nearest(x) == x))) ? NOT : result;
}
LAYOUTALG_HIP Pair lgamma_of(double x) {
    LAYOUTALG_EXACT
    bool of_one = x < 1.5;
    double past = x - (of_one ? 1 : 2), inside = clamped(past, 0.25);
    Pair of_two = product(inside, at(LGAMMA, inside)), less = sum(of_two, negative(log1p_of({inside, 0})));
    Shifted to = shifted(x);
    Pair far = sum(stirling(to.shifted), negative(log_of(to.divisor)));
    bool close = magnitude(past) <= 0.25;
    return {close ? of_one ? less.high : of_two.high : far.high, close ? of_one ? less.low : of_two.low : far.low};
}
LAYOUTALG_HIP double lgamma(double x) {
    LAYOUTALG_EXACT
    double most = magnitude(x), inside = __builtin_fmin(__builtin_fmax(most, 0x1p-60), 0x1p1000), of_most = log(most);
    Pair right = lgamma_of(inside), sine = product({inside, 0}, sin_of(angle_of_pi(inside)));
    double sign = with_sign(1, sine.high);
    Pair left = sum(log_of(quotient(PI, {sign * sine.high, sign * sine.low})), negative(right));
    double result = x > 0 ? rounded(right) : rounded(left);
    result = most > 0x1p1000 ? most * (of_most - 1) : result;
    result = most < 0x1p-60 ? -of_most : result;
    result = ((most == INF) | ((x <= 0) & (nearest(x) == x))) ? INF : result;
    return x != x ? x : result;
}

}  // namespace layoutalg_ocml
