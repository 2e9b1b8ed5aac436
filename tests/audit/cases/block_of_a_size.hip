#include <hip/hip_runtime.h>

#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n)

//: proved with o[i] = x[i] * 2.0
KERNEL(each) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = x[i] * 2.0f;
}

//: proved with o[i] = x[i] * 2.0
KERNEL(stride_of_the_grid) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = x[i] * 2.0f;
}

// The last block's last threads have no element.
//: in_bounds refuted
KERNEL(without_guard) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = x[i] * 2.0f;
}

// Blocks of more than 128 threads overlap.
//: race_free refuted
KERNEL(blocks_128_apart) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) o[i] = x[i] + blockIdx.x;
}

//: proved with o[i] = x[i] * 2.0
KERNEL(handed_on_in_lds) {
  extern __shared__ float s[];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x, here = blockDim.x - 1 - t;
  if (first + t < n) s[t] = x[first + t] * 2.0f;
  __syncthreads();
  if (first + here < n) o[first + here] = s[here];
}

// One wave of 64 lanes needs no barrier; several do.
//: race_free refuted, initialised unknown
KERNEL(gathered_by_the_first_wave) {
  extern __shared__ float s[];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x;
  s[t] = first + t < n ? x[first + t] : 0.0f;
  if (t < 64)
    for (int k = t; k < blockDim.x; k += 64)
      if (first + k < n) o[first + k] = s[k];
}
