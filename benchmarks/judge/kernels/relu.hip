#include <hip/hip_runtime.h>

__global__ void relu(const float* x, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = x[i] > 0.0f ? x[i] : 0.0f;
}
void host(const float* x, float* o, int n) { relu<<<(n + 255) / 256, 256>>>(x, o, n); }
