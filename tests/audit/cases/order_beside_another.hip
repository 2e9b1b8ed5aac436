// An order holds where all elements of its assumption are in their tensors, and is no order of the others.
#include <hip/hip_runtime.h>
//: unproved
extern "C" __global__ __launch_bounds__(64) void steps(const int* s, const int* a, const float* x, float* o) {
  int t = threadIdx.x;
  int low = s[t], high = s[t + 1];
  o[t] = a[0] + x[high - low];
}
