// Halves, as HIP has them: __half is a class over clang's _Float16, __half2 one over two of them.
//
// | family | on a half | on two |
// |---|---|---|
// | arithmetic | __hadd, __hsub, __hmul, __hdiv, __hfma, __habs, __hneg | __hadd2 …, __h2div |
// | never fused into an fma; clamped to 0 … 1 | __hadd_rn …; __hadd_sat … (a NaN stays) | __hadd2_rn …; __hadd2_sat … |
// | comparisons, false of a NaN; true of one | __heq, __hlt …; __hequ, __hltu … | __heq2 (1.0, 0.0), __hbeq2 (of both) |
// | mathematics | hsqrt, hexp, hsin … | h2sqrt … |
// | conversions | __float2half_rn, _rz, _rd, _ru, __half2int_rz … | __floats2half2_rn, __half22float2 … |
//
// What they mean is HIP's (ROCm/rocm-systems, clr/hipamd/include/hip/amd_detail/amd_hip_fp16.h; hip-tests,
// catch/unit/math), also where a name of CUDA's promises another thing: a half becomes an integer by truncation and an
// integer a half by rounding to nearest, whatever the name's ending says (hip-tests: casting_half2int_funcs.cc,
// casting_int2half_funcs.cc). __hne and its kin are those of HIP 7: false of a NaN.
//
// As in HIP, `half + 1.0f` is ambiguous: write `half + __float2half(1.0f)` or `__half2float(half) + 1.0f`.
#pragma once

#include <hip/hip_runtime.h>

typedef _Float16 _Float16_2 __attribute__((ext_vector_type(2)));

struct __half_raw {
    union {
        _Float16 data;
        unsigned short x;
    };
};
struct __half2_raw {
    union {
        struct {
            __half_raw x, y;
        };
        _Float16_2 data;
    };
};

// The types that become a half, and that a half becomes, by themselves.
template <typename T>
constexpr bool layoutalg_hip_number = __is_integral(T) || (__is_floating_point(T) && !__is_same(T, __bf16));

// The operators of a class whose member `data` has them. HIP's <= and >= are > and <, denied: true of a NaN, and of two
// pairs where one half says this and the other that.
#define LAYOUTALG_HIP_ARITHMETIC(CLASS, OP)                                                                    \
    LAYOUTALG_HIP_MEMBER CLASS& operator OP##=(const CLASS& y) {                                               \
        data OP##= y.data;                                                                                     \
        return *this;                                                                                          \
    }                                                                                                          \
    friend LAYOUTALG_HIP_MEMBER CLASS operator OP(const CLASS& x, const CLASS& y) { return CLASS{x} OP##= y; }
#define LAYOUTALG_HIP_STEP(CLASS, OP)                     \
    LAYOUTALG_HIP_MEMBER CLASS& operator OP##OP() {       \
        data = data OP(_Float16)1;                        \
        return *this;                                     \
    }                                                     \
    LAYOUTALG_HIP_MEMBER CLASS operator OP##OP(int) {     \
        CLASS before{*this};                              \
        OP##OP*this;                                      \
        return before;                                    \
    }
