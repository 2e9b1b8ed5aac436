// Functions of several instructions: proved where a kernel has a compiler's own, and never where it has another (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, written) \
  extern "C" __global__ void name(const _Float16* x, const _Float16* y, _Float16* o, int n) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < n) { _Float16 a = x[i], b = y[i]; o[i] = written; } }

//: proved on gfx942 with o[i] = x[i] / y[i]
KERNEL(quotient, a / b)
//: computes unknown on gfx942 with o[i] = x[i] / y[i]
KERNEL(quotient_in_single, (_Float16)((float)a / (float)b + 0.0f))
