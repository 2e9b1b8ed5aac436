// Copies by loops over all elements, in which each lane goes on by itself; and such that leave some out (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const float* x, float* o, int n) { \
    int first = blockIdx.x * 256 + threadIdx.x, step = 3 * 256; __VA_ARGS__ }

//: slow
//: proved
KERNEL(forwards, for (int i = first; i < n; i += step) o[i] = x[i];)
//: proved
KERNEL(backwards, for (int i = n - 1 - first; i >= 0; i -= step) o[i] = x[i];)
//: proved
KERNEL(tested_at_the_end, int i = first; if (i < n) do { o[i] = x[i]; i += step; } while (i < n);)
//: computes unknown
KERNEL(steps_too_long, for (int i = first; i < n; i += step + 1) o[i] = x[i];)
//: computes unknown
KERNEL(begun_too_late, for (int i = first + 1; i < n; i += step) o[i] = x[i];)
//: computes refuted
KERNEL(ended_too_early, for (int i = first; i < n - 1; i += step) o[i] = x[i];)
//: computes unknown
KERNEL(left_behind_1000, for (int i = first; i < n; i += step) { o[i] = x[i]; if (i > 1000) break; })
//: computes unknown
KERNEL(left_by_data, for (int i = first; i < n; i += step) { o[i] = x[i]; if (x[i] == 3.0f) break; })
//: computes unknown
KERNEL(one_left_out, for (int i = first; i < n; i += step) { if (i == 1000) continue; o[i] = x[i]; })
//: computes unknown
KERNEL(four_turns, for (int i = first, k = 0; i < n && k < 4; i += step, ++k) o[i] = x[i];)
//: computes refuted
KERNEL(even_ones, for (int i = first; i < n; i += step) o[i] = x[i & ~1];)
//: computes unknown
KERNEL(two_turns_of_four, for (int i = first; i < n && (i / step & 3) < 2; i += step) o[i] = x[i];)
//: computes refuted
KERNEL(half_of_the_lanes, if (first < n / 2) for (int i = first; i < n; i += step) o[i] = x[i];)
