// Coordinates of unknown lengths by divisions at run time, laid out in another order (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int a, int b, int n)
#define BY(place) \
  { int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return; \
    int c = n / (a * b), k = i % a, j = i / a % b, m = i / (a * b); o[place] = x[i]; }

//: proved
KERNEL(turned) BY((k * b + j) * c + m)
// two rows in one
//: unproved
KERNEL(without_a_row) BY(k * c + m)
