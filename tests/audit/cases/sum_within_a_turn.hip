// Another thread's sum over an inner loop, handed on by LDS within each turn of an outer one: two turns, of two loops
// (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, first, count, from, at) extern "C" __global__ __launch_bounds__(128) \
void name(const float* a, const float* b, float* c, int n, int m) { \
  __shared__ float handed[128]; int t = threadIdx.x, i = blockIdx.x * 128 + t, o = blockIdx.x * 128 + 127 - t; \
  float sum = 0, inner = 0; \
  _Pragma("unroll 1") for (int k = 0; k < n; ++k) { \
    inner = first; \
    _Pragma("unroll 1") for (int l = 0; l < count; ++l) inner += b[o * m + l]; \
    handed[t] = inner; __syncthreads(); sum += a[i * n + at] * handed[from]; __syncthreads(); } \
  c[i] = sum; }

//: proved
KERNEL(product, 0, m, 127 - t, k)
//: slow
//: computes refuted
KERNEL(goes_on_from_turn_to_turn, inner, m, 127 - t, k)
//: computes refuted
KERNEL(own_sum, 0, m, t, k)
//: computes refuted
KERNEL(an_element_too_few, 0, m - 1, 127 - t, k)
//: computes refuted
KERNEL(one_factor_in_all_turns, 0, m, 127 - t, 0)
