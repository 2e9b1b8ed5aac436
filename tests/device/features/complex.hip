//@ complex: of floats and doubles
#include <hip/hip_complex.h>
extern "C" __global__ void complex_numbers(hipFloatComplex* x, hipDoubleComplex* y, float* f, double* d) {
    hipComplex z = make_hipComplex(1.0f, -1.0f);
    x[0] = hipCmulf(x[1], hipCaddf(x[2], hipConjf(z)));
    x[3] = hipCfmaf(hipCsubf(x[1], x[2]), make_hipFloatComplex(0.5f, 2.0f), hipCdivf(x[4], z));
    y[0] = hipCmul(y[1], hipCadd(y[2], hipConj(hipComplexFloatToDouble(z))));
    y[3] = hipCfma(hipCsub(y[1], y[2]), make_hipDoubleComplex(0.5, 2.0), hipCdiv(y[4], y[5]));
    x[5] = hipComplexDoubleToFloat(y[0]);
    f[0] = hipCabsf(x[1]) + hipCsqabsf(x[2]) + hipCrealf(x[3]) + hipCimagf(x[4]);
    d[0] = hipCabs(y[1]) + hipCsqabs(y[2]) + hipCreal(y[3]) + hipCimag(y[4]);
}

//@ complex: the types of libraries
#include <hip/hip_runtime.h>
#include <hip/library_types.h>
static_assert(HIP_R_16F == 2 && HIP_R_16BF == 14 && HIP_R_8F_E4M3_FNUZ == 1000);
extern "C" __global__ void complex_nothing() {}