#define LAYOUTALG_HIP_OPERATORS(CLASS)                                                                         \
    LAYOUTALG_HIP_ARITHMETIC(CLASS, +)                                                                         \
    LAYOUTALG_HIP_ARITHMETIC(CLASS, -)                                                                         \
    LAYOUTALG_HIP_ARITHMETIC(CLASS, *)                                                                         \
    LAYOUTALG_HIP_ARITHMETIC(CLASS, /)                                                                         \
    LAYOUTALG_HIP_STEP(CLASS, +)                                                                               \
    LAYOUTALG_HIP_STEP(CLASS, -)                                                                               \
    LAYOUTALG_HIP_MEMBER CLASS operator+() const { return *this; }                                             \
    LAYOUTALG_HIP_MEMBER CLASS operator-() const {                                                             \
        CLASS out{*this};                                                                                      \
        out.data = -data;                                                                                      \
        return out;                                                                                            \
    }                                                                                                          \
    friend LAYOUTALG_HIP_MEMBER bool operator==(const CLASS& x, const CLASS& y) {                              \
        return layoutalg_hip_both(x.data == y.data);                                                           \
    }                                                                                                          \
    friend LAYOUTALG_HIP_MEMBER bool operator<(const CLASS& x, const CLASS& y) {                               \
        return layoutalg_hip_both(x.data < y.data);                                                            \
    }                                                                                                          \
    friend LAYOUTALG_HIP_MEMBER bool operator!=(const CLASS& x, const CLASS& y) { return !(x == y); }          \
    friend LAYOUTALG_HIP_MEMBER bool operator>(const CLASS& x, const CLASS& y) { return y < x; }               \
    friend LAYOUTALG_HIP_MEMBER bool operator<=(const CLASS& x, const CLASS& y) { return !(y < x); }           \
    friend LAYOUTALG_HIP_MEMBER bool operator>=(const CLASS& x, const CLASS& y) { return !(x < y); }

typedef short layoutalg_hip_short2 __attribute__((ext_vector_type(2)));
LAYOUTALG_HIP_BOTH bool layoutalg_hip_both(bool said) { return said; }
LAYOUTALG_HIP_BOTH bool layoutalg_hip_both(layoutalg_hip_short2 said) { return said.x != 0 && said.y != 0; }

struct __half {
   protected:
    union {
        _Float16 data;
        unsigned short __x;
    };

   public:
    __half() = default;
    LAYOUTALG_HIP_MEMBER __half(const __half_raw& raw) : __x{raw.x} {}
    LAYOUTALG_HIP_MEMBER __half& operator=(const __half_raw& raw) {
        data = raw.data;
        return *this;
    }
    LAYOUTALG_HIP_MEMBER volatile __half& operator=(const __half_raw& raw) volatile {
        data = raw.data;
        return *this;
    }
    LAYOUTALG_HIP_MEMBER operator __half_raw() const { return __half_raw{data}; }
    LAYOUTALG_HIP_MEMBER operator __half_raw() const volatile { return __half_raw{data}; }

#if !defined(__HIP_NO_HALF_CONVERSIONS__)
    LAYOUTALG_HIP_MEMBER __half(_Float16 x) : data{x} {}
    template <typename T, LAYOUTALG_HIP_IF(layoutalg_hip_number<T>)>
    LAYOUTALG_HIP_MEMBER __half(T x) : data{static_cast<_Float16>(x)} {}
    template <typename T, LAYOUTALG_HIP_IF(layoutalg_hip_number<T>)>
    LAYOUTALG_HIP_MEMBER __half& operator=(T x) {
        data = static_cast<_Float16>(x);
        return *this;
    }
    template <typename T, LAYOUTALG_HIP_IF(layoutalg_hip_number<T>)>
    LAYOUTALG_HIP_MEMBER operator T() const {
        return data;
    }
#endif
#if !defined(__HIP_NO_HALF_OPERATORS__)
    LAYOUTALG_HIP_OPERATORS(__half)
#endif
};

struct __half2 {
    union {
        struct {
            __half x, y;
        };
        _Float16_2 data;
    };

    __half2() = default;
    LAYOUTALG_HIP_MEMBER __half2(const __half2_raw& raw) : data(raw.data) {}
    LAYOUTALG_HIP_MEMBER __half2(_Float16_2 both) : data(both) {}
    LAYOUTALG_HIP_MEMBER __half2(const __half& low, const __half& high) : x(low), y(high) {}
    LAYOUTALG_HIP_MEMBER __half2& operator=(const __half2_raw& raw) {
        data = raw.data;
        return *this;
    }
    LAYOUTALG_HIP_MEMBER operator _Float16_2() const { return data; }
    LAYOUTALG_HIP_MEMBER operator __half2_raw() const {
        __half2_raw raw{};
        raw.data = data;
        return raw;
    }
#if !defined(__HIP_NO_HALF_OPERATORS__)
    LAYOUTALG_HIP_OPERATORS(__half2)
#endif
};

