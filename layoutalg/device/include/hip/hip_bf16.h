// Brain floats, as HIP has them: __hip_bfloat16 is a class over clang's __bf16, __hip_bfloat162 one over two of them.
//
// | family | on one | on two |
// |---|---|---|
// | arithmetic, and never fused into an fma | __hadd, __hdiv, __hfma …, __hadd_rn … | __hadd2 …, __h2div |
// | comparisons, false of a NaN; true of one | __heq, __hlt …; __hequ, __hltu … | __heq2 …, __hbeq2, __hbequ2 … |
// | mathematics: of f32, rounded to nearest even | hsqrt, hexp, hsin … | h2sqrt … |
// | conversions | __float2bfloat16, __bfloat162float … | __float22bfloat162_rn, __bfloat1622float2 … |
//
// Each operation is of f32, then rounded to nearest even (ROCm/rocm-systems,
// clr/hipamd/include/hip/amd_detail/amd_hip_bf16.h). Refused by name, since AMD's code there says another thing than its
// words: __hgt2 and __hisnan2 of two (the upper half is always 1.0) and <, <=, >, >= of two (they look at `x` alone).
#pragma once

#include <hip/hip_fp16.h>

typedef __bf16 __bf16_2 __attribute__((ext_vector_type(2)));

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __hip_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __hip_bfloat162_raw;

struct __attribute__((aligned(2))) __hip_bfloat16 {
   protected:
    union {
        unsigned short __x;
        __bf16 __x_bf16;
    };

   public:
    __hip_bfloat16() = default;
    LAYOUTALG_HIP_MEMBER __hip_bfloat16(const __hip_bfloat16_raw& raw) : __x(raw.x) {}
    LAYOUTALG_HIP_MEMBER __hip_bfloat16& operator=(const __hip_bfloat16_raw& raw) {
        __x = raw.x;
        return *this;
    }
    LAYOUTALG_HIP_MEMBER volatile __hip_bfloat16& operator=(const __hip_bfloat16_raw& raw) volatile {
        __x = raw.x;
        return *this;
    }
    LAYOUTALG_HIP_MEMBER operator __hip_bfloat16_raw() const { return {__x}; }
    LAYOUTALG_HIP_MEMBER operator __hip_bfloat16_raw() const volatile { return {__x}; }
    LAYOUTALG_HIP_MEMBER operator __bf16() const { return __x_bf16; }
    LAYOUTALG_HIP_MEMBER operator bool() const { return __x_bf16 != 0.0f; }

#define LAYOUTALG_HIP_FROM(T)                                                            \
    LAYOUTALG_HIP_MEMBER __hip_bfloat16(T x) : __x_bf16(static_cast<__bf16>(x)) {}       \
    LAYOUTALG_HIP_MEMBER __hip_bfloat16& operator=(T x) {                                \
        __x_bf16 = static_cast<__bf16>(x);                                               \
        return *this;                                                                    \
    }
#define LAYOUTALG_HIP_TO(T) \
    LAYOUTALG_HIP_MEMBER operator T() const { return static_cast<T>(__x_bf16); }
    LAYOUTALG_HIP_FROM(__bf16)
    LAYOUTALG_HIP_FROM(short)
    LAYOUTALG_HIP_FROM(unsigned short)
    LAYOUTALG_HIP_FROM(int)
    LAYOUTALG_HIP_FROM(unsigned)
    LAYOUTALG_HIP_FROM(float)
    LAYOUTALG_HIP_FROM(double)
    LAYOUTALG_HIP_TO(char)
    LAYOUTALG_HIP_TO(signed char)
    LAYOUTALG_HIP_TO(unsigned char)
    LAYOUTALG_HIP_TO(short)
    LAYOUTALG_HIP_TO(unsigned short)
    LAYOUTALG_HIP_TO(int)
    LAYOUTALG_HIP_TO(unsigned)
    LAYOUTALG_HIP_TO(long)
    LAYOUTALG_HIP_TO(unsigned long)
    LAYOUTALG_HIP_TO(long long)
    LAYOUTALG_HIP_TO(unsigned long long)
    LAYOUTALG_HIP_TO(float)
};

struct __attribute__((aligned(4))) __hip_bfloat162 {
    union {
        struct {
            __hip_bfloat16 x, y;
        };
        __bf16_2 __xy_bf162;
    };

