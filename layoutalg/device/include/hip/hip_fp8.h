// Numbers of eight bits, as HIP has them: __hip_fp8_e4m3_fnuz, __hip_fp8_e5m2_fnuz; OCP's __hip_fp8_e4m3, __hip_fp8_e5m2.
//
// | interpretation | exponent, bias | mantissa | greatest | infinity | not a number | -0 | by instructions on |
// |---|---|---|---|---|---|---|---|
// | __HIP_E4M3 | 4, 7 | 3 | 448 | none | 0x7F, 0xFF | 0x80 | gfx950, gfx1200, gfx1201 |
// | __HIP_E5M2 | 5, 15 | 2 | 57344 | 0x7C, 0xFC | 0x7D … | 0x80 | the same |
// | __HIP_E4M3_FNUZ | 4, 8 | 3 | 240 | none | 0x80 | none | gfx942 |
// | __HIP_E5M2_FNUZ | 5, 16 | 2 | 57344 | none | 0x80 | none | gfx942 |
//
// Rounding is to nearest, ties to even. A finite number that is too large becomes the greatest under __HIP_SATFINITE
// (the classes' own choice) and infinity, or where there is none no number, under __HIP_NOSAT; an infinity stays one or
// becomes no number under either (HIP, "Low precision floating point types"; ROCm/rocm-systems,
// clr/hipamd/include/hip/amd_detail/amd_hip_fp8.h). Four things of that header are kept, since kernels have them:
//
// - by instructions a number is too large once it is rounded, in software as soon as it is above the greatest;
// - two floats at once, by the instruction, are not clamped: __HIP_SATFINITE says nothing there;
// - in software an infinity of __hip_fp8_e5m2 becomes ±57344 as a float or double;
// - four of two pairs, (low, high), have `high` in the lower half.
//
// What HIP refuses on a target (OCP's classes on gfx942's device, the others on gfx950's and gfx12's) is done in software
// here.
#pragma once

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#if defined(__gfx942__)
#define HIP_FP8_CVT_FAST_PATH 1
#define HIP_FP8_TYPE_FNUZ 1
#define HIP_FP8_TYPE_OCP 0
#elif defined(__gfx950__) || defined(__gfx1200__) || defined(__gfx1201__)
#define HIP_FP8_CVT_FAST_PATH 1
#define HIP_FP8_TYPE_FNUZ 0
#define HIP_FP8_TYPE_OCP 1
#else
#define HIP_FP8_CVT_FAST_PATH 0
#define HIP_FP8_TYPE_FNUZ 1
#define HIP_FP8_TYPE_OCP 1
#endif

enum __hip_fp8_interpretation_t { __HIP_E4M3 = 0, __HIP_E5M2 = 1, __HIP_E4M3_FNUZ = 2, __HIP_E5M2_FNUZ = 3 };
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned __hip_fp8x4_storage_t;

// What the table above says of an interpretation.
struct layoutalg_hip_fp8 {
    bool fnuz, wide;  // wide: of five bits of exponent
    int mantissa, bias;
    unsigned greatest;
    LAYOUTALG_HIP_MEMBER layoutalg_hip_fp8(__hip_fp8_interpretation_t kind)
        : fnuz(kind == __HIP_E4M3_FNUZ || kind == __HIP_E5M2_FNUZ),
          wide(kind == __HIP_E5M2 || kind == __HIP_E5M2_FNUZ),
          mantissa(wide ? 2 : 3),
          bias((wide ? 15 : 7) + fnuz),
          greatest(fnuz ? 0x7F : wide ? 0x7B : 0x7E) {}
    LAYOUTALG_HIP_MEMBER bool by_instruction() const {
        return HIP_FP8_CVT_FAST_PATH && (fnuz ? HIP_FP8_TYPE_FNUZ : HIP_FP8_TYPE_OCP);
    }
    LAYOUTALG_HIP_MEMBER float most() const { return wide ? 57344.0f : fnuz ? 240.0f : 448.0f; }
    LAYOUTALG_HIP_MEMBER bool is_nan(unsigned code) const {
        return fnuz ? code == 0x80 : (code & 0x7F) > (wide ? 0x7C : 0x7E);
    }
    LAYOUTALG_HIP_MEMBER bool is_infinite(unsigned code) const { return !fnuz && wide && (code & 0x7F) == 0x7C; }
};

