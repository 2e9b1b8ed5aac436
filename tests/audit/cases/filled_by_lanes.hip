// LDS that a loop fills which each lane leaves for itself, read behind a barrier: all of it, or all but some (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(64) name(const int* x, int* o, int n) { \
    __shared__ int s[192]; \
    int t = threadIdx.x, base = blockIdx.x * 64; \
    __VA_ARGS__ }
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable) interleave(disable) unroll(disable)")
#define READ(i) __syncthreads(); o[base + t] = s[i];

//: proved
KERNEL(of_a_halo, for (int i = t; i < 71; i += 64) s[i] = x[base + i]; READ(t + 7))
//: proved
KERNEL(to_a_size, ONE_BY_ONE for (int i = t; i < n; i += 64) s[i] = x[base + i]; READ(n - 1 - t % n))
// index 64 is nobody's
//: initialised unknown, runs refuted
KERNEL(skips_one, for (int i = t; i < 71; i += 65) s[i] = x[base + i]; READ(t + 7))
//: initialised unknown, runs refuted
KERNEL(one_short, for (int i = t; i < 70; i += 64) s[i] = x[base + i]; READ(t + 7))
//: initialised unknown, runs refuted
KERNEL(one_short_of_a_size, ONE_BY_ONE for (int i = t; i < n - 1; i += 64) s[i] = x[base + i]; READ(n - 1 - t % n))
// thread 2 leaves in its second turn, before it stores
//: ends unknown, initialised unknown, runs refuted
KERNEL(one_leaves, for (int i = t; i < 71; i += 64) { if (i == 66) break; s[i] = x[base + i]; } READ(t + 7))
//: initialised unknown, runs refuted
KERNEL(one_is_left_out, for (int i = t; i < 71; i += 64) if (i != 66) s[i] = x[base + i]; READ(t + 7))
// a lane goes on as its own data say
//: initialised unknown
KERNEL(left_by_data, int a = 0; for (int i = t; i < 71 && a != 12345; i += 64) a = s[i] = x[base + i]; READ(t + 7))
// in the turn that it has not begun a lane finds nothing of it
//: initialised unknown, runs refuted on gfx942
KERNEL(read_too_soon, int a = 0; for (int i = t; i < n; i += 64) { s[i] = x[base + i]; a += s[191 - i]; } o[base + t] = a;)
//: proved
KERNEL(twice, for (int k = 0; k < n; k++) { for (int i = t; i < 71; i += 64) s[i] = x[base + i] + k; READ(t + 7) __syncthreads(); })
