// Functions of several instructions: proved where a kernel has a compiler's own, and never where it has another (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, written) \
  extern "C" __global__ void name(const double* x, const double* y, double* o, int n) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < n) { double a = x[i], b = y[i]; o[i] = written; } }

//: computes unknown on gfx942 with o[i] = sqrt(x[i])
KERNEL(root_by_instruction, __builtin_amdgcn_sqrt(a))
//: slow
//: proved on gfx942 with o[i] = x[i] / y[i]
KERNEL(quotient, a / b)
//: proved on gfx942 with o[i] = sqrt(x[i])
KERNEL(root, sqrt(a))
//: computes unknown on gfx942 with o[i] = rcp(x[i])
KERNEL(reciprocal_by_instruction, __builtin_amdgcn_rcp(a))
//: computes unknown on gfx942 with o[i] = rsq(x[i])
KERNEL(reciprocal_root_by_instruction, __builtin_amdgcn_rsq(a))
//: computes refuted on gfx942 with o[i] = x[i] / y[i]
KERNEL(quotient_in_single, (double)((float)a / (float)b))