#if !defined(HIP_NO_HALF)
using half = __half;
using half2 = __half2;
#endif

#define HIPRT_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define HIPRT_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define HIPRT_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define HIPRT_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)

// Into clang's types, which conversions that a program has switched off do not reach, and back.
LAYOUTALG_HIP_HOST _Float16 layoutalg_hip_native(__half x) { return static_cast<__half_raw>(x).data; }
LAYOUTALG_HIP_HOST _Float16_2 layoutalg_hip_native(__half2 x) { return x.data; }
LAYOUTALG_HIP_HOST __half layoutalg_hip_class(_Float16 x) { return __half_raw{x}; }
LAYOUTALG_HIP_HOST __half2 layoutalg_hip_class(_Float16_2 x) { return x; }

// Halves and their bits, two halves and their parts.
LAYOUTALG_HIP_HOST short __half_as_short(__half x) { return (short)static_cast<__half_raw>(x).x; }
LAYOUTALG_HIP_HOST unsigned short __half_as_ushort(__half x) { return static_cast<__half_raw>(x).x; }
LAYOUTALG_HIP_HOST __half __ushort_as_half(unsigned short x) {
    __half_raw raw;
    raw.x = x;
    return raw;
}
LAYOUTALG_HIP_HOST __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
LAYOUTALG_HIP_HOST __half2 make_half2(__half x, __half y) { return __half2{x, y}; }
LAYOUTALG_HIP_HOST __half2 __halves2half2(__half x, __half y) { return __half2{x, y}; }
LAYOUTALG_HIP_HOST __half2 __half2half2(__half x) { return __half2{x, x}; }
LAYOUTALG_HIP_HOST __half __low2half(__half2 x) { return x.x; }
LAYOUTALG_HIP_HOST __half __high2half(__half2 x) { return x.y; }
LAYOUTALG_HIP_HOST __half2 __low2half2(__half2 x) { return __half2{x.x, x.x}; }
LAYOUTALG_HIP_HOST __half2 __high2half2(__half2 x) { return __half2{x.y, x.y}; }
LAYOUTALG_HIP_HOST __half2 __lows2half2(__half2 x, __half2 y) { return __half2{x.x, y.x}; }
LAYOUTALG_HIP_HOST __half2 __highs2half2(__half2 x, __half2 y) { return __half2{x.y, y.y}; }
LAYOUTALG_HIP_HOST __half2 __lowhigh2highlow(__half2 x) { return __half2{x.y, x.x}; }

// Between halves and floats. One that is not to be rounded to nearest is, and goes a step back where that went too far:
// the halves of one sign are in the order of their bits.
LAYOUTALG_HIP_HOST __half __float2half(float x) { return layoutalg_hip_class((_Float16)x); }
LAYOUTALG_HIP_HOST __half __float2half_rn(float x) { return __float2half(x); }
LAYOUTALG_HIP_HOST float __half2float(__half x) { return (float)layoutalg_hip_native(x); }
LAYOUTALG_HIP_HOST __half __float2half_rd(float x) {
    __half near = __float2half(x);
    int step = __half2float(near) > x ? (__half2float(near) > 0 ? -1 : 1) : 0;
    return __ushort_as_half((unsigned short)(__half_as_ushort(near) + step));
}
LAYOUTALG_HIP_HOST __half __float2half_ru(float x) {
    return __ushort_as_half(__half_as_ushort(__float2half_rd(-x)) ^ 0x8000);
}
LAYOUTALG_HIP_HOST __half __float2half_rz(float x) { return x < 0 ? __float2half_ru(x) : __float2half_rd(x); }
LAYOUTALG_HIP_HOST __half2 __float2half2_rn(float x) { return __half2{__float2half(x), __float2half(x)}; }
LAYOUTALG_HIP_HOST __half2 __floats2half2_rn(float x, float y) { return __half2{__float2half(x), __float2half(y)}; }
LAYOUTALG_HIP_HOST __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
LAYOUTALG_HIP_HOST float2 __half22float2(__half2 x) { return float2(__half2float(x.x), __half2float(x.y)); }
LAYOUTALG_HIP_HOST float __low2float(__half2 x) { return __half2float(x.x); }
LAYOUTALG_HIP_HOST float __high2float(__half2 x) { return __half2float(x.y); }