// 2 to the power of `exponent`, of a normal float.
LAYOUTALG_HIP_HOST float layoutalg_hip_power(int exponent) {
    return __builtin_bit_cast(float, (unsigned)(127 + exponent) << 23);
}

// A float's code. Above the least normal number the float's own bits are rounded, below it multiples of the least one.
LAYOUTALG_HIP_HOST __hip_fp8_storage_t layoutalg_hip_fp8_soft(float x, bool clamped, layoutalg_hip_fp8 kind) {
    unsigned bits = __builtin_bit_cast(unsigned, x), sign = bits >> 31 << 7, magnitude = bits & 0x7FFFFFFF;
    unsigned infinity = kind.fnuz ? 0x80 : kind.wide ? sign | 0x7C : sign | 0x7F;
    if (magnitude > 0x7F800000) return kind.fnuz ? 0x80 : sign | 0x7F;
    if (magnitude == 0x7F800000) return infinity;
    if (magnitude > __builtin_bit_cast(unsigned, kind.most())) return clamped ? sign | kind.greatest : infinity;
    unsigned code, dropped = 23 - kind.mantissa;
    if (magnitude >> 23 < (unsigned)(128 - kind.bias)) {
        float least = __builtin_bit_cast(float, magnitude) * layoutalg_hip_power(kind.bias - 1 + kind.mantissa);
        code = (unsigned)__builtin_rintf(least);
    } else {
        unsigned even = magnitude >> dropped & 1;
        code = ((magnitude + (1u << (dropped - 1)) - 1 + even) >> dropped) - ((127 - kind.bias) << kind.mantissa);
    }
    return code == 0 && kind.fnuz ? 0 : sign | code;
}

// A code as a float, exactly.
LAYOUTALG_HIP_HOST float layoutalg_hip_fp8_float(unsigned code, layoutalg_hip_fp8 kind) {
    unsigned magnitude = code & 0x7F, sign = code >> 7 << 31;
    if (kind.is_nan(code)) return NAN;
    if (kind.is_infinite(code)) return __builtin_bit_cast(float, sign | 0x7F800000);
    float value = magnitude >> kind.mantissa == 0
                      ? magnitude * layoutalg_hip_power(1 - kind.bias - kind.mantissa)
                      : __builtin_bit_cast(float, (magnitude << (23 - kind.mantissa)) + ((127 - kind.bias) << 23));
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) | sign);
}

// The nearest float towards 0, its last bit set where it is not exact: rounding it again is rounding the double.
LAYOUTALG_HIP_HOST float layoutalg_hip_to_odd(double x) {
    float near = (float)x;
    unsigned bits = __builtin_bit_cast(unsigned, near);
    if ((double)near == x || x != x) return near;
    return __builtin_bit_cast(float, (bits - (__builtin_fabs((double)near) > __builtin_fabs(x))) | 1);
}

#if HIP_FP8_CVT_FAST_PATH
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t layoutalg_hip_fp8_hard(float x, float y, layoutalg_hip_fp8 kind) {
    return (__hip_fp8x2_storage_t)(kind.wide ? __builtin_amdgcn_cvt_pk_bf8_f32(x, y, 0, false)
                                             : __builtin_amdgcn_cvt_pk_fp8_f32(x, y, 0, false));
}
LAYOUTALG_HIP_HOST float layoutalg_hip_fp8_value(unsigned code, layoutalg_hip_fp8 kind) {
    if (!kind.by_instruction()) return layoutalg_hip_fp8_float(code, kind);
    return kind.wide ? __builtin_amdgcn_cvt_f32_bf8(code, 0) : __builtin_amdgcn_cvt_f32_fp8(code, 0);
}
#else
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t layoutalg_hip_fp8_hard(float, float, layoutalg_hip_fp8) { return 0; }
LAYOUTALG_HIP_HOST float layoutalg_hip_fp8_value(unsigned code, layoutalg_hip_fp8 kind) {
    return layoutalg_hip_fp8_float(code, kind);
}
#endif

