// From one kind of number to another: the same bits, or the nearest number in the direction that the name ends in.
//
// _rn rounds to nearest even, _rz towards zero, _rd down, _ru up. Into integers, what lies outside is not defined.
#pragma once

LAYOUTALG_HIP float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LAYOUTALG_HIP int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LAYOUTALG_HIP float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
LAYOUTALG_HIP unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
LAYOUTALG_HIP double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LAYOUTALG_HIP long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
LAYOUTALG_HIP int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
LAYOUTALG_HIP int __double2loint(double x) { return (int)__double_as_longlong(x); }
LAYOUTALG_HIP double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

// --- into integers ---------------------------------------------------------------------------------------------------

#define LAYOUTALG_HIP_TO_INTEGER(FROM, F, TO, T)                                                      \
    LAYOUTALG_HIP T __##FROM##2##TO##_rn(F x) { return (T)__builtin_elementwise_roundeven(x); }        \
    LAYOUTALG_HIP T __##FROM##2##TO##_rz(F x) { return (T)x; }                                         \
    LAYOUTALG_HIP T __##FROM##2##TO##_rd(F x) { return (T)__builtin_elementwise_floor(x); }            \
    LAYOUTALG_HIP T __##FROM##2##TO##_ru(F x) { return (T)__builtin_elementwise_ceil(x); }
#define LAYOUTALG_HIP_TO_INTEGERS(FROM, F)                            \
    LAYOUTALG_HIP_TO_INTEGER(FROM, F, int, int)                        \
    LAYOUTALG_HIP_TO_INTEGER(FROM, F, uint, unsigned)                  \
    LAYOUTALG_HIP_TO_INTEGER(FROM, F, ll, long long)                   \
    LAYOUTALG_HIP_TO_INTEGER(FROM, F, ull, unsigned long long)
LAYOUTALG_HIP_TO_INTEGERS(float, float)
LAYOUTALG_HIP_TO_INTEGERS(double, double)

// --- from integers ---------------------------------------------------------------------------------------------------

// A natural number, its bits below the `digits` highest cut off, and one more in the last of these where `up` and
// something was cut. Both terms are numbers of F, and so is their sum.
template <typename F>
LAYOUTALG_HIP F layoutalg_of_natural(unsigned long long x, bool up) {
    constexpr int digits = sizeof(F) == 4 ? 24 : 53;
    int cut = 64 - digits - __clzll((long long)x);
    if (cut <= 0) return (F)x;
    unsigned long long kept = x >> cut << cut;
    return (F)kept + (up && kept != x ? (F)(1ull << cut) : 0);
}
template <typename F, typename T>
LAYOUTALG_HIP F layoutalg_of_integer(T x, bool up_below, bool up_above) {
    return x < 0 ? -layoutalg_of_natural<F>(-(unsigned long long)x, up_below)
                 : layoutalg_of_natural<F>((unsigned long long)x, up_above);
}
#define LAYOUTALG_HIP_OF_INTEGER(FROM, T, TO, F)                                                      \
    LAYOUTALG_HIP F __##FROM##2##TO##_rn(T x) { return (F)x; }                                         \
    LAYOUTALG_HIP F __##FROM##2##TO##_rz(T x) { return layoutalg_of_integer<F>(x, false, false); }     \
    LAYOUTALG_HIP F __##FROM##2##TO##_rd(T x) { return layoutalg_of_integer<F>(x, true, false); }      \
    LAYOUTALG_HIP F __##FROM##2##TO##_ru(T x) { return layoutalg_of_integer<F>(x, false, true); }
LAYOUTALG_HIP_OF_INTEGER(int, int, float, float)
LAYOUTALG_HIP_OF_INTEGER(uint, unsigned, float, float)
LAYOUTALG_HIP_OF_INTEGER(ll, long long, float, float)
LAYOUTALG_HIP_OF_INTEGER(ull, unsigned long long, float, float)
LAYOUTALG_HIP_OF_INTEGER(ll, long long, double, double)
LAYOUTALG_HIP_OF_INTEGER(ull, unsigned long long, double, double)
LAYOUTALG_HIP double __int2double_rn(int x) { return (double)x; }
LAYOUTALG_HIP double __uint2double_rn(unsigned x) { return (double)x; }

// --- between floats --------------------------------------------------------------------------------------------------

// The next float that is larger or smaller in magnitude; from zero, the least one of the sign.
LAYOUTALG_HIP float layoutalg_outwards(float x) { return __int_as_float(__float_as_int(x) + 1); }
LAYOUTALG_HIP float layoutalg_inwards(float x) { return __int_as_float(__float_as_int(x) - 1); }
LAYOUTALG_HIP float __double2float_rn(double x) { return (float)x; }
LAYOUTALG_HIP float __double2float_rz(double x) {
    float near = (float)x;
    return __builtin_elementwise_abs((double)near) > __builtin_elementwise_abs(x) ? layoutalg_inwards(near) : near;
}
LAYOUTALG_HIP float __double2float_rd(double x) {
    float near = __double2float_rz(x);
    return (double)near > x ? layoutalg_outwards(near) : near;
}
LAYOUTALG_HIP float __double2float_ru(double x) {
    float near = __double2float_rz(x);
    return (double)near < x ? layoutalg_outwards(near) : near;
}
