// A product that is 2³² for the last row alone (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const unsigned char* x, unsigned char* o, unsigned m, unsigned n) { \
    unsigned i = blockIdx.x * 64 + threadIdx.x; \
    if (i < m) { __VA_ARGS__ } }

//: no_overflow refuted
KERNEL(product, o[i] = x[i * n + n - 1];)