LAYOUTALG_HIP_HOST __hip_fp8_storage_t __hip_cvt_float_to_fp8(const float f, const __hip_saturation_t sat,
                                                              const __hip_fp8_interpretation_t interp) {
    layoutalg_hip_fp8 kind(interp);
    if (!kind.by_instruction()) return layoutalg_hip_fp8_soft(f, sat == __HIP_SATFINITE, kind);
    bool finite = (__builtin_bit_cast(unsigned, f) & 0x7F800000) != 0x7F800000;
    float held = sat == __HIP_SATFINITE && finite ? __builtin_fminf(__builtin_fmaxf(f, -kind.most()), kind.most()) : f;
    return (__hip_fp8_storage_t)layoutalg_hip_fp8_hard(held, held, kind);
}
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t layoutalg_hip_fp8_pair(__hip_fp8_storage_t low, __hip_fp8_storage_t high) {
    return (__hip_fp8x2_storage_t)(low | high << 8);
}
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(const float2 f, const __hip_saturation_t sat,
                                                                   const __hip_fp8_interpretation_t interp) {
    layoutalg_hip_fp8 kind(interp);
    if (kind.by_instruction()) return layoutalg_hip_fp8_hard(f.x, f.y, kind);
    return layoutalg_hip_fp8_pair(__hip_cvt_float_to_fp8(f.x, sat, interp), __hip_cvt_float_to_fp8(f.y, sat, interp));
}
LAYOUTALG_HIP_HOST __hip_fp8_storage_t __hip_cvt_double_to_fp8(const double d, const __hip_saturation_t sat,
                                                               const __hip_fp8_interpretation_t interp) {
    return layoutalg_hip_fp8_soft(layoutalg_hip_to_odd(d), sat == __HIP_SATFINITE, interp);
}
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(const double2 d, const __hip_saturation_t sat,
                                                                    const __hip_fp8_interpretation_t interp) {
    return layoutalg_hip_fp8_pair(__hip_cvt_double_to_fp8(d.x, sat, interp), __hip_cvt_double_to_fp8(d.y, sat, interp));
}
LAYOUTALG_HIP_HOST __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(const __half_raw h, const __hip_saturation_t sat,
                                                                const __hip_fp8_interpretation_t interp) {
    return __hip_cvt_float_to_fp8((float)h.data, sat, interp);
}
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(const __half2_raw h, const __hip_saturation_t sat,
                                                                     const __hip_fp8_interpretation_t interp) {
    return __hip_cvt_float2_to_fp8x2(__half22float2(h), sat, interp);
}
LAYOUTALG_HIP_HOST __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(const __hip_bfloat16_raw b,
                                                                    const __hip_saturation_t sat,
                                                                    const __hip_fp8_interpretation_t interp) {
    return __hip_cvt_float_to_fp8(__bfloat162float(b), sat, interp);
}
LAYOUTALG_HIP_HOST __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(const __hip_bfloat162_raw b,
                                                                         const __hip_saturation_t sat,
                                                                         const __hip_fp8_interpretation_t interp) {
    return __hip_cvt_float2_to_fp8x2(__bfloat1622float2(b), sat, interp);
}
LAYOUTALG_HIP_HOST __half_raw __hip_cvt_fp8_to_halfraw(const __hip_fp8_storage_t x,
                                                       const __hip_fp8_interpretation_t interp) {
    return {(_Float16)layoutalg_hip_fp8_value(x, interp)};
}
LAYOUTALG_HIP_HOST __half2_raw __hip_cvt_fp8x2_to_halfraw2(const __hip_fp8x2_storage_t x,
                                                           const __hip_fp8_interpretation_t interp) {
    return __half2{__hip_cvt_fp8_to_halfraw(x & 0xFF, interp), __hip_cvt_fp8_to_halfraw(x >> 8, interp)};
}

