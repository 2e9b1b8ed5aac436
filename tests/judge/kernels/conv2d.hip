#include <hip/hip_runtime.h>
// x: c images of (m + 2) x (n + 2), w: f x c x 3 x 3, o: f x m x n
__global__ void conv2d(const float* x, const float* w, const float* bias, float* o, int c, int f, int m, int n) {
  int j = blockIdx.x * 64 + threadIdx.x, i = blockIdx.y, g = blockIdx.z;
  if (j >= n) return;
  float sum = bias[g];
  for (int k = 0; k < c; ++k)
    for (int p = 0; p < 3; ++p)
      for (int q = 0; q < 3; ++q) sum += x[(k * (m + 2) + i + p) * (n + 2) + j + q] * w[((g * c + k) * 3 + p) * 3 + q];
  o[(g * m + i) * n + j] = sum;
}
void host(const float* x, const float* w, const float* bias, float* o, int c, int f, int m, int n) {
  conv2d<<<dim3((n + 63) / 64, m, f), 64>>>(x, w, bias, o, c, f, m, n);
}
