// A sum of a row is no greatest; terms beyond a range, and noughts that no index has, are none of its terms (own code).
#include <hip/hip_runtime.h>
#define LEAST -__builtin_inff()
#define KERNEL(name, first, turns, step, last) \
  extern "C" __global__ void name(const float* x, const float* w, float* o, int m, int k) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < m) { float s = first; _Pragma("nounroll") for (int j = 0; j < turns; j++) s = step; o[i] = last; } }

//: proved with o[i] = sum[j] w[i] * x[i, j]
//: computes refuted with o[i] = max[j] w[i] * x[i, j]
KERNEL(sum, 0, k, s + x[i * k + j], w[i] * s)
// the statement ends a term before the loop does
//: proved with o[i] = sum[j < 5] where(j < K, x[i, j], 0)
//: computes refuted with o[i] = sum[j < 4] where(j < K, x[i, j], 0)
KERNEL(sum_of_five, 0, 5, s + (j < k ? x[i * k + j] : 0.0f), s)
// of numbers below nought the greatest of three is not the greatest of three and nought
//: computes refuted with o[i] = max[j] where(j < 3, x[i, j], 0.0)
KERNEL(greatest_of_three, LEAST, k, fmaxf(s, j < 3 ? x[i * k + j] : LEAST), s)
// a nought that no index has is no candidate
//: proved with o[i] = max[j] x[i, j]
//: proved with o[i] = max[j] where(j < K, x[i, j], 0)
//: computes refuted with o[i] = max[j] where(j < K - 1, x[i, j], 0)
//: slow
//: computes refuted with o[i] = sum[j] x[i, j]
//: computes refuted with o[i] = max[j < K + 1] where(j < K, x[i, j], 0)
KERNEL(greatest, LEAST, k, fmaxf(s, x[i * k + j]), s)