// As an integer, 0 of no number; what is below the range of an unsigned one, or outside that of one of 8 or 16 bits,
// ends there.
template <typename T>
LAYOUTALG_HIP_HOST T layoutalg_hip_fp8_integer(float x) {
    constexpr int small = sizeof(T) < 4 ? 8 * sizeof(T) : 16;
    constexpr float least = __is_signed(T) ? -(float)(1 << (small - 1)) : 0.0f;
    constexpr float most = (float)((1 << (small - __is_signed(T))) - 1);
    if (x != x) return 0;
    if ((sizeof(T) < 4 || !__is_signed(T)) && x <= least) return (T)least;
    if (sizeof(T) < 4 && x >= most) return (T)most;
    return (T)x;
}

// What a class becomes: a double in software, in which an infinity ends at the greatest number; a float so too, where no
// instruction is.
LAYOUTALG_HIP_HOST float layoutalg_hip_fp8_ended(unsigned code, layoutalg_hip_fp8 kind) {
    float value = layoutalg_hip_fp8_float(code, kind);
    return kind.is_infinite(code) ? __builtin_copysignf(kind.most(), value) : value;
}
LAYOUTALG_HIP_HOST float layoutalg_hip_fp8_read(unsigned code, layoutalg_hip_fp8 kind) {
    return kind.by_instruction() ? layoutalg_hip_fp8_value(code, kind) : layoutalg_hip_fp8_ended(code, kind);
}

#define LAYOUTALG_HIP_FP8_KIND(KIND)                                                        \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;             \
    static constexpr __hip_fp8_interpretation_t __default_interpret = KIND;                 \
    static constexpr unsigned __wm = (unsigned)layoutalg_hip_fp8(KIND).mantissa;            \
    static constexpr unsigned __we = 7 - __wm;
#define LAYOUTALG_HIP_FP8_MEMBER __host__ __device__ __attribute__((always_inline))
#define LAYOUTALG_HIP_FP8_FROM(CLASS, T, CONVERT, FROM, KIND) \
    LAYOUTALG_HIP_FP8_MEMBER CLASS(const T v) : __x(CONVERT(static_cast<FROM>(v), __HIP_SATFINITE, KIND)) {}
#define LAYOUTALG_HIP_FP8_TO(T) \
    LAYOUTALG_HIP_FP8_MEMBER operator T() const { return layoutalg_hip_fp8_integer<T>(static_cast<float>(*this)); }

