// A product of matrices that two waves compute, each for itself, and both store to one place of LDS (own code).
#include <hip/hip_runtime.h>
typedef _Float16 Halves __attribute__((ext_vector_type(4)));
typedef float Sums __attribute__((ext_vector_type(16)));
#define KERNEL(name) extern "C" __global__ void name(const Halves* x, float* o)

__device__ void stored_by_both(Halves a, Halves b, Sums c, float* o) {
  __shared__ float s[16][64];
  Sums d = __builtin_amdgcn_mfma_f32_32x32x8f16(a, b, c, 0, 0, 0);
  for (int k = 0; k < 16; k++) s[k][threadIdx.x % 64] = d[k];
  __syncthreads();
  for (int k = 0; k < 8; k++) o[blockIdx.x * 1024 + k * 128 + threadIdx.x] = s[k * 2 + threadIdx.x / 64][threadIdx.x % 64];
}

//: proved
KERNEL(same_operands) {
  int lane = threadIdx.x % 64;
  stored_by_both(x[lane], x[64 + lane], Sums{}, o);
}
//: race_free refuted
KERNEL(another_b) {
  int lane = threadIdx.x % 64;
  stored_by_both(x[lane], x[64 + threadIdx.x], Sums{}, o);
}
// lanes have what the other wave's have, in another order
//: race_free refuted
KERNEL(exchanged_lanes) {
  int lane = threadIdx.x % 64, wave = threadIdx.x / 64;
  stored_by_both(x[lane], x[64 + (lane ^ wave)], Sums{}, o);
}
// one lane alone has another, which reaches a row of the product
//: race_free refuted
KERNEL(one_lane) {
  int lane = threadIdx.x % 64;
  stored_by_both(x[threadIdx.x == 70 ? 7 : lane], x[64 + lane], Sums{}, o);
}
//: race_free refuted
KERNEL(another_beginning) {
  int lane = threadIdx.x % 64;
  Sums c{};
  c[3] = threadIdx.x / 64;
  stored_by_both(x[lane], x[64 + lane], c, o);
}
