// Stores to LDS that are masked by an address that no LDS has, as Triton masks them: the machine drops them.
// All is safe; what is stored twice to a place, of which the second is masked, is not followed.
#include <hip/hip_runtime.h>
#define IN_LDS __attribute__((address_space(3)))
__device__ void stored(const float* x, float* o, int n, int count, unsigned mask, unsigned read) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 0;
  asm volatile("" ::: "memory");
  unsigned first = (unsigned)(unsigned long long)(IN_LDS float*)s;
  float v = t < n ? x[t] : 7.0f;
  unsigned at = t < count ? first + t * 4 : mask;
  asm volatile("" : "+v"(at));
  *(volatile IN_LDS float*)at = v;
  unsigned from = t < n ? first + t * 4 : read;
  o[t] = read ? *(volatile IN_LDS float*)from : s[t];
}
#define KERNEL(name, ...) extern "C" __global__ void __launch_bounds__(64) name(const float* x, float* o, int n) { stored(x, o, n, __VA_ARGS__); }
//: computes unknown
KERNEL(masked, n, 0x7fffffff, 0)
//: computes unknown
KERNEL(masked_with_an_immediate, n, 0x7fffffff + 0x10, 0)
//: computes refuted
KERNEL(one_less, n - 1, 0x7fffffff, 0)
//: computes refuted
KERNEL(one_more, n + 1, 0x7fffffff, 0)
//: lds_in_bounds refuted, race_free unknown, computes unknown
KERNEL(behind_the_last, n, 256, 0)
//: lds_in_bounds refuted, race_free unknown, computes unknown
KERNEL(before_the_first, n, -4u, 0)
//: lds_in_bounds refuted, race_free unknown, computes unknown
KERNEL(far_behind, n, 1u << 20, 0)
//: lds_in_bounds refuted, aligned unknown, computes unknown, initialised unknown
KERNEL(loads_by_a_mask, n, 0x7fffffff, 0x7fffffff)
