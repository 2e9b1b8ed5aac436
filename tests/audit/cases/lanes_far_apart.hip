#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const int* x, int* o)
#define HERE unsigned long long t = threadIdx.x, b = blockIdx.x, i = b * 64 + t, w
#define SHIFTED(v, by) asm volatile("v_lshlrev_b64 %0, " #by ", %1" : "=v"(w) : "v"(v))

// What lanes differ by leaves int64, in a condition or as bytes.

//: proved
KERNEL(compares) { HERE; SHIFTED(t, 61); if (w > 5) o[i] = x[i]; }

//: proved
KERNEL(compares_in_lds) { HERE; __shared__ int s[64]; SHIFTED(t, 61); s[t] = 1; if (w > 5) s[t] = x[i]; __syncthreads(); o[i] = s[63 - t]; }

//: race_free refuted
KERNEL(compares_and_races) { HERE; __shared__ int s[64]; SHIFTED(t, 61); s[t] = 1; __syncthreads(); if (w > 5) s[0] = x[i]; __syncthreads(); o[i] = s[63 - t]; }

//: in_bounds unknown, runs refuted
KERNEL(stores_there) { HERE; SHIFTED(t, 59); if (!(t & 7)) o[w + b] = i; }
