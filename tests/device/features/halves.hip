//@ halves: conversions that nobody writes
#include <hip/hip_fp16.h>
extern "C" __global__ void half_conversions(half* x, float* f, double* d, int* n, _Float16* native) {
    half a = 2.0f, b = 1.0, c = 3, e = x[0], nothing = half(), zero{};
    f[0] = e; d[0] = e; n[0] = e; native[0] = e; x[1] = native[1];
    x[2] = f[1]; x[3] = n[1]; x[4] = (half)d[1]; x[5] = static_cast<__half>(n[2]);
    if (e) x[6] = a;
    float both[2] = {a, b};
    f[2] = both[n[3] & 1] + float(c) + (float)nothing + __half2float(zero);
}

//@ halves: operators
#include <hip/hip_fp16.h>
extern "C" __global__ void half_operators(half* x, half2* y) {
    half a = x[0], b = x[1];
    x[2] = a + b * a - b / a; a += b; a -= b; a *= b; a /= b;
    x[3] = -a; x[4] = +a++; x[5] = --b;
    if (a < b || a >= b || a == b || a != b || a > b || a <= b) x[6] = a;
    half2 c = y[0], e(a, b);
    y[1] = -(c + e * c - e / c); c += e; c *= e; y[2] = ++c;
    if (c == e || c != e) y[3] = half2{c.y, e.x};
    c.x = b; y[4] = c;
}

//@ halves: their bits
#include <hip/hip_fp16.h>
extern "C" __global__ void half_bits(__half* x, __half2* y, unsigned short* bits) {
    __half_raw raw = x[0];
    raw.x ^= 0x8000;
    x[1] = raw; x[2] = __half(__half_raw{.x = 0x3C00}); x[3] = __ushort_as_half(bits[0]); x[4] = __short_as_half(7);
    bits[1] = __half_as_ushort(x[5]); bits[2] = __half_as_short(x[6]);
    x[7] = HIPRT_INF_FP16; x[8] = HIPRT_ONE_FP16;
    __half2_raw two = y[0];
    two.x.x = two.y.x;
    y[1] = two; *reinterpret_cast<unsigned*>(y + 2) = 0x3C003C00u; *(unsigned short*)&x[9] = 1;
}

//@ halves: arithmetic by name
#include <hip/hip_fp16.h>
extern "C" __global__ void half_arithmetic(half* x, half2* y) {
    half a = x[0], b = x[1];
    x[2] = __hadd(__hsub(a, b), __hmul(a, __hdiv(b, a))); x[3] = __hfma(a, b, a); x[4] = __habs(__hneg(a));
    x[5] = __hadd_sat(a, b); x[6] = __hsub_sat(a, b); x[7] = __hmul_sat(a, b); x[8] = __hfma_sat(a, b, a);
    x[9] = __hadd_rn(a, b); x[10] = __hsub_rn(a, b); x[11] = __hmul_rn(a, b); x[12] = __hmax(a, b); x[13] = __hmin(a, b);
    x[14] = __hmax_nan(a, b); x[15] = __hmin_nan(a, b);
    half2 c = y[0], d = y[1];
    y[2] = __hadd2(__hsub2(c, d), __hmul2(c, __h2div(d, c))); y[3] = __hfma2(c, d, c); y[4] = __habs2(__hneg2(c));
    y[5] = __hadd2_sat(c, d); y[6] = __hsub2_sat(c, d); y[7] = __hmul2_sat(c, d); y[8] = __hfma2_sat(c, d, c);
    y[9] = __hadd2_rn(c, d); y[10] = __hsub2_rn(c, d); y[11] = __hmul2_rn(c, d);
}

//@ halves: mathematics
#include <hip/hip_fp16.h>
extern "C" __global__ void half_mathematics(half* x, half2* y) {
    x[0] = htrunc(x[0]); x[1] = hceil(x[1]); x[2] = hfloor(x[2]); x[3] = hrint(x[3]); x[4] = hsqrt(x[4]); x[5] = hrsqrt(x[5]);
    x[6] = hrcp(x[6]); x[7] = hexp(x[7]); x[8] = hexp2(x[8]); x[9] = hexp10(x[9]); x[10] = hlog(x[10]); x[11] = hlog2(x[11]);
    x[12] = hlog10(x[12]); x[13] = hsin(x[13]); x[14] = hcos(x[14]);
    y[0] = h2trunc(y[0]); y[1] = h2ceil(y[1]); y[2] = h2floor(y[2]); y[3] = h2rint(y[3]); y[4] = h2sqrt(y[4]); y[5] = h2rsqrt(y[5]);
    y[6] = h2rcp(y[6]); y[7] = h2exp(y[7]); y[8] = h2exp2(y[8]); y[9] = h2exp10(y[9]); y[10] = h2log(y[10]); y[11] = h2log2(y[11]);
    y[12] = h2log10(y[12]); y[13] = h2sin(y[13]); y[14] = h2cos(y[14]);
}

