//@ brain floats: conversions and operators
#include <hip/hip_bf16.h>
extern "C" __global__ void brain_operators(__hip_bfloat16* x, __hip_bfloat162* y, float* f, int* n) {
    __hip_bfloat16 a = x[0], b = 2.0f, c = 3, d(f[0]), e = f[1];
    f[2] = a; f[3] = (float)b; n[0] = (int)a; x[1] = 1.0f;
    x[2] = a + b * c - d / e; a += b; a -= b; a *= b; a /= b; x[3] = -a; x[4] = a++; x[5] = --b;
    if (a < b || a >= b || a == b || a != b || a > b || a <= b) x[6] = a;
    __hip_bfloat162 g = y[0], h(a, b);
    y[1] = -(g + h * g - h / g); g += h; g *= h; y[2] = ++g; g.x = b;
    if (g == h || g != h) y[3] = __hip_bfloat162{g.y, h.x};
    float2 both = g;
    f[4] = both.y; __bf16 native = a; x[7] = native;
}

//@ brain floats: by name
#include <hip/hip_bf16.h>
#define BRAINS_COMPARED(NAME) k += __h##NAME(a, b) + __hb##NAME##2(c, d);
extern "C" __global__ void brain_functions(__hip_bfloat16* x, __hip_bfloat162* y, float* f, int* n) {
    __hip_bfloat16 a = __float2bfloat16(f[0]), b = __double2bfloat16(f[1]);
    __hip_bfloat162 c = __halves2bfloat162(a, b), d = __float22bfloat162_rn(make_float2(f[2], f[3]));
    x[0] = __hadd(__hsub(a, b), __hmul(a, __hdiv(b, a))); x[1] = __hfma(a, b, a); x[2] = __habs(__hneg(a));
    x[3] = __hmax(a, b); x[4] = __hmin(a, b); x[5] = __hadd_rn(a, b);
    y[0] = __hadd2(__hsub2(c, d), __hmul2(c, __h2div(d, c))); y[1] = __hfma2(c, d, c); y[2] = __habs2(__hneg2(c));
    y[3] = __hmax2(c, d); y[4] = __hmin2(c, d); y[5] = __heq2(c, d); y[6] = __hle2(c, d);
    int k = __hisnan(a) + __hisinf(b);
    BRAINS_COMPARED(eq) BRAINS_COMPARED(ne) BRAINS_COMPARED(lt) BRAINS_COMPARED(le) BRAINS_COMPARED(gt) BRAINS_COMPARED(ge)
    BRAINS_COMPARED(equ) BRAINS_COMPARED(neu) BRAINS_COMPARED(ltu) BRAINS_COMPARED(leu) BRAINS_COMPARED(gtu) BRAINS_COMPARED(geu)
    n[0] = k + __bfloat16_as_ushort(a) + __bfloat16_as_short(b);
    x[6] = __ushort_as_bfloat16(n[1]); x[7] = __short_as_bfloat16(n[2]); x[8] = __low2bfloat16(c); x[9] = __high2bfloat16(c);
    y[7] = __low2bfloat162(c); y[8] = __highs2bfloat162(c, d); y[9] = __lowhigh2highlow(c); y[10] = __bfloat162bfloat162(a);
    f[4] = __bfloat162float(a) + __low2float(c) + __high2float(d) + __bfloat1622float2(c).x;
    __hip_bfloat16_raw raw = a;
    raw.x ^= 0x8000;
    x[10] = raw; x[11] = HIPRT_INF_BF16; x[12] = __int2bfloat16_rn(n[3]);
}

//@ brain floats: mathematics, lanes and memory
#include <hip/hip_bf16.h>
extern "C" __global__ void brain_mathematics(__hip_bfloat16* x, __hip_bfloat162* y) {
    x[0] = hsqrt(hexp(hlog(x[0]))); x[1] = hrsqrt(hexp2(hlog2(x[1]))); x[2] = hrcp(hexp10(hlog10(x[2])));
    x[7] = hsin(x[8]); y[5] = h2cos(y[6]);
    x[3] = htrunc(hceil(hfloor(hrint(x[3]))));
    y[0] = h2sqrt(h2exp(h2log(y[0]))); y[1] = h2rsqrt(h2rcp(h2trunc(h2ceil(h2floor(h2rint(y[1]))))));
    __hip_bfloat16 a = __ldg(x + 4);
    __hip_bfloat162 b = y[2];
    for (int step = 32; step > 0; step /= 2) a += __shfl_down(a, step), b += __shfl_xor(b, step);
    atomicAdd(x + 5, a); atomicAdd(y + 3, b); unsafeAtomicAdd(x + 6, a); unsafeAtomicAdd(y + 4, b);
}

//@ brain floats: the older class
#include <hip/hip_bfloat16.h>
extern "C" __global__ void brain_older(hip_bfloat16* x, float* f, unsigned short* bits) {
    hip_bfloat16 a = x[0], b(f[0]), c(f[1], hip_bfloat16::truncate), d;
    d = f[2]; d.data ^= 0x8000; bits[0] = a.data;
    f[3] = a; f[4] = float(a) * 2.0f;
    x[1] = a + b * c - d / a; a += b; x[2] = -a++; x[3] = static_cast<hip_bfloat16>(f[5]); x[4] = hip_bfloat16::round_to_bfloat16(f[6]);
    if (a < b || a == c || std::isnan(a) || std::isinf(b)) x[5] = a;
}