// Between halves and integers.
#define LAYOUTALG_HIP_HALF_INTEGER(NAME, T, ROUNDING)                                                          \
    LAYOUTALG_HIP_HOST T __half2##NAME##_##ROUNDING(__half x) { return (T)layoutalg_hip_native(x); }           \
    LAYOUTALG_HIP_HOST __half __##NAME##2half_##ROUNDING(T x) { return layoutalg_hip_class((_Float16)x); }
#define LAYOUTALG_HIP_HALF_INTEGERS(NAME, T)  \
    LAYOUTALG_HIP_HALF_INTEGER(NAME, T, rn)   \
    LAYOUTALG_HIP_HALF_INTEGER(NAME, T, rz)   \
    LAYOUTALG_HIP_HALF_INTEGER(NAME, T, rd)   \
    LAYOUTALG_HIP_HALF_INTEGER(NAME, T, ru)
LAYOUTALG_HIP_HALF_INTEGERS(short, short)
LAYOUTALG_HIP_HALF_INTEGERS(ushort, unsigned short)
LAYOUTALG_HIP_HALF_INTEGERS(int, int)
LAYOUTALG_HIP_HALF_INTEGERS(uint, unsigned)
LAYOUTALG_HIP_HALF_INTEGERS(ll, long long)
LAYOUTALG_HIP_HALF_INTEGERS(ull, unsigned long long)

// A function of one or two, by an expression in x, y, z that stands for both.
#define LAYOUTALG_HIP_HALVES_1(ONE, TWO, ...)                                    \
    LAYOUTALG_HIP_HOST __half ONE(__half a) {                                    \
        _Float16 x = layoutalg_hip_native(a);                                    \
        return layoutalg_hip_class(__VA_ARGS__);                                 \
    }                                                                            \
    LAYOUTALG_HIP_HOST __half2 TWO(__half2 a) {                                  \
        _Float16_2 x = layoutalg_hip_native(a);                                  \
        return layoutalg_hip_class(__VA_ARGS__);                                 \
    }
#define LAYOUTALG_HIP_HALVES_2(ONE, TWO, ...)                                    \
    LAYOUTALG_HIP_HOST __half ONE(__half a, __half b) {                          \
        LAYOUTALG_HIP_ROUNDED                                                    \
        _Float16 x = layoutalg_hip_native(a), y = layoutalg_hip_native(b);       \
        return layoutalg_hip_class(__VA_ARGS__);                                 \
    }                                                                            \
    LAYOUTALG_HIP_HOST __half2 TWO(__half2 a, __half2 b) {                       \
        LAYOUTALG_HIP_ROUNDED                                                    \
        _Float16_2 x = layoutalg_hip_native(a), y = layoutalg_hip_native(b);     \
        return layoutalg_hip_class(__VA_ARGS__);                                 \
    }
#define LAYOUTALG_HIP_ROUNDED
LAYOUTALG_HIP_HALVES_2(__hadd, __hadd2, x + y)
LAYOUTALG_HIP_HALVES_2(__hsub, __hsub2, x - y)
LAYOUTALG_HIP_HALVES_2(__hmul, __hmul2, x* y)
LAYOUTALG_HIP_HALVES_2(__hdiv, __h2div, x / y)
#undef LAYOUTALG_HIP_ROUNDED
#define LAYOUTALG_HIP_ROUNDED _Pragma("clang fp contract(off)")
LAYOUTALG_HIP_HALVES_2(__hadd_rn, __hadd2_rn, x + y)
LAYOUTALG_HIP_HALVES_2(__hsub_rn, __hsub2_rn, x - y)
LAYOUTALG_HIP_HALVES_2(__hmul_rn, __hmul2_rn, x* y)
#undef LAYOUTALG_HIP_ROUNDED
LAYOUTALG_HIP_HALVES_1(__hneg, __hneg2, -x)
LAYOUTALG_HIP_HALVES_1(__habs, __habs2, __builtin_elementwise_abs(x))

