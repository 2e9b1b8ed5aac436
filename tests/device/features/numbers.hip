//@ numbers: bits of words
#include <hip/device_functions.h>
extern "C" __global__ void number_bits(int* n, unsigned* u, long long* l, unsigned long long* w) {
    n[0] = __popc(n[1]) + __clz(n[2]) + __ffs(n[3]) + __popcll(l[0]) + __clzll(l[1]) + __ffsll(l[2]) + __ffsll(w[0]);
    u[0] = __brev(u[1]) + __bitextract_u32(u[2], 3, 5) + __bitinsert_u32(u[3], u[4], 3, 5) + __byte_perm(u[5], u[6], 0x5140);
    w[1] = __brevll(w[2]) + __bitextract_u64(w[3], 33, 7) + __bitinsert_u64(w[4], w[5], 3, 50) + __umul64hi(w[6], w[7]);
    l[3] = __mul64hi(l[4], l[5]);
    u[7] = __funnelshift_l(u[8], u[9], u[10]) + __funnelshift_r(u[8], u[9], 3) + __funnelshift_lc(u[8], u[9], 40) + __funnelshift_rc(u[8], u[9], u[11]);
    n[4] = __mul24(n[5], n[6]) + __mulhi(n[7], n[8]) + __hadd(n[9], n[10]) + __rhadd(n[11], n[12]) + __dp4a(n[1], n[2], n[3]);
    u[12] = __umul24(u[1], u[2]) + __umulhi(u[3], u[4]) + __uhadd(u[5], u[6]) + __urhadd(u[7], u[8]) + __usad(u[1], u[2], u[3]) + __sad(n[1], n[2], 3u) + __dp4a(u[1], u[2], u[3]);
}

//@ numbers: loads and stores with a hint
#include <hip/hip_runtime.h>
extern "C" __global__ void number_hints(float* x, float4* v) {
    x[0] = __ldg(x + 1) + __ldca(x + 2) + __ldcg(x + 3) + __ldcs(x + 4) + __ldlu(x + 5) + __ldcv(x + 6) + __ldg(v).x;
    __stwb(x + 7, 1.0f); __stcg(x + 8, 1.0f); __stcs(x + 9, 1.0f); __stwt(x + 10, 1.0f);
}

//@ numbers: conversions
#include <hip/hip_runtime.h>
#define NUMBER_TO(FROM, X) k += __##FROM##2int_##X(a) + __##FROM##2uint_##X(a) + __##FROM##2ll_##X(a) + __##FROM##2ull_##X(a);
#define NUMBER_TO_ALL(FROM) NUMBER_TO(FROM, rn) NUMBER_TO(FROM, rz) NUMBER_TO(FROM, rd) NUMBER_TO(FROM, ru)
#define NUMBER_OF(X) f += __int2float_##X(k) + __uint2float_##X(k) + __ll2float_##X(k) + __ull2float_##X(k) + __ll2double_##X(k) + __ull2double_##X(k) + __double2float_##X(y[2]);
extern "C" __global__ void number_conversions(float* x, double* y, long long* l) {
    long long k = 0; double f = __int2double_rn(l[1]) + __uint2double_rn(l[2]);
    { float a = x[0]; NUMBER_TO_ALL(float) }
    { double a = y[0]; NUMBER_TO_ALL(double) }
    NUMBER_OF(rn) NUMBER_OF(rz) NUMBER_OF(rd) NUMBER_OF(ru)
    l[0] = k + __float_as_int(x[1]) + __float_as_uint(x[2]) + __double_as_longlong(y[3]) + __double2hiint(y[4]) + __double2loint(y[5]);
    y[1] = f + __int_as_float(l[3]) + __uint_as_float(l[4]) + __longlong_as_double(l[5]) + __hiloint2double(3, 4);
}

//@ numbers: single roundings
#include <hip/hip_runtime.h>
extern "C" __global__ void number_roundings(float* x, double* y) {
    x[0] = __fadd_rn(x[1], x[2]) + __fsub_rn(x[1], x[2]) + __fmul_rn(x[1], x[2]) + __fdiv_rn(x[1], x[2]) + __fmaf_rn(x[1], x[2], x[3]) + __frcp_rn(x[1]) + __fsqrt_rn(x[1]) + __frsqrt_rn(x[1]);
    y[0] = __dadd_rn(y[1], y[2]) + __dsub_rn(y[1], y[2]) + __dmul_rn(y[1], y[2]) + __ddiv_rn(y[1], y[2]) + __fma_rn(y[1], y[2], y[3]) + __drcp_rn(y[1]) + __dsqrt_rn(y[1]);
}

//@ numbers: least and most of two types, integers as arguments
#include <hip/hip_runtime.h>
extern "C" __global__ void number_orders(float* x, double* y, int* n, unsigned* u, long* l, size_t* s) {
    n[0] = min(n[1], n[2]) + max(n[3], 5); l[0] = min(l[1], n[4]) + max(s[0], u[1]) + max(u[2], n[5]) + min(s[1], (size_t)3);
    x[0] = max(x[1], 0) + min(x[2], 3.0f) + fmaxf(x[3], 0); y[0] = max(y[1], x[4]) + min(1.0, y[2]) + fmin(y[3], x[5]) + fmax(x[6], 2.0);
    y[4] = sqrt(n[6]) + pow(n[7], 2) + pow(x[7], 2) + pow(y[5], 3) + pow(2.0, n[8]) + pow(2, x[8]) + exp(n[9]) + log(u[3]) + floor(n[10]) + fabs(n[11]);
    n[12] = abs(n[13]) + llabs(l[2]) + labs(l[3]); x[9] = abs(x[10]) + fabs(x[11]); y[6] = abs(y[7]) + atan2(y[8], 1) + fmod(x[12], 2);
}