#define LAYOUTALG_HIP_FP8_ONE(CLASS, KIND)                                                                     \
    struct CLASS {                                                                                             \
        __hip_fp8_storage_t __x;                                                                               \
        LAYOUTALG_HIP_FP8_KIND(KIND)                                                                           \
        CLASS() = default;                                                                                     \
        LAYOUTALG_HIP_FP8_FROM(CLASS, short, __hip_cvt_float_to_fp8, float, KIND)                              \
        LAYOUTALG_HIP_FP8_FROM(CLASS, unsigned short, __hip_cvt_float_to_fp8, float, KIND)                     \
        LAYOUTALG_HIP_FP8_FROM(CLASS, int, __hip_cvt_float_to_fp8, float, KIND)                                \
        LAYOUTALG_HIP_FP8_FROM(CLASS, unsigned, __hip_cvt_float_to_fp8, float, KIND)                           \
        LAYOUTALG_HIP_FP8_FROM(CLASS, long, __hip_cvt_float_to_fp8, float, KIND)                               \
        LAYOUTALG_HIP_FP8_FROM(CLASS, unsigned long, __hip_cvt_float_to_fp8, float, KIND)                      \
        LAYOUTALG_HIP_FP8_FROM(CLASS, float, __hip_cvt_float_to_fp8, float, KIND)                              \
        LAYOUTALG_HIP_FP8_FROM(CLASS, double, __hip_cvt_double_to_fp8, double, KIND)                           \
        LAYOUTALG_HIP_FP8_FROM(CLASS, __hip_bfloat16, __hip_cvt_float_to_fp8, float, KIND)                     \
        LAYOUTALG_HIP_FP8_FROM(CLASS, __half, __hip_cvt_halfraw_to_fp8, __half_raw, KIND)                      \
        LAYOUTALG_HIP_FP8_MEMBER operator float() const { return layoutalg_hip_fp8_read(__x, KIND); }          \
        LAYOUTALG_HIP_FP8_MEMBER operator double() const { return layoutalg_hip_fp8_ended(__x, KIND); }        \
        LAYOUTALG_HIP_FP8_MEMBER operator __half() const { return __hip_cvt_fp8_to_halfraw(__x, KIND); }       \
        LAYOUTALG_HIP_FP8_MEMBER operator __hip_bfloat16() const {                                             \
            return __float2bfloat16(static_cast<float>(*this));                                                \
        }                                                                                                      \
        LAYOUTALG_HIP_FP8_MEMBER operator bool() const {                                                       \
            return layoutalg_hip_fp8(KIND).fnuz ? __x != 0 : (__x & 0x7F) != 0;                                \
        }                                                                                                      \
        LAYOUTALG_HIP_FP8_TO(char)                                                                             \
        LAYOUTALG_HIP_FP8_TO(signed char)                                                                      \
        LAYOUTALG_HIP_FP8_TO(unsigned char)                                                                    \
        LAYOUTALG_HIP_FP8_TO(short)                                                                            \
        LAYOUTALG_HIP_FP8_TO(unsigned short)                                                                   \
        LAYOUTALG_HIP_FP8_TO(int)                                                                              \
        LAYOUTALG_HIP_FP8_TO(unsigned)                                                                         \
        LAYOUTALG_HIP_FP8_TO(long)                                                                             \
        LAYOUTALG_HIP_FP8_TO(unsigned long)                                                                    \
        LAYOUTALG_HIP_FP8_TO(long long)                                                                        \
        LAYOUTALG_HIP_FP8_TO(unsigned long long)                                                               \
    };

#define LAYOUTALG_HIP_FP8_TWO(CLASS, KIND)                                                                     \
    struct CLASS {                                                                                             \
        __hip_fp8x2_storage_t __x;                                                                             \
        LAYOUTALG_HIP_FP8_KIND(KIND)                                                                           \
        CLASS() = default;                                                                                     \
        LAYOUTALG_HIP_FP8_FROM(CLASS, double2, __hip_cvt_double2_to_fp8x2, double2, KIND)                      \
        LAYOUTALG_HIP_FP8_FROM(CLASS, float2, __hip_cvt_float2_to_fp8x2, float2, KIND)                         \
        LAYOUTALG_HIP_FP8_FROM(CLASS, __hip_bfloat162, __hip_cvt_bfloat16raw2_to_fp8x2, __hip_bfloat162_raw, KIND) \
        LAYOUTALG_HIP_FP8_FROM(CLASS, __half2, __hip_cvt_halfraw2_to_fp8x2, __half2_raw, KIND)                 \
        LAYOUTALG_HIP_FP8_MEMBER operator __half2() const { return __hip_cvt_fp8x2_to_halfraw2(__x, KIND); }   \
        LAYOUTALG_HIP_FP8_MEMBER operator float2() const {                                                     \
            return float2(layoutalg_hip_fp8_read(__x & 0xFF, KIND), layoutalg_hip_fp8_read(__x >> 8, KIND));   \
        }                                                                                                      \
    };

