// What a claim is silent of, it does not prove: what only atomic operations touch, loops after another, and threads that
// store unlike values where they meet (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const unsigned* x, unsigned* o, int n) { \
    __shared__ unsigned s[128]; (void)s; int t = threadIdx.x; __VA_ARGS__ }
#define EACH_FROM(first) _Pragma("clang loop unroll(disable)") for (int k = first; k < n; ++k)

// LDS that atomic operations alone touch
//: initialised unknown, runs refuted
KERNEL(never_cleared, if (t < n) o[t] = atomicAdd(&s[x[t] & 127], 1u);)
//: proved
KERNEL(cleared_before, s[t] = 0; __syncthreads(); if (t < n) o[t] = atomicAdd(&s[x[t] & 127], 1u);)
//: lds_in_bounds refuted, initialised unknown
KERNEL(one_too_many, s[t] = 0; __syncthreads(); if (t < n) o[t] = atomicAdd(&s[(x[t] & 127) + 1], 1u);)

// two loops, of which the second has what the first left
//: race_free refuted, initialised unknown on gfx1201
KERNEL(second_loop_reads_at_once,
  EACH_FROM(0) s[t] = x[k & 127] + k;
  unsigned sum = 0;
  EACH_FROM(0) sum += s[(t + k) & 127];
  o[t] = sum;)
//: proved on gfx1201
KERNEL(second_loop_reads_behind_a_barrier,
  s[t] = 0;
  EACH_FROM(0) s[t] = x[k & 127] + k;
  __syncthreads();
  unsigned sum = 0;
  EACH_FROM(0) sum += s[(t + k) & 127];
  o[t] = sum;)
//: initialised unknown, runs refuted on gfx1201
KERNEL(first_loop_may_store_nothing,
  EACH_FROM(1) s[t] = x[k & 127] + k;
  __syncthreads();
  unsigned sum = 0;
  EACH_FROM(0) sum += s[(t + k) & 127];
  o[t] = sum;)

// two threads that meet, and what they leave
//: race_free refuted
KERNEL(two_store_unlike_values, s[t / 2] = t; s[64 + t / 2] = t; __syncthreads(); o[t] = s[t];)
//: race_free refuted
KERNEL(two_store_unlike_values_in_memory, o[t / 2] = t;)
//: race_free refuted
KERNEL(stored_where_others_update, o[t] = 0; atomicAdd(&o[(t + 1) & 127], 1u);)
//: proved
KERNEL(updated_by_all, atomicAdd(&o[t & 3], (unsigned)n);)
