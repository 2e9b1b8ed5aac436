// Roots, norms and remainders.
#pragma once

#include <hip/ocml/basics.h>

namespace layoutalg_ocml {

LAYOUTALG_HIP double rsqrt(double x) {
    if (x == 0 || x == INF) return x == 0 ? with_sign(INF, x) : 0;
    return rounded(quotient({1, 0}, root({x, 0})));
}

// x = 8^exponent * root^3, root from 1 to 2: a polynomial, two of E. Halley's steps, and one of Newton's in a pair.
struct CubeRoot {
    int exponent;
    Pair root;
};
LAYOUTALG_HIP CubeRoot cube_root(double x) {
    LAYOUTALG_EXACT
    int exponent;
    double m = __builtin_frexp(x, &exponent);
    int third = (exponent - 1 + 3000) / 3 - 1000;
    m = scaled(m, exponent - 3 * third);
    double y = at(CBRT, m);
#pragma unroll
    for (int turn = 0; turn < 2; turn++) y *= (y * y * y + 2 * m) / (2 * y * y * y + m);
    Pair cube = product(product(y, y), {y, 0});
    return {third, ordered_sum(y, ((m - cube.high) - cube.low) / (3 * y * y))};
}
LAYOUTALG_HIP double cbrt(double x) {
    if (x == 0 || !(magnitude(x) < INF)) return x;
    CubeRoot c = cube_root(magnitude(x));
    return with_sign(scaled(rounded(c.root), c.exponent), x);
}
LAYOUTALG_HIP double rcbrt(double x) {
    if (x == 0 || !(magnitude(x) < INF)) return 1 / x;
    CubeRoot c = cube_root(magnitude(x));
    return with_sign(scaled(rounded(quotient({1, 0}, c.root)), -c.exponent), x);
}

// --- norms -----------------------------------------------------------------------------------------------------------

// The root of the sum of squares = 2^exponent * root.
LAYOUTALG_HIP CubeRoot length(double a, double b, double c, double d) {
    int exponent;
    double most = __builtin_fmax(__builtin_fmax(magnitude(a), magnitude(b)),
                                 __builtin_fmax(magnitude(c), magnitude(d)));
    __builtin_frexp(most, &exponent);
    a = scaled(a, -exponent), b = scaled(b, -exponent), c = scaled(c, -exponent), d = scaled(d, -exponent);
    Pair squares = sum(sum(product(a, a), product(b, b)), sum(product(c, c), product(d, d)));
    return {exponent, root(squares)};
}
LAYOUTALG_HIP double len4(double a, double b, double c, double d) {
    if (magnitude(a) == INF || magnitude(b) == INF || magnitude(c) == INF || magnitude(d) == INF) return INF;
    CubeRoot l = length(a, b, c, d);
    return scaled(rounded(l.root), l.exponent);
}
LAYOUTALG_HIP double rlen4(double a, double b, double c, double d) {
    if (magnitude(a) == INF || magnitude(b) == INF || magnitude(c) == INF || magnitude(d) == INF) return 0;
    CubeRoot l = length(a, b, c, d);
    return l.root.high == 0 ? INF : scaled(rounded(quotient({1, 0}, l.root)), -l.exponent);
}
LAYOUTALG_HIP double len3(double a, double b, double c) { return len4(a, b, c, 0); }
LAYOUTALG_HIP double rlen3(double a, double b, double c) { return rlen4(a, b, c, 0); }
LAYOUTALG_HIP double hypot(double a, double b) { return len4(a, b, 0, 0); }
LAYOUTALG_HIP double rhypot(double a, double b) { return rlen4(a, b, 0, 0); }

// --- remainders ------------------------------------------------------------------------------------------------------

// |x| = (a multiple of 2^62 + quotient) * |y| + rest * 2^exponent, by long division of the mantissas, 11 bits a turn;
// |y| is divisor * 2^exponent.
struct Division {
    unsigned long long rest, divisor, quotient;
    int exponent;
};
LAYOUTALG_HIP Division division(double x, double y) {
    int of_x, of_y;
    unsigned long long rest = (unsigned long long)scaled(__builtin_frexp(magnitude(x), &of_x), 53);
    unsigned long long divisor = (unsigned long long)scaled(__builtin_frexp(magnitude(y), &of_y), 53);
    if (of_x < of_y) divisor <<= 1, of_y--;  // of_x = of_y - 1: nothing smaller comes here
    unsigned long long quotient = rest / divisor;
    rest -= quotient * divisor;
    for (int left = of_x - of_y; left > 0; left -= 11) {
        int bits = left < 11 ? left : 11;
        rest <<= bits;
        unsigned long long digit = rest / divisor;
        quotient = quotient << bits | digit;
        rest -= digit * divisor;
    }
    return {rest, divisor, quotient, of_y - 53};
}
LAYOUTALG_HIP bool divisible(double x, double y) { return magnitude(x) < INF && y != 0 && y == y; }
LAYOUTALG_HIP double fmod(double x, double y) {
    if (!divisible(x, y)) return NOT;
    if (magnitude(x) < magnitude(y)) return x;
    Division d = division(x, y);
    return with_sign(scaled((double)d.rest, d.exponent), x);
}
// The rest of the nearest quotient, even where two are; of the quotient the sign and the last bits.
template <typename Quotient>
LAYOUTALG_HIP double remquo(double x, double y, Quotient* quotient) {
    *quotient = 0;
    if (!divisible(x, y)) return NOT;
    if (magnitude(x) < 0.5 * magnitude(y) || magnitude(y) == INF || x == 0) return x;
    Division d = division(x, y);
    bool up = 2 * d.rest > d.divisor || (2 * d.rest == d.divisor && d.quotient & 1);
    double rest = scaled((double)(up ? d.divisor - d.rest : d.rest), d.exponent);
    int last = (int)((d.quotient + up) & 0x7fffffff);
    *quotient = __builtin_signbit(x) != __builtin_signbit(y) ? -last : last;
    return __builtin_signbit(x) != up ? -rest : rest;
}
LAYOUTALG_HIP double remainder(double x, double y) {
    int quotient;
    return remquo(x, y, &quotient);
}

}  // namespace layoutalg_ocml