    __hip_bfloat162() = default;
    LAYOUTALG_HIP_MEMBER __hip_bfloat162(const __hip_bfloat162_raw& raw)
        : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y}) {}
    LAYOUTALG_HIP_MEMBER __hip_bfloat162(const __hip_bfloat16& low, const __hip_bfloat16& high) : x(low), y(high) {}
    LAYOUTALG_HIP_MEMBER __hip_bfloat162(__bf16_2 both) : __xy_bf162(both) {}
    LAYOUTALG_HIP_MEMBER operator __hip_bfloat162_raw() const {
        return {static_cast<__hip_bfloat16_raw>(x).x, static_cast<__hip_bfloat16_raw>(y).x};
    }
    LAYOUTALG_HIP_MEMBER operator float2() const { return float2(static_cast<float>(x), static_cast<float>(y)); }
    LAYOUTALG_HIP_MEMBER operator __bf16_2() const { return __xy_bf162; }
};

#define HIPRT_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define HIPRT_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)

LAYOUTALG_HIP_HOST __bf16 layoutalg_hip_native(__hip_bfloat16 x) { return static_cast<__bf16>(x); }
LAYOUTALG_HIP_HOST __bf16_2 layoutalg_hip_native(__hip_bfloat162 x) { return x.__xy_bf162; }
LAYOUTALG_HIP_HOST __hip_bfloat16 layoutalg_hip_class(__bf16 x) { return x; }
LAYOUTALG_HIP_HOST __hip_bfloat162 layoutalg_hip_class(__bf16_2 x) { return x; }