LAYOUTALG_HIP_HOST __half __hfma(__half x, __half y, __half z) {
    return layoutalg_hip_class(__builtin_elementwise_fma(layoutalg_hip_native(x), layoutalg_hip_native(y),
                                                         layoutalg_hip_native(z)));
}
LAYOUTALG_HIP_HOST __half2 __hfma2(__half2 x, __half2 y, __half2 z) {
    return __builtin_elementwise_fma(x.data, y.data, z.data);
}
LAYOUTALG_HIP_HOST __half __clamp_01(__half x) {
    _Float16 value = layoutalg_hip_native(x);
    return layoutalg_hip_class(value < 0 ? (_Float16)0 : value > 1 ? (_Float16)1 : value);
}
LAYOUTALG_HIP_HOST __half2 layoutalg_hip_clamp_01(__half2 x) { return __half2{__clamp_01(x.x), __clamp_01(x.y)}; }
#define LAYOUTALG_HIP_SATURATED(NAME)                                                                                \
    LAYOUTALG_HIP_HOST __half NAME##_sat(__half x, __half y) { return __clamp_01(NAME(x, y)); }                      \
    LAYOUTALG_HIP_HOST __half2 NAME##2_sat(__half2 x, __half2 y) { return layoutalg_hip_clamp_01(NAME##2(x, y)); }
LAYOUTALG_HIP_SATURATED(__hadd)
LAYOUTALG_HIP_SATURATED(__hsub)
LAYOUTALG_HIP_SATURATED(__hmul)
LAYOUTALG_HIP_HOST __half __hfma_sat(__half x, __half y, __half z) { return __clamp_01(__hfma(x, y, z)); }
LAYOUTALG_HIP_HOST __half2 __hfma2_sat(__half2 x, __half2 y, __half2 z) {
    return layoutalg_hip_clamp_01(__hfma2(x, y, z));
}

// Comparisons of one; of two, each (1.0 or 0.0), and whether both hold. CLASS is __half or __hip_bfloat16.
#define LAYOUTALG_HIP_COMPARED(CLASS, NAME, CONDITION)                                                         \
    LAYOUTALG_HIP_HOST bool __h##NAME(CLASS a, CLASS b) {                                                      \
        auto x = layoutalg_hip_native(a), y = layoutalg_hip_native(b);                                         \
        return CONDITION;                                                                                      \
    }
#define LAYOUTALG_HIP_COMPARISONS(CLASS)                     \
    LAYOUTALG_HIP_COMPARED(CLASS, eq, x == y)                \
    LAYOUTALG_HIP_COMPARED(CLASS, ne, x < y || x > y)        \
    LAYOUTALG_HIP_COMPARED(CLASS, lt, x < y)                 \
    LAYOUTALG_HIP_COMPARED(CLASS, le, x <= y)                \
    LAYOUTALG_HIP_COMPARED(CLASS, gt, x > y)                 \
    LAYOUTALG_HIP_COMPARED(CLASS, ge, x >= y)                \
    LAYOUTALG_HIP_COMPARED(CLASS, equ, !(x < y || x > y))    \
    LAYOUTALG_HIP_COMPARED(CLASS, neu, !(x == y))            \
    LAYOUTALG_HIP_COMPARED(CLASS, ltu, !(x >= y))            \
    LAYOUTALG_HIP_COMPARED(CLASS, leu, !(x > y))             \
    LAYOUTALG_HIP_COMPARED(CLASS, gtu, !(x <= y))            \
    LAYOUTALG_HIP_COMPARED(CLASS, geu, !(x < y))
