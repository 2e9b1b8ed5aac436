// Stores behind a loop that each lane leaves by what it loads: every element is stored to, or only some are.
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const float* x, float* o, int m, int k) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i >= m) return; \
    __VA_ARGS__ \
  }
//: proved
KERNEL(row_maxima, float most = x[i * k]; for (int j = 1; j < k; ++j) most = fmaxf(most, x[i * k + j]); o[i] = most;)
//: proved
KERNEL(first_negative, int j = 0; while (j < k && x[i * k + j] >= 0.0f) ++j; o[i] = j;)
//: stores_all refuted
KERNEL(only_where_found, int j = 0; while (j < k && x[i * k + j] >= 0.0f) ++j; if (j < k) o[i] = j;)
//: stores_all refuted
KERNEL(only_rows_of_two, float most = x[i * k]; for (int j = 1; j < k; ++j) most = fmaxf(most, x[i * k + j]);
  if (k >= 2) o[i] = most;)
//: stores_all refuted
KERNEL(only_what_is_greatest, float most = x[i * k]; int at = 0;
  for (int j = 1; j < k; ++j) if (x[i * k + j] > most) { most = x[i * k + j]; at = j; }
  if (at > 0) o[i] = most;)
//: stores_all refuted
KERNEL(all_but_the_last_row, float most = x[i * k]; for (int j = 1; j < k; ++j) most = fmaxf(most, x[i * k + j]);
  if (i != m - 1 || most == 0.0f) o[i] = most;)
