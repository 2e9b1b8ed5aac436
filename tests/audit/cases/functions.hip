// Functions that are several instructions: what comes out is what this compiler makes of them, and nothing near it.
#include <hip/hip_runtime.h>
#define KERNEL(name, term) \
  extern "C" __global__ void name(const float* x, float* o, int n) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < n) o[i] = term; \
  }
//: proved with o[i] = 0.5 * x[i] * (1.0 + erf(x[i] * 0.70710678))
//: computes refuted with o[i] = 0.5 * x[i] * (1.0 - erf(x[i] * 0.70710678))
KERNEL(gelu, 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f)))
//: proved with o[i] = expm1(x[i])
//: computes unknown with o[i] = exp(x[i]) - 1.0
KERNEL(expm1_of, expm1f(x[i]))
//: proved with o[i] = log1p(x[i])
//: computes unknown with o[i] = log(1.0 + x[i])
KERNEL(log1p_of, log1pf(x[i]))
