// Two stores of one word in one thread: which sum it is depends on the element that is stored (own code).
#include <hip/hip_runtime.h>
//: proved with o[i] = rsq((sum[j] x[i % M, j]) + 1.0)
//: computes refuted with o[i] = rsq((sum[j] x[i, j]) + 1.0)
extern "C" __global__ void twice(const float* x, float* o, int m, int k) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < m) {
    float s = 0;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int j = 0; j < k; j++) s += x[i * k + j];
    float r = rsqrtf(s + 1.0f);
    o[i] = r;
    o[i + m] = r;
  }
}