#define LAYOUTALG_HIP_FP8_FOUR(CLASS, KIND)                                                                    \
    struct CLASS {                                                                                             \
        __hip_fp8x4_storage_t __x;                                                                             \
        LAYOUTALG_HIP_FP8_KIND(KIND)                                                                           \
        CLASS() = default;                                                                                     \
        LAYOUTALG_HIP_FP8_MEMBER CLASS(const double4 v)                                                        \
            : __x(packed(__hip_cvt_double_to_fp8(v.x, __HIP_SATFINITE, KIND),                                  \
                         __hip_cvt_double_to_fp8(v.y, __HIP_SATFINITE, KIND),                                  \
                         __hip_cvt_double_to_fp8(v.z, __HIP_SATFINITE, KIND),                                  \
                         __hip_cvt_double_to_fp8(v.w, __HIP_SATFINITE, KIND))) {}                              \
        LAYOUTALG_HIP_FP8_MEMBER CLASS(const float4 v)                                                         \
            : __x(packed(__hip_cvt_float_to_fp8(v.x, __HIP_SATFINITE, KIND),                                   \
                         __hip_cvt_float_to_fp8(v.y, __HIP_SATFINITE, KIND),                                   \
                         __hip_cvt_float_to_fp8(v.z, __HIP_SATFINITE, KIND),                                   \
                         __hip_cvt_float_to_fp8(v.w, __HIP_SATFINITE, KIND))) {}                               \
        LAYOUTALG_HIP_FP8_MEMBER CLASS(const __half2 low, const __half2 high)                                  \
            : __x(__hip_cvt_halfraw2_to_fp8x2(high, __HIP_SATFINITE, KIND) |                                   \
                  (unsigned)__hip_cvt_halfraw2_to_fp8x2(low, __HIP_SATFINITE, KIND) << 16) {}                  \
        LAYOUTALG_HIP_FP8_MEMBER CLASS(const __hip_bfloat162 low, const __hip_bfloat162 high)                  \
            : __x(__hip_cvt_bfloat16raw2_to_fp8x2(high, __HIP_SATFINITE, KIND) |                               \
                  (unsigned)__hip_cvt_bfloat16raw2_to_fp8x2(low, __HIP_SATFINITE, KIND) << 16) {}              \
        LAYOUTALG_HIP_FP8_MEMBER operator float4() const {                                                     \
            return float4(layoutalg_hip_fp8_read(__x & 0xFF, KIND), layoutalg_hip_fp8_read(__x >> 8 & 0xFF, KIND), \
                          layoutalg_hip_fp8_read(__x >> 16 & 0xFF, KIND), layoutalg_hip_fp8_read(__x >> 24, KIND)); \
        }                                                                                                      \
                                                                                                               \
       private:                                                                                                \
        static LAYOUTALG_HIP_FP8_MEMBER unsigned packed(unsigned x, unsigned y, unsigned z, unsigned w) {      \
            return x | y << 8 | z << 16 | w << 24;                                                             \
        }                                                                                                      \
    };
#define LAYOUTALG_HIP_FP8(NAME, KIND)                     \
    LAYOUTALG_HIP_FP8_ONE(__hip_fp8_##NAME, KIND)         \
    LAYOUTALG_HIP_FP8_TWO(__hip_fp8x2_##NAME, KIND)       \
    LAYOUTALG_HIP_FP8_FOUR(__hip_fp8x4_##NAME, KIND)
LAYOUTALG_HIP_FP8(e4m3, __HIP_E4M3)
LAYOUTALG_HIP_FP8(e5m2, __HIP_E5M2)
LAYOUTALG_HIP_FP8(e4m3_fnuz, __HIP_E4M3_FNUZ)
LAYOUTALG_HIP_FP8(e5m2_fnuz, __HIP_E5M2_FNUZ)