// Brain floats and their bits, floats, integers; two and their parts.
LAYOUTALG_HIP_HOST float __bfloat162float(__hip_bfloat16 x) { return static_cast<float>(x); }
LAYOUTALG_HIP_HOST __hip_bfloat16 __float2bfloat16(float x) { return __hip_bfloat16{x}; }
LAYOUTALG_HIP_HOST __hip_bfloat16 __double2bfloat16(double x) { return __hip_bfloat16{x}; }
LAYOUTALG_HIP_HOST __hip_bfloat16 __int2bfloat16_rn(int x) { return __hip_bfloat16{x}; }
LAYOUTALG_HIP_HOST unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) {
    return static_cast<__hip_bfloat16_raw>(x).x;
}
LAYOUTALG_HIP_HOST short __bfloat16_as_short(__hip_bfloat16 x) { return (short)__bfloat16_as_ushort(x); }
LAYOUTALG_HIP_HOST __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __hip_bfloat16_raw{x}; }
LAYOUTALG_HIP_HOST __hip_bfloat16 __short_as_bfloat16(short x) { return __ushort_as_bfloat16((unsigned short)x); }
LAYOUTALG_HIP_HOST __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return {x, y}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return {x, x}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __float22bfloat162_rn(float2 x) {
    return {__float2bfloat16(x.x), __float2bfloat16(x.y)};
}
LAYOUTALG_HIP_HOST float2 __bfloat1622float2(__hip_bfloat162 x) { return x; }
LAYOUTALG_HIP_HOST __hip_bfloat16 __low2bfloat16(__hip_bfloat162 x) { return x.x; }
LAYOUTALG_HIP_HOST __hip_bfloat16 __high2bfloat16(__hip_bfloat162 x) { return x.y; }
LAYOUTALG_HIP_HOST float __low2float(__hip_bfloat162 x) { return __bfloat162float(x.x); }
LAYOUTALG_HIP_HOST float __high2float(__hip_bfloat162 x) { return __bfloat162float(x.y); }
LAYOUTALG_HIP_HOST __hip_bfloat162 __low2bfloat162(__hip_bfloat162 x) { return {x.x, x.x}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __high2bfloat162(__hip_bfloat162 x) { return {x.y, x.y}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 x, __hip_bfloat162 y) { return {x.x, y.x}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 x, __hip_bfloat162 y) { return {x.y, y.y}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 x) { return {x.y, x.x}; }

#define LAYOUTALG_HIP_BRAIN_2(ONE, TWO, OP)                                                                    \
    LAYOUTALG_HIP_HOST __hip_bfloat16 ONE(__hip_bfloat16 x, __hip_bfloat16 y) {                                \
        LAYOUTALG_HIP_ROUNDED                                                                                  \
        return layoutalg_hip_native(x) OP layoutalg_hip_native(y);                                             \
    }                                                                                                          \
    LAYOUTALG_HIP_HOST __hip_bfloat162 TWO(__hip_bfloat162 x, __hip_bfloat162 y) {                             \
        LAYOUTALG_HIP_ROUNDED                                                                                  \
        return layoutalg_hip_native(x) OP layoutalg_hip_native(y);                                             \
    }
#define LAYOUTALG_HIP_ROUNDED
LAYOUTALG_HIP_BRAIN_2(__hadd, __hadd2, +)
LAYOUTALG_HIP_BRAIN_2(__hsub, __hsub2, -)
LAYOUTALG_HIP_BRAIN_2(__hmul, __hmul2, *)
LAYOUTALG_HIP_BRAIN_2(__hdiv, __h2div, /)
#undef LAYOUTALG_HIP_ROUNDED
#define LAYOUTALG_HIP_ROUNDED _Pragma("clang fp contract(off)")
LAYOUTALG_HIP_BRAIN_2(__hadd_rn, __hadd2_rn, +)
LAYOUTALG_HIP_BRAIN_2(__hsub_rn, __hsub2_rn, -)
LAYOUTALG_HIP_BRAIN_2(__hmul_rn, __hmul2_rn, *)
#undef LAYOUTALG_HIP_ROUNDED
LAYOUTALG_HIP_HOST __hip_bfloat16 __hfma(__hip_bfloat16 x, __hip_bfloat16 y, __hip_bfloat16 z) {
    return __builtin_elementwise_fma(layoutalg_hip_native(x), layoutalg_hip_native(y), layoutalg_hip_native(z));
}
LAYOUTALG_HIP_HOST __hip_bfloat162 __hfma2(__hip_bfloat162 x, __hip_bfloat162 y, __hip_bfloat162 z) {
    return __builtin_elementwise_fma(layoutalg_hip_native(x), layoutalg_hip_native(y), layoutalg_hip_native(z));
}
LAYOUTALG_HIP_HOST __hip_bfloat16 __hneg(__hip_bfloat16 x) {
    return __ushort_as_bfloat16(__bfloat16_as_ushort(x) ^ 0x8000);
}
LAYOUTALG_HIP_HOST __hip_bfloat16 __habs(__hip_bfloat16 x) {
    return __ushort_as_bfloat16(__bfloat16_as_ushort(x) & 0x7FFF);
}
LAYOUTALG_HIP_HOST __hip_bfloat162 __hneg2(__hip_bfloat162 x) { return {__hneg(x.x), __hneg(x.y)}; }
LAYOUTALG_HIP_HOST __hip_bfloat162 __habs2(__hip_bfloat162 x) { return {__habs(x.x), __habs(x.y)}; }

#define LAYOUTALG_HIP_BRAIN_REFUSED(WHY) __attribute__((unavailable("AMD's own code answers " WHY)))
LAYOUTALG_HIP_COMPARISONS(__hip_bfloat16)
LAYOUTALG_HIP_COMPARED_TWO(__hip_bfloat16, eq)
LAYOUTALG_HIP_COMPARED_TWO(__hip_bfloat16, ne)
LAYOUTALG_HIP_COMPARED_TWO(__hip_bfloat16, lt)
LAYOUTALG_HIP_COMPARED_TWO(__hip_bfloat16, le)
LAYOUTALG_HIP_COMPARED_TWO(__hip_bfloat16, ge)
LAYOUTALG_HIP_COMPARED_BOTH(__hip_bfloat16, gt)
LAYOUTALG_HIP_COMPARED_BOTH(__hip_bfloat16, equ)
LAYOUTALG_HIP_COMPARED_BOTH(__hip_bfloat16, ltu)
LAYOUTALG_HIP_COMPARED_BOTH(__hip_bfloat16, leu)
LAYOUTALG_HIP_COMPARED_BOTH(__hip_bfloat16, gtu)
LAYOUTALG_HIP_COMPARED_BOTH(__hip_bfloat16, geu)
LAYOUTALG_HIP_HOST bool __hbneu2(__hip_bfloat162 x, __hip_bfloat162 y) {  // of either, as HIP has it
    return __hneu(x.x, y.x) || __hneu(x.y, y.y);
}
LAYOUTALG_HIP_HOST bool __hisnan(__hip_bfloat16 x) { return (__bfloat16_as_ushort(x) & 0x7FFF) > 0x7F80; }
LAYOUTALG_HIP_HOST int __hisinf(__hip_bfloat16 x) { return (__bfloat16_as_ushort(x) & 0x7FFF) == 0x7F80; }
LAYOUTALG_HIP_BRAIN_REFUSED("1.0 of the upper half, whatever it holds: compare x and y by __hgt")
__device__ __hip_bfloat162 __hgt2(__hip_bfloat162, __hip_bfloat162);
LAYOUTALG_HIP_BRAIN_REFUSED("1.0 of the upper half, whatever it holds: ask x and y by __hisnan")
__device__ __hip_bfloat162 __hisnan2(__hip_bfloat162);

// The other one where one is a NaN.
LAYOUTALG_HIP_HOST __hip_bfloat16 __hmax(__hip_bfloat16 x, __hip_bfloat16 y) {
    return __builtin_elementwise_maxnum(layoutalg_hip_native(x), layoutalg_hip_native(y));
}
LAYOUTALG_HIP_HOST __hip_bfloat16 __hmin(__hip_bfloat16 x, __hip_bfloat16 y) {
    return __builtin_elementwise_minnum(layoutalg_hip_native(x), layoutalg_hip_native(y));
}
LAYOUTALG_HIP_HOST __hip_bfloat162 __hmax2(__hip_bfloat162 x, __hip_bfloat162 y) {
    return {__hmax(x.x, y.x), __hmax(x.y, y.y)};
}
LAYOUTALG_HIP_HOST __hip_bfloat162 __hmin2(__hip_bfloat162 x, __hip_bfloat162 y) {
    return {__hmin(x.x, y.x), __hmin(x.y, y.y)};
}

#define LAYOUTALG_HIP_BRAIN_OPERATOR(CLASS, OP, FUNCTION)                                                      \
    LAYOUTALG_HIP_HOST CLASS operator OP(const CLASS& x, const CLASS& y) { return FUNCTION(x, y); }            \
    LAYOUTALG_HIP_HOST CLASS& operator OP##=(CLASS& x, const CLASS& y) { return x = FUNCTION(x, y); }
#define LAYOUTALG_HIP_BRAIN_STEP(CLASS, OP, FUNCTION, ONE)                                                     \
    LAYOUTALG_HIP_HOST CLASS& operator OP##OP(CLASS& x) { return x = FUNCTION(x, ONE); }                       \
    LAYOUTALG_HIP_HOST CLASS operator OP##OP(CLASS& x, int) {                                                  \
        CLASS before = x;                                                                                      \
        OP##OP x;                                                                                              \
        return before;                                                                                         \
    }
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat16, +, __hadd)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat16, -, __hsub)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat16, *, __hmul)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat16, /, __hdiv)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat162, +, __hadd2)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat162, -, __hsub2)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat162, *, __hmul2)
LAYOUTALG_HIP_BRAIN_OPERATOR(__hip_bfloat162, /, __h2div)
LAYOUTALG_HIP_BRAIN_STEP(__hip_bfloat16, +, __hadd, HIPRT_ONE_BF16)
LAYOUTALG_HIP_BRAIN_STEP(__hip_bfloat16, -, __hsub, HIPRT_ONE_BF16)
LAYOUTALG_HIP_BRAIN_STEP(__hip_bfloat162, +, __hadd2, __bfloat162bfloat162(HIPRT_ONE_BF16))
LAYOUTALG_HIP_BRAIN_STEP(__hip_bfloat162, -, __hsub2, __bfloat162bfloat162(HIPRT_ONE_BF16))
LAYOUTALG_HIP_HOST __hip_bfloat16 operator+(const __hip_bfloat16& x) { return x; }
LAYOUTALG_HIP_HOST __hip_bfloat16 operator-(const __hip_bfloat16& x) { return __hneg(x); }
LAYOUTALG_HIP_HOST __hip_bfloat162 operator+(const __hip_bfloat162& x) { return x; }
LAYOUTALG_HIP_HOST __hip_bfloat162 operator-(const __hip_bfloat162& x) { return __hneg2(x); }