#define LAYOUTALG_HIP_COMPARED_EACH(CLASS, NAME)                                                               \
    LAYOUTALG_HIP_HOST CLASS##2 __h##NAME##2(CLASS##2 a, CLASS##2 b) {                                         \
        using Native = decltype(layoutalg_hip_native(a.x));                                                    \
        return {layoutalg_hip_class((Native)(float)__h##NAME(a.x, b.x)),                                       \
                layoutalg_hip_class((Native)(float)__h##NAME(a.y, b.y))};                                      \
    }
#define LAYOUTALG_HIP_COMPARED_BOTH(CLASS, NAME)                                                               \
    LAYOUTALG_HIP_HOST bool __hb##NAME##2(CLASS##2 a, CLASS##2 b) {                                            \
        return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y);                                                     \
    }
#define LAYOUTALG_HIP_COMPARED_TWO(CLASS, NAME)    \
    LAYOUTALG_HIP_COMPARED_EACH(CLASS, NAME)       \
    LAYOUTALG_HIP_COMPARED_BOTH(CLASS, NAME)
LAYOUTALG_HIP_COMPARISONS(__half)
LAYOUTALG_HIP_COMPARED_TWO(__half, eq)
LAYOUTALG_HIP_COMPARED_TWO(__half, ne)
LAYOUTALG_HIP_COMPARED_TWO(__half, lt)
LAYOUTALG_HIP_COMPARED_TWO(__half, le)
LAYOUTALG_HIP_COMPARED_TWO(__half, gt)
LAYOUTALG_HIP_COMPARED_TWO(__half, ge)
LAYOUTALG_HIP_COMPARED_TWO(__half, equ)
LAYOUTALG_HIP_COMPARED_TWO(__half, neu)
LAYOUTALG_HIP_COMPARED_TWO(__half, ltu)
LAYOUTALG_HIP_COMPARED_TWO(__half, leu)
LAYOUTALG_HIP_COMPARED_TWO(__half, gtu)
LAYOUTALG_HIP_COMPARED_TWO(__half, geu)

LAYOUTALG_HIP_HOST bool __hisnan(__half x) { return (__half_as_ushort(x) & 0x7FFF) > 0x7C00; }
LAYOUTALG_HIP_HOST bool __hisinf(__half x) { return (__half_as_ushort(x) & 0x7FFF) == 0x7C00; }
LAYOUTALG_HIP_HOST __half2 __hisnan2(__half2 x) { return __floats2half2_rn(__hisnan(x.x), __hisnan(x.y)); }
LAYOUTALG_HIP_HOST __half2 __hisinf2(__half2 x) { return __floats2half2_rn(__hisinf(x.x), __hisinf(x.y)); }

// The other one where one is a NaN; of __hmax_nan, __hmin_nan the NaN.
LAYOUTALG_HIP_HOST __half __hmax(__half x, __half y) {
    return layoutalg_hip_class(__builtin_elementwise_maxnum(layoutalg_hip_native(x), layoutalg_hip_native(y)));
}
LAYOUTALG_HIP_HOST __half __hmin(__half x, __half y) {
    return layoutalg_hip_class(__builtin_elementwise_minnum(layoutalg_hip_native(x), layoutalg_hip_native(y)));
}
LAYOUTALG_HIP_HOST __half __hmax_nan(__half x, __half y) { return __hisnan(x) ? x : __hisnan(y) ? y : __hmax(x, y); }
LAYOUTALG_HIP_HOST __half __hmin_nan(__half x, __half y) { return __hisnan(x) ? x : __hisnan(y) ? y : __hmin(x, y); }

