// Operations on the bits of one word and on small integers packed in it, and loads and stores with a hint.
#pragma once

LAYOUTALG_HIP int __popc(unsigned x) { return __builtin_popcount(x); }
LAYOUTALG_HIP int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
LAYOUTALG_HIP int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
LAYOUTALG_HIP int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
LAYOUTALG_HIP int __ffs(unsigned x) { return x ? __builtin_ctz(x) + 1 : 0; }
LAYOUTALG_HIP int __ffs(int x) { return __ffs((unsigned)x); }
LAYOUTALG_HIP int __ffsll(unsigned long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
LAYOUTALG_HIP int __ffsll(long long x) { return __ffsll((unsigned long long)x); }
LAYOUTALG_HIP int __ffsll(unsigned long x) { return __ffsll((unsigned long long)x); }
LAYOUTALG_HIP int __ffsll(long x) { return __ffsll((unsigned long long)x); }
LAYOUTALG_HIP int __lastbit_u32_u64(unsigned long long x) { return __ffsll(x) - 1; }
LAYOUTALG_HIP unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
LAYOUTALG_HIP unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// `width` bits from bit `at` on; of none 0.
LAYOUTALG_HIP unsigned __bitextract_u32(unsigned x, unsigned at, unsigned width) {
    return x >> (at & 31) & ((1u << (width & 31)) - 1);
}
LAYOUTALG_HIP unsigned long long __bitextract_u64(unsigned long long x, unsigned at, unsigned width) {
    return x >> (at & 63) & ((1ull << (width & 63)) - 1);
}
LAYOUTALG_HIP unsigned __bitinsert_u32(unsigned x, unsigned bits, unsigned at, unsigned width) {
    unsigned mask = ((1u << (width & 31)) - 1) << (at & 31);
    return (x & ~mask) | (bits << (at & 31) & mask);
}
LAYOUTALG_HIP unsigned long long __bitinsert_u64(unsigned long long x, unsigned long long bits, unsigned at,
                                                 unsigned width) {
    unsigned long long mask = ((1ull << (width & 63)) - 1) << (at & 63);
    return (x & ~mask) | (bits << (at & 63) & mask);
}

// --- products, means, distances --------------------------------------------------------------------------------------

LAYOUTALG_HIP unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
LAYOUTALG_HIP int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
LAYOUTALG_HIP unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
LAYOUTALG_HIP long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
LAYOUTALG_HIP int __mul24(int a, int b) { return ((a << 8) >> 8) * ((b << 8) >> 8); }
LAYOUTALG_HIP unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
// The mean, rounded down, and rounded up; the sum does not overflow.
LAYOUTALG_HIP int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
LAYOUTALG_HIP int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
LAYOUTALG_HIP unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
LAYOUTALG_HIP unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
LAYOUTALG_HIP unsigned __usad(unsigned a, unsigned b, unsigned sum) { return (a > b ? a - b : b - a) + sum; }
LAYOUTALG_HIP unsigned __sad(int a, int b, unsigned sum) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + sum;
}

// --- two words as one ------------------------------------------------------------------------------------------------

LAYOUTALG_HIP unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return __builtin_elementwise_fshl(high, low, shift);
}
LAYOUTALG_HIP unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return __builtin_elementwise_fshr(high, low, shift);
}
LAYOUTALG_HIP unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
LAYOUTALG_HIP unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
// Four bytes of the eight of two words: three bits of each of the selector's four digits say which.
LAYOUTALG_HIP unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned bytes = (selector & 0x7) | (selector & 0x70) << 4 | (selector & 0x700) << 8 | (selector & 0x7000) << 12;
    return __builtin_amdgcn_perm(y, x, bytes);
}

// Products of four bytes each, added up.
LAYOUTALG_HIP int __dp4a(int a, int b, int sum) {
#pragma unroll
    for (int at = 0; at < 32; at += 8) sum += (int)(signed char)(a >> at) * (int)(signed char)(b >> at);
    return sum;
}
LAYOUTALG_HIP unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
#pragma unroll
    for (int at = 0; at < 32; at += 8) sum += (a >> at & 255) * (b >> at & 255);
    return sum;
}

// --- loads and stores ------------------------------------------------------------------------------------------------

// A hint on the cache that changes no value.
#define LAYOUTALG_HIP_LOAD(NAME, READ)          \
    template <typename T>                        \
    LAYOUTALG_HIP T NAME(const T* address) {     \
        return READ;                             \
    }
#define LAYOUTALG_HIP_STORE(NAME)                           \
    template <typename T>                                    \
    LAYOUTALG_HIP void NAME(T* address, T value) {           \
        *address = value;                                    \
    }
LAYOUTALG_HIP_LOAD(__ldg, *address)
LAYOUTALG_HIP_LOAD(__ldca, *address)
LAYOUTALG_HIP_LOAD(__ldcg, *address)
LAYOUTALG_HIP_LOAD(__ldcs, *address)
LAYOUTALG_HIP_LOAD(__ldlu, *address)
LAYOUTALG_HIP_LOAD(__ldcv, *(const volatile T*)address)
LAYOUTALG_HIP_STORE(__stwb)
LAYOUTALG_HIP_STORE(__stcg)
LAYOUTALG_HIP_STORE(__stcs)
LAYOUTALG_HIP_STORE(__stwt)