#define LAYOUTALG_HIP_BRAIN_COMPARED(OP, FUNCTION)                                                             \
    LAYOUTALG_HIP_HOST bool operator OP(const __hip_bfloat16& x, const __hip_bfloat16& y) { return FUNCTION(x, y); }
LAYOUTALG_HIP_BRAIN_COMPARED(==, __heq)
LAYOUTALG_HIP_BRAIN_COMPARED(!=, __hneu)
LAYOUTALG_HIP_BRAIN_COMPARED(<, __hlt)
LAYOUTALG_HIP_BRAIN_COMPARED(<=, __hle)
LAYOUTALG_HIP_BRAIN_COMPARED(>, __hgt)
LAYOUTALG_HIP_BRAIN_COMPARED(>=, __hge)
LAYOUTALG_HIP_HOST bool operator==(const __hip_bfloat162& x, const __hip_bfloat162& y) { return __hbeq2(x, y); }
LAYOUTALG_HIP_HOST bool operator!=(const __hip_bfloat162& x, const __hip_bfloat162& y) { return !(x == y); }
#define LAYOUTALG_HIP_BRAIN_UNORDERED(OP)                                                                      \
    LAYOUTALG_HIP_BRAIN_REFUSED("what x alone is beside x and y: compare x and y each")                        \
    __host__ __device__ bool operator OP(const __hip_bfloat162&, const __hip_bfloat162&);