//@ halves: comparisons
#include <hip/hip_fp16.h>
#define HALVES_COMPARED(NAME) \
    n += __h##NAME(x[0], x[1]) + __hb##NAME##2(y[0], y[1]); \
    y[2] = __h##NAME##2(y[0], y[1]);
extern "C" __global__ void half_comparisons(half* x, half2* y, int* o) {
    int n = __hisnan(x[0]) + __hisinf(x[1]);
    HALVES_COMPARED(eq) HALVES_COMPARED(ne) HALVES_COMPARED(lt) HALVES_COMPARED(le) HALVES_COMPARED(gt) HALVES_COMPARED(ge)
    HALVES_COMPARED(equ) HALVES_COMPARED(neu) HALVES_COMPARED(ltu) HALVES_COMPARED(leu) HALVES_COMPARED(gtu) HALVES_COMPARED(geu)
    o[0] = n;
    y[3] = __hisnan2(y[4]); y[5] = __hisinf2(y[6]);
}

//@ halves: between two, one, floats and integers
#include <hip/hip_fp16.h>
extern "C" __global__ void half_parts(half* x, half2* y, float* f, int* n, long long* l) {
    x[0] = __low2half(y[0]); x[1] = __high2half(y[0]); y[1] = __low2half2(y[0]); y[2] = __high2half2(y[0]);
    y[3] = __lows2half2(y[0], y[1]); y[4] = __highs2half2(y[0], y[1]); y[5] = __lowhigh2highlow(y[0]);
    y[6] = __half2half2(x[0]); y[7] = __halves2half2(x[0], x[1]); y[8] = make_half2(x[0], x[1]);
    y[9] = __float2half2_rn(f[0]); y[10] = __floats2half2_rn(f[0], f[1]); y[11] = __float22half2_rn(make_float2(f[0], f[1]));
    f[2] = __half22float2(y[0]).x + __low2float(y[1]) + __high2float(y[2]);
    x[2] = __float2half(f[0]); x[3] = __float2half_rn(f[0]); x[4] = __float2half_rz(f[0]); x[5] = __float2half_rd(f[0]);
    x[6] = __float2half_ru(f[0]); x[7] = __int2half_rn(n[0]); x[8] = __uint2half_rz(n[0]); x[9] = __short2half_rd(n[0]);
    x[10] = __ushort2half_ru(n[0]); x[11] = __ll2half_rn(l[0]); x[12] = __ull2half_rn(l[0]);
    n[1] = __half2int_rz(x[0]) + __half2uint_rn(x[1]) + __half2short_ru(x[2]) + __half2ushort_rd(x[3]);
    l[1] = __half2ll_rn(x[0]) + __half2ull_rz(x[1]);
}

//@ halves: between lanes and in memory
#include <hip/hip_fp16.h>
extern "C" __global__ void half_lanes(half* x, half2* y) {
    __shared__ half tile[64];
    tile[threadIdx.x] = __ldg(x + threadIdx.x);
    __syncthreads();
    half a = tile[63 - threadIdx.x];
    half2 b = __ldg(y + threadIdx.x);
    for (int step = 32; step > 0; step /= 2) a += __shfl_down(a, step), b += __shfl_xor(b, step);
    x[threadIdx.x] = __shfl(a, 0) + __shfl_up(a, 1);
    y[threadIdx.x] = __shfl(b, 3, 16);
    atomicAdd(x + 64, a); atomicAdd(y + 64, b); unsafeAtomicAdd(x + 65, a); unsafeAtomicAdd(y + 65, b);
}

//@ halves: as arguments, of templates, of the host
#include <hip/hip_fp16.h>
template <typename T> __device__ T half_twice(T x) { return x + x; }
template <typename T> struct half_vector { T data[8]; };
extern "C" __global__ void half_arguments(half scale, half2 two, half_vector<half> held, half* x) {
    x[0] = half_twice(scale) + half_twice(two).x + held.data[3];
}
void half_host(float* f) {
    half a(1.0f), b = __float2half(2.0f);
    f[0] = __half2float(a + b) + (float)half2(a, b).y;
}
