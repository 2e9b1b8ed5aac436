// Sines, cosines, tangents and their inverses.
//
// Arguments are reduced by W. J. Cody and W. Waite's parts of pi/2 (1980), from 2^20 on by M. H. Payne and R. N.
// Hanek's product with the bits of 2/pi that matter (Radian Reduction for Trigonometric Functions, 1983).
#pragma once

#include <hip/ocml/basics.h>

namespace layoutalg_ocml {

// An angle as quarter turns, of which the last two bits count, and a rest of at most pi/4.
struct Angle {
    int quarters;
    Pair rest;
};

LAYOUTALG_HIP Angle reduced(double x) {
    LAYOUTALG_EXACT
    double n = nearest(x * TWO_BY_PI.high);
    Pair rest = sum(fused(-n, HALF_PI_1, x), -n * HALF_PI_2);
    return {(int)(long long)n, sum(rest, product({-n, 0}, HALF_PI_3))};
}

// 2^exponent * mantissa times 2/pi, modulo four: the product with the 192 bits from the first that is not a multiple of
// four on.
LAYOUTALG_HIP Angle reduced_large(double x) {
    LAYOUTALG_EXACT
    typedef unsigned long long Word;
    typedef unsigned __int128 Words;
    int exponent;
    Word mantissa = (Word)scaled(__builtin_frexp(magnitude(x), &exponent), 53);
    int bit = exponent - 53 + 62, shift = bit & 63;  // a word of zeros stands before the table
    int word = bit < 0 ? 0 : bit > 1087 ? 16 : bit >> 6;  // 16 at most, as exponents are; a check of bounds sees it
    Word part[4];
#pragma unroll
    for (int k = 0; k < 4; k++) part[k] = word + k ? BITS[word + k - 1] : 0;
#pragma unroll
    for (int k = 0; k < 3; k++) part[k] = __builtin_elementwise_fshl(part[k], part[k + 1], (Word)shift);
    Words low = (Words)mantissa * part[2], middle = (Words)mantissa * part[1] + (Word)(low >> 64);
    Word high = mantissa * part[0] + (Word)(middle >> 64);
    Words fraction = ((Words)high << 64 | (Word)middle) << 2 | (Word)low >> 62;
    int quarters = (int)(high >> 62);
    bool above = fraction >> 127;  // nearer to the next quarter
    if (above) fraction = -fraction, quarters++;
    int zeros = fraction >> 64 ? __builtin_clzll((Word)(fraction >> 64)) : 64;
    fraction <<= zeros;
    Pair turns = {scaled((double)(Word)(fraction >> 75), -53 - zeros),
                  scaled((double)(Word)(fraction << 53 >> 64), -117 - zeros)};
    Pair rest = product(turns, HALF_PI);
    if (above) rest = negative(rest);
    return x < 0 ? Angle{-quarters, negative(rest)} : Angle{quarters, rest};
}

LAYOUTALG_HIP Angle angle_of(double x) {
    if (!(magnitude(x) < INF)) return {0, {NOT, 0}};
    return magnitude(x) < 0x1p20 ? reduced(x) : reduced_large(x);
}
// pi times x.
LAYOUTALG_HIP Angle angle_of_pi(double x) {
    LAYOUTALG_EXACT
    if (!(magnitude(x) < INF)) return {0, {NOT, 0}};
    double turn = x - 2 * nearest(0.5 * x), n = nearest(2 * turn);
    return {(int)n, product({turn - 0.5 * n, 0}, PI)};
}

LAYOUTALG_HIP Pair small_sin(Pair x) {
    LAYOUTALG_EXACT
    double z = x.high * x.high, cube = z * x.high;
    return ordered_sum(x.high, fused(cube, fused(z, at(SIN, z), -SIXTH.high), fused(-0.5 * z, x.low, x.low)));
}
LAYOUTALG_HIP Pair small_cos(Pair x) {
    LAYOUTALG_EXACT
    Pair z = product(x.high, x.high), whole = ordered_sum(1, -0.5 * z.high);
    double rest = fused(z.high * z.high, at(COS, z.high), fused(-0.5, z.low, -x.high * x.low));
    return ordered_sum(whole.high, whole.low + rest);
}
LAYOUTALG_HIP Pair sin_of(Angle angle) {
    Pair value = angle.quarters & 1 ? small_cos(angle.rest) : small_sin(angle.rest);
    return angle.quarters & 2 ? negative(value) : value;
}
LAYOUTALG_HIP Pair cos_of(Angle angle) { return sin_of({angle.quarters + 1, angle.rest}); }
LAYOUTALG_HIP double tan_of(Angle angle) {
    Pair s = small_sin(angle.rest), c = small_cos(angle.rest);
    return rounded(angle.quarters & 1 ? quotient(negative(c), s) : quotient(s, c));
}

LAYOUTALG_HIP double sin(double x) { return x == 0 ? x : rounded(sin_of(angle_of(x))); }
LAYOUTALG_HIP double cos(double x) { return rounded(cos_of(angle_of(x))); }
LAYOUTALG_HIP double tan(double x) { return x == 0 ? x : tan_of(angle_of(x)); }
LAYOUTALG_HIP double sinpi(double x) { return nearest(x) == x ? with_sign(0, x) : rounded(sin_of(angle_of_pi(x))); }
LAYOUTALG_HIP double cospi(double x) {
    Angle angle = angle_of_pi(x);
    return angle.quarters & 1 && angle.rest.high == 0 ? 0 : rounded(cos_of(angle));
}

template <typename Cosine>
LAYOUTALG_HIP double sincos_of(Angle angle, Cosine* cosine) {
    *cosine = rounded(cos_of(angle));
    return rounded(sin_of(angle));
}
template <typename Cosine>
LAYOUTALG_HIP double sincos(double x, Cosine* cosine) {
    double sine = sincos_of(angle_of(x), cosine);
    return x == 0 ? x : sine;
}
template <typename Cosine>
LAYOUTALG_HIP double sincospi(double x, Cosine* cosine) {
    *cosine = cospi(x);
    return sinpi(x);
}

// --- inverses --------------------------------------------------------------------------------------------------------

// The angle whose tangent is rise / run, both at least 0: of the smaller over the larger, less pi/4 from tan(pi/8) on.
LAYOUTALG_HIP Pair slope(Pair rise, Pair run) {
    LAYOUTALG_EXACT
    bool steep = rise.high > run.high;
    Pair less = steep ? run : rise, more = steep ? rise : run;
    bool middle = less.high > TAN_OF_EIGHTH.high * more.high;
    Pair over = sum(less, negative(more)), under = sum(less, more);
    Pair t = quotient({middle ? over.high : less.high, middle ? over.low : less.low},
                      {middle ? under.high : more.high, middle ? under.low : more.low});
    double z = t.high * t.high;
    Pair angle = ordered_sum(t.high, fused(t.high * z, at(ATAN, z), fused(-z, t.low, t.low)));
    if (middle) angle = sum(QUARTER_PI, angle);
    return steep ? sum(HALF_PI, negative(angle)) : angle;
}
LAYOUTALG_HIP double atan(double x) {
    if (!(magnitude(x) < INF)) return x != x ? x : with_sign(HALF_PI.high, x);
    return x == 0 ? x : with_sign(rounded(slope({magnitude(x), 0}, {1, 0})), x);
}
LAYOUTALG_HIP double atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    double rise = magnitude(y), run = magnitude(x);
    if (rise == INF || run == INF) rise = rise == INF, run = run == INF;
    double most = __builtin_fmax(rise, run), factor = most > 0x1p1000 ? 0x1p-60 : most < 0x1p-900 ? 0x1p120 : 1;
    Pair angle = most == 0 ? ZERO : slope({rise * factor, 0}, {run * factor, 0});
    return with_sign(rounded(__builtin_signbit(x) ? sum(PI, negative(angle)) : angle), y);
}
// sqrt(1 - x^2).
LAYOUTALG_HIP Pair leg(double x) { return root(product(sum(1, -x), sum(1, x))); }
LAYOUTALG_HIP double asin(double x) {
    double most = magnitude(x), inside = __builtin_fmin(most, 1), angle = rounded(slope({inside, 0}, leg(inside)));
    double result = x == 0 ? x : with_sign(angle, x);
    return most <= 1 ? result : NOT;
}
LAYOUTALG_HIP double acos(double x) {
    double most = magnitude(x), inside = __builtin_fmin(most, 1);
    Pair angle = slope(leg(inside), {inside, 0}), beyond = sum(PI, negative(angle));
    double result = x < 0 ? rounded(beyond) : rounded(angle);
    return most <= 1 ? result : NOT;
}

}  // namespace layoutalg_ocml
