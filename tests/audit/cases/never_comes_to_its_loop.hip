// What is known of a loop's last turn is known where the wave comes to the loop: not for s = 0.
#include <hip/hip_runtime.h>
#define KERNEL(name, otherwise) \
  extern "C" __global__ __launch_bounds__(64) void name(const int* y, float* o, int n, int s) { \
    int t = threadIdx.x, i = t; \
    float sum = 0; \
    if (s >= 1) { \
      _Pragma("unroll 1") do { sum += y[t]; i += s; } while (i < n); \
      i = t * 16 + (i - n); \
    } else i = otherwise; \
    o[i] = sum; \
  }

//: proved
KERNEL(to_its_row, t * 16)
//: in_bounds refuted, race_free unknown
KERNEL(beyond_all_rows, 100000)
