// Scatters by elements of eight bytes that all differ (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const long long* x, int* o, int n) { \
    int t = blockIdx.x * 64 + threadIdx.x; __VA_ARGS__ }

//: proved
KERNEL(even_and_odd, if (t < n) { o[2 * x[t]] = t; o[2 * x[t + 256] + 1] = 0; })
// halves of elements
//: in_bounds unknown, race_free refuted
KERNEL(by_halves, o[((const int*)x)[t]] = t;)
//: race_free refuted
KERNEL(by_a_rest, o[(int)x[t] % 600] = t;)
