//@ numbers of eight bits: conversions by name
#include <hip/hip_fp8.h>
extern "C" __global__ void eight_conversions(__hip_fp8_storage_t* x, __hip_fp8x2_storage_t* y, float* f, double* d, __half* h) {
    x[0] = __hip_cvt_float_to_fp8(f[0], __HIP_SATFINITE, __HIP_E4M3_FNUZ); x[1] = __hip_cvt_float_to_fp8(f[0], __HIP_NOSAT, __HIP_E5M2);
    x[2] = __hip_cvt_double_to_fp8(d[0], __HIP_SATFINITE, __HIP_E4M3); x[3] = __hip_cvt_halfraw_to_fp8(h[0], __HIP_NOSAT, __HIP_E5M2_FNUZ);
    x[4] = __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16(f[1]), __HIP_SATFINITE, __HIP_E4M3_FNUZ);
    y[0] = __hip_cvt_float2_to_fp8x2(make_float2(f[0], f[1]), __HIP_SATFINITE, __HIP_E4M3_FNUZ);
    y[1] = __hip_cvt_double2_to_fp8x2(make_double2(d[0], d[1]), __HIP_SATFINITE, __HIP_E5M2);
    y[2] = __hip_cvt_halfraw2_to_fp8x2(__half2(h[0], h[1]), __HIP_SATFINITE, __HIP_E5M2_FNUZ);
    h[2] = __hip_cvt_fp8_to_halfraw(x[5], __HIP_E4M3_FNUZ);
    __half2 two = __hip_cvt_fp8x2_to_halfraw2(y[3], __HIP_E4M3);
    h[3] = two.y;
}

//@ numbers of eight bits: the classes
#include <hip/hip_fp8.h>
template <typename One, typename Two, typename Four> __device__ void eight_class(unsigned char* c, float* f, int* n, double* d, __half* h) {
    One a, b(f[0]), e = One(n[0]), g(d[0]), k(h[0]), l = One(__hip_bfloat16(1.0f));
    a.__x = c[0];
    c[1] = b.__x + e.__x + g.__x + k.__x + l.__x;
    f[2] = a; d[1] = a; h[1] = a; n[1] = (int)a + (short)b + (unsigned char)e + (long)g; if ((bool)a) n[2] = 1;
    f[3] = static_cast<float>(One(f[4])) + float(a);
    Two two(make_float2(f[5], f[6]));
    float2 both = two;
    Four four(make_float4(f[0], f[1], f[2], f[3]));
    float4 all = four;
    f[7] = both.x + all.w; *reinterpret_cast<unsigned*>(c + 4) = four.__x; *reinterpret_cast<Two*>(c + 8) = two;
}
extern "C" __global__ void eight_classes(unsigned char* c, float* f, int* n, double* d, __half* h) {
    eight_class<__hip_fp8_e4m3_fnuz, __hip_fp8x2_e4m3_fnuz, __hip_fp8x4_e4m3_fnuz>(c, f, n, d, h);
    eight_class<__hip_fp8_e5m2_fnuz, __hip_fp8x2_e5m2_fnuz, __hip_fp8x4_e5m2_fnuz>(c, f, n, d, h);
    eight_class<__hip_fp8_e4m3, __hip_fp8x2_e4m3, __hip_fp8x4_e4m3>(c, f, n, d, h);
    eight_class<__hip_fp8_e5m2, __hip_fp8x2_e5m2, __hip_fp8x4_e5m2>(c, f, n, d, h);
}
