#include <hip/hip_runtime.h>

__global__ void add(const float* a, const float* b, float* o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = a[i] + b[i];
}
void host(const float* a, const float* b, float* o, int n) { add<<<(n + 1023) / 1024, 256>>>(a, b, o, n); }