LAYOUTALG_HIP_BRAIN_UNORDERED(<)
LAYOUTALG_HIP_BRAIN_UNORDERED(<=)
LAYOUTALG_HIP_BRAIN_UNORDERED(>)
LAYOUTALG_HIP_BRAIN_UNORDERED(>=)

// Mathematics: of f32, rounded; what is not one instruction by AMD's device library's names (hip_ocml.h).
#define LAYOUTALG_HIP_BRAIN_EACH(NAME, ...)                                                                    \
    LAYOUTALG_HIP __hip_bfloat16 h##NAME(__hip_bfloat16 a) {                                                   \
        float x = __bfloat162float(a);                                                                         \
        return __float2bfloat16(__VA_ARGS__);                                                                  \
    }                                                                                                          \
    LAYOUTALG_HIP __hip_bfloat162 h2##NAME(__hip_bfloat162 x) { return {h##NAME(x.x), h##NAME(x.y)}; }
LAYOUTALG_HIP_BRAIN_EACH(trunc, __builtin_elementwise_trunc(x))
LAYOUTALG_HIP_BRAIN_EACH(ceil, __builtin_elementwise_ceil(x))
LAYOUTALG_HIP_BRAIN_EACH(floor, __builtin_elementwise_floor(x))
LAYOUTALG_HIP_BRAIN_EACH(rint, __builtin_elementwise_rint(x))
LAYOUTALG_HIP_BRAIN_EACH(sqrt, __builtin_elementwise_sqrt(x))
LAYOUTALG_HIP_BRAIN_EACH(rcp, 1.0f / x)
LAYOUTALG_HIP_BRAIN_EACH(rsqrt, __ocml_rsqrt_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(exp, __ocml_exp_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(exp2, __ocml_exp2_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(exp10, __ocml_exp10_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(log, __ocml_log_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(log2, __ocml_log2_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(log10, __ocml_log10_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(sin, __ocml_sin_f32(x))
LAYOUTALG_HIP_BRAIN_EACH(cos, __ocml_cos_f32(x))

// Atomic additions, as of halves (hip_fp16.h).
LAYOUTALG_HIP __hip_bfloat16 atomicAdd(__hip_bfloat16* address, __hip_bfloat16 value) {
    return __hip_atomic_fetch_add(reinterpret_cast<__bf16*>(address), layoutalg_hip_native(value), __ATOMIC_RELAXED,
                                  __HIP_MEMORY_SCOPE_AGENT);
}
LAYOUTALG_HIP __hip_bfloat162 atomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) {
    return layoutalg_hip_atomic_add(address, value);
}
LAYOUTALG_HIP __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) {
#if __has_builtin(__builtin_amdgcn_flat_atomic_fadd_v2bf16)
    using Bits = short __attribute__((ext_vector_type(2)));
    return __builtin_bit_cast(__bf16_2, __builtin_amdgcn_flat_atomic_fadd_v2bf16(
                                            reinterpret_cast<Bits*>(address), __builtin_bit_cast(Bits, value)));
#else
    return layoutalg_hip_atomic_add(address, value);
#endif
}
LAYOUTALG_HIP __hip_bfloat16 unsafeAtomicAdd(__hip_bfloat16* address, __hip_bfloat16 value) {
    return atomicAdd(address, value);
}
