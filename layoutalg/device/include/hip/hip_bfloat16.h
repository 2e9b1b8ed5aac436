// HIP's older brain float, hip_bfloat16: a class whose one member is `data`, its bits. __hip_bfloat16 is in hip_bf16.h.
//
// It becomes a float by itself, and comes of one where that is written: hip_bfloat16(x) rounds to nearest even,
// hip_bfloat16(x, hip_bfloat16::truncate) cuts; a NaN stays one, its sign and upper bits too (ROCm/clr,
// hipamd/include/hip/amd_detail/amd_hip_bfloat16.h). Arithmetic is of f32, rounded.
#pragma once

#include <hip/hip_runtime.h>

struct hip_bfloat16 {
    unsigned short data;
    enum truncate_t { truncate };

    hip_bfloat16() = default;
    explicit LAYOUTALG_HIP_MEMBER hip_bfloat16(float x) : data(rounded(x)) {}
    explicit LAYOUTALG_HIP_MEMBER hip_bfloat16(float x, truncate_t) : data(cut(x)) {}
    LAYOUTALG_HIP_MEMBER operator float() const { return __builtin_bit_cast(float, (unsigned)data << 16); }
    LAYOUTALG_HIP_MEMBER hip_bfloat16& operator=(const float& x) {
        data = rounded(x);
        return *this;
    }
    static LAYOUTALG_HIP_MEMBER hip_bfloat16 round_to_bfloat16(float x) { return hip_bfloat16(x); }
    static LAYOUTALG_HIP_MEMBER hip_bfloat16 round_to_bfloat16(float x, truncate_t) {
        return hip_bfloat16(x, truncate);
    }

   private:
    static LAYOUTALG_HIP_MEMBER unsigned short cut(float x) {
        unsigned bits = __builtin_bit_cast(unsigned, x);
        return (unsigned short)(bits >> 16 | (x != x && (bits & 0xFFFF)));
    }
    static LAYOUTALG_HIP_MEMBER unsigned short rounded(float x) {
        unsigned bits = __builtin_bit_cast(unsigned, x);
        return x != x ? cut(x) : (unsigned short)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
};

#define LAYOUTALG_HIP_OLD_BRAIN(OP)                                                                            \
    LAYOUTALG_HIP_BOTH hip_bfloat16 operator OP(hip_bfloat16 x, hip_bfloat16 y) {                              \
        return hip_bfloat16(float(x) OP float(y));                                                             \
    }                                                                                                          \
    LAYOUTALG_HIP_BOTH hip_bfloat16& operator OP##=(hip_bfloat16& x, hip_bfloat16 y) { return x = x OP y; }
LAYOUTALG_HIP_OLD_BRAIN(+)
LAYOUTALG_HIP_OLD_BRAIN(-)
LAYOUTALG_HIP_OLD_BRAIN(*)
LAYOUTALG_HIP_OLD_BRAIN(/)
#define LAYOUTALG_HIP_OLD_BRAIN_STEP(OP)                                                                       \
    LAYOUTALG_HIP_BOTH hip_bfloat16& operator OP##OP(hip_bfloat16& x) { return x = x OP hip_bfloat16(1.0f); }  \
    LAYOUTALG_HIP_BOTH hip_bfloat16 operator OP##OP(hip_bfloat16& x, int) {                                    \
        hip_bfloat16 before = x;                                                                               \
        OP##OP x;                                                                                              \
        return before;                                                                                         \
    }
LAYOUTALG_HIP_OLD_BRAIN_STEP(+)
LAYOUTALG_HIP_OLD_BRAIN_STEP(-)
LAYOUTALG_HIP_BOTH hip_bfloat16 operator+(hip_bfloat16 x) { return x; }
LAYOUTALG_HIP_BOTH hip_bfloat16 operator-(hip_bfloat16 x) {
    x.data ^= 0x8000;
    return x;
}
// As HIP has them: <= and >= are > and <, denied, true of a NaN.
LAYOUTALG_HIP_BOTH bool operator==(hip_bfloat16 x, hip_bfloat16 y) { return float(x) == float(y); }
LAYOUTALG_HIP_BOTH bool operator<(hip_bfloat16 x, hip_bfloat16 y) { return float(x) < float(y); }
LAYOUTALG_HIP_BOTH bool operator!=(hip_bfloat16 x, hip_bfloat16 y) { return !(x == y); }
LAYOUTALG_HIP_BOTH bool operator>(hip_bfloat16 x, hip_bfloat16 y) { return y < x; }
LAYOUTALG_HIP_BOTH bool operator<=(hip_bfloat16 x, hip_bfloat16 y) { return !(x > y); }
LAYOUTALG_HIP_BOTH bool operator>=(hip_bfloat16 x, hip_bfloat16 y) { return !(x < y); }

namespace std {
LAYOUTALG_HIP_BOTH bool isnan(hip_bfloat16 x) { return (x.data & 0x7FFF) > 0x7F80; }
LAYOUTALG_HIP_BOTH bool isinf(hip_bfloat16 x) { return (x.data & 0x7FFF) == 0x7F80; }
LAYOUTALG_HIP_BOTH bool iszero(hip_bfloat16 x) { return (x.data & 0x7FFF) == 0; }
}  // namespace std
