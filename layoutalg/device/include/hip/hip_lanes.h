// What a wave's lanes tell each other, and operations on the bits of one word.
//
// The rules of `width` are HIP's: lanes fall into groups of `width`, a power of two; where the source would lie outside
// the group, __shfl takes it modulo the group, the others keep the lane's own value.
#pragma once

struct layoutalg_warp_size {
    __device__ __attribute__((always_inline)) operator int() const { return (int)__builtin_amdgcn_wavefrontsize(); }
};
static constexpr __device__ layoutalg_warp_size warpSize{};

LAYOUTALG_HIP unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }

// The value of another lane, by its number; DS_BPERMUTE_B32 moves four bytes.
template <typename T>
LAYOUTALG_HIP T layoutalg_of_lane(T value, int lane) {
    static_assert(sizeof(T) % 4 == 0 || sizeof(T) < 4, "a shuffle moves up to four bytes, or a multiple of four");
    int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int& word : words) word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

template <typename T>
LAYOUTALG_HIP T __shfl(T value, int source, int width = warpSize) {
    int self = (int)__lane_id();
    return layoutalg_of_lane(value, (source & (width - 1)) + (self & ~(width - 1)));
}

template <typename T>
LAYOUTALG_HIP T __shfl_up(T value, unsigned delta, int width = warpSize) {
    int self = (int)__lane_id(), source = self - (int)delta;
    return layoutalg_of_lane(value, source < (self & ~(width - 1)) ? self : source);
}

template <typename T>
LAYOUTALG_HIP T __shfl_down(T value, unsigned delta, int width = warpSize) {
    int self = (int)__lane_id(), source = self + (int)delta;
    return layoutalg_of_lane(value, (self & (width - 1)) + (int)delta >= width ? self : source);
}

template <typename T>
LAYOUTALG_HIP T __shfl_xor(T value, int mask, int width = warpSize) {
    int self = (int)__lane_id(), source = self ^ mask;
    return layoutalg_of_lane(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}

// A bit for each lane, of 64 also where a wave has 32.
LAYOUTALG_HIP unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate != 0); }
LAYOUTALG_HIP unsigned long long __activemask() { return __ballot(1); }
LAYOUTALG_HIP int __any(int predicate) { return __ballot(predicate) != 0; }
LAYOUTALG_HIP int __all(int predicate) { return __ballot(!predicate) == 0; }

LAYOUTALG_HIP int __popc(unsigned x) { return __builtin_popcount(x); }
LAYOUTALG_HIP int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LAYOUTALG_HIP int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
LAYOUTALG_HIP int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
LAYOUTALG_HIP int __ffs(unsigned x) { return x ? __builtin_ctz(x) + 1 : 0; }
LAYOUTALG_HIP int __ffs(int x) { return __ffs((unsigned)x); }
LAYOUTALG_HIP int __ffsll(unsigned long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
LAYOUTALG_HIP int __ffsll(long long x) { return __ffsll((unsigned long long)x); }
LAYOUTALG_HIP unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
LAYOUTALG_HIP unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
LAYOUTALG_HIP unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
LAYOUTALG_HIP int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
LAYOUTALG_HIP int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
LAYOUTALG_HIP unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
LAYOUTALG_HIP unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return __builtin_elementwise_fshl(high, low, shift);
}
LAYOUTALG_HIP unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return __builtin_elementwise_fshr(high, low, shift);
}
LAYOUTALG_HIP float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
LAYOUTALG_HIP int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
LAYOUTALG_HIP float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
LAYOUTALG_HIP unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
LAYOUTALG_HIP double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
LAYOUTALG_HIP long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }

template <typename T>
LAYOUTALG_HIP T __ldg(const T* address) {
    return *address;
}

LAYOUTALG_HIP void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
LAYOUTALG_HIP void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
LAYOUTALG_HIP void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// Four bytes of the eight of two words, chosen by the digits of `selector`: declared, no more.
__device__ unsigned __byte_perm(unsigned x, unsigned y, unsigned selector);
