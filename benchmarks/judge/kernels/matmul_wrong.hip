#include <hip/hip_runtime.h>

__global__ void matmul(const float* a, const float* b, float* o, int m, int n, int k) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0.0f;
  for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * k + j];
  o[i * n + j] = sum;
}
void host(const float* a, const float* b, float* o, int m, int n, int k) {
  matmul<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a, b, o, m, n, k);
}