// Mathematics: of one instruction each, or by AMD's device library's names (hip_ocml.h).
LAYOUTALG_HIP_HALVES_1(htrunc, h2trunc, __builtin_elementwise_trunc(x))
LAYOUTALG_HIP_HALVES_1(hceil, h2ceil, __builtin_elementwise_ceil(x))
LAYOUTALG_HIP_HALVES_1(hfloor, h2floor, __builtin_elementwise_floor(x))
LAYOUTALG_HIP_HALVES_1(hrint, h2rint, __builtin_elementwise_rint(x))
LAYOUTALG_HIP_HALVES_1(hsqrt, h2sqrt, __builtin_elementwise_sqrt(x))
LAYOUTALG_HIP_HALVES_1(hrcp, h2rcp, (_Float16)1 / x)
#define LAYOUTALG_HIP_HALVES_EACH(NAME, FUNCTION)                                                                 \
    LAYOUTALG_HIP __half h##NAME(__half x) { return layoutalg_hip_class(FUNCTION(layoutalg_hip_native(x))); }     \
    LAYOUTALG_HIP __half2 h2##NAME(__half2 x) { return __half2{h##NAME(x.x), h##NAME(x.y)}; }
LAYOUTALG_HIP_HALVES_EACH(rsqrt, __ocml_rsqrt_f16)
LAYOUTALG_HIP_HALVES_EACH(exp, __ocml_exp_f16)
LAYOUTALG_HIP_HALVES_EACH(exp2, __ocml_exp2_f16)
LAYOUTALG_HIP_HALVES_EACH(exp10, __ocml_exp10_f16)
LAYOUTALG_HIP_HALVES_EACH(log, __ocml_log_f16)
LAYOUTALG_HIP_HALVES_EACH(log2, __ocml_log2_f16)
LAYOUTALG_HIP_HALVES_EACH(log10, __ocml_log10_f16)
LAYOUTALG_HIP_HALVES_EACH(sin, __ocml_sin_f16)
LAYOUTALG_HIP_HALVES_EACH(cos, __ocml_cos_f16)

#if __has_builtin(__builtin_amdgcn_fdot2)
LAYOUTALG_HIP float amd_mixed_dot(__half2 x, __half2 y, float z, bool saturate) {
    return saturate ? __builtin_amdgcn_fdot2(x.data, y.data, z, true) : __builtin_amdgcn_fdot2(x.data, y.data, z, false);
}
#endif

// Atomic additions, relaxed and over the device as all of hip_atomics.h; each returns the old value. Of one half clang
// compares and swaps the word around it. Those called unsafe take the instruction where there is one, which may leave
// fine-grained memory undone.
LAYOUTALG_HIP __half atomicAdd(__half* address, __half value) {
    return layoutalg_hip_class(__hip_atomic_fetch_add(reinterpret_cast<_Float16*>(address), layoutalg_hip_native(value),
                                                      __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
}
// Of two: CLASS is __half2 or __hip_bfloat162, a word of both.
template <typename Two>
LAYOUTALG_HIP Two layoutalg_hip_atomic_add(Two* address, Two value) {
    unsigned* word = reinterpret_cast<unsigned*>(address);
    unsigned old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), sum;
    do {
        Two both;
        __builtin_memcpy(&both, &old, 4);
        both = __hadd2(both, value);
        __builtin_memcpy(&sum, &both, 4);
    } while (!__hip_atomic_compare_exchange_strong(word, &old, sum, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_AGENT));
    Two before;
    __builtin_memcpy(&before, &old, 4);
    return before;
}
LAYOUTALG_HIP __half2 atomicAdd(__half2* address, __half2 value) { return layoutalg_hip_atomic_add(address, value); }
LAYOUTALG_HIP __half2 unsafeAtomicAdd(__half2* address, __half2 value) {
#if __has_builtin(__builtin_amdgcn_flat_atomic_fadd_v2f16)
    return __builtin_amdgcn_flat_atomic_fadd_v2f16(reinterpret_cast<_Float16_2*>(address), value.data);
#else
    return layoutalg_hip_atomic_add(address, value);
#endif
}
LAYOUTALG_HIP __half unsafeAtomicAdd(__half* address, __half value) { return atomicAdd(address, value); }
