// Complex numbers, as HIP has them: hipFloatComplex is float2, hipDoubleComplex is double2 (HIP, hip_complex.h).
//
// The functions of double have the names of float's without the f at the end: hipCaddf, hipCadd. Operators are those of
// float2, element by element: a product of complex numbers is hipCmulf.
#pragma once

#include <hip/hip_runtime.h>

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define LAYOUTALG_HIP_COMPLEX(C, T, F)                                                                             \
    LAYOUTALG_HIP_HOST C make_##C(T x, T y) { return C(x, y); }                                                    \
    LAYOUTALG_HIP_HOST T hipCreal##F(C z) { return z.x; }                                                          \
    LAYOUTALG_HIP_HOST T hipCimag##F(C z) { return z.y; }                                                          \
    LAYOUTALG_HIP_HOST C hipConj##F(C z) { return C(z.x, -z.y); }                                                  \
    LAYOUTALG_HIP_HOST T hipCsqabs##F(C z) { return z.x * z.x + z.y * z.y; }                                       \
    LAYOUTALG_HIP_HOST T hipCabs##F(C z) { return __builtin_elementwise_sqrt(hipCsqabs##F(z)); }                   \
    LAYOUTALG_HIP_HOST C hipCadd##F(C p, C q) { return C(p.x + q.x, p.y + q.y); }                                  \
    LAYOUTALG_HIP_HOST C hipCsub##F(C p, C q) { return C(p.x - q.x, p.y - q.y); }                                  \
    LAYOUTALG_HIP_HOST C hipCmul##F(C p, C q) { return C(p.x * q.x - p.y * q.y, p.y * q.x + p.x * q.y); }          \
    LAYOUTALG_HIP_HOST C hipCdiv##F(C p, C q) {                                                                    \
        T square = hipCsqabs##F(q);                                                                                \
        return C((p.x * q.x + p.y * q.y) / square, (p.y * q.x - p.x * q.y) / square);                              \
    }                                                                                                              \
    LAYOUTALG_HIP_HOST C hipCfma##F(C p, C q, C r) {                                                               \
        T real = p.x * q.x + r.x, imaginary = q.x * p.y + r.y;                                                     \
        return C(-(p.y * q.y) + real, p.x * q.y + imaginary);                                                      \
    }
LAYOUTALG_HIP_COMPLEX(hipFloatComplex, float, f)
LAYOUTALG_HIP_COMPLEX(hipDoubleComplex, double, )

LAYOUTALG_HIP_HOST hipComplex make_hipComplex(float x, float y) { return hipComplex(x, y); }
LAYOUTALG_HIP_HOST hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
    return hipFloatComplex((float)z.x, (float)z.y);
}
LAYOUTALG_HIP_HOST hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return hipDoubleComplex(z.x, z.y); }
