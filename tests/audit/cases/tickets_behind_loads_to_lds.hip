#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(float* o, float* part, unsigned* ticket)
#define TO_LDS(from, to) __builtin_amdgcn_global_load_lds((__attribute__((address_space(1))) void*)(from), (__attribute__((address_space(3))) void*)(to), 4, 0, 0)
#define WAIT __builtin_amdgcn_s_waitcnt(0)
#define BLOCK(wait) __shared__ unsigned got; __shared__ float stage[256]; unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x; \
  TO_LDS(&part[b * 256 + t], &stage[t & ~63u]); wait; __builtin_amdgcn_s_barrier(); \
  if (t == 0) got = __hip_atomic_fetch_add(ticket, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
  WAIT; __builtin_amdgcn_s_barrier(); o[b * 256 + t] = stage[t]; \
  if (got == n - 1) for (unsigned k = 0; k < n; k++) part[k * 256 + t] = 0

// The last block overwrites what all blocks have loaded to LDS.

//: proved
KERNEL(right) { BLOCK(WAIT); }

// The wait for the loads stands behind the ticket: they may still read when the last block stores.
//: unproved
KERNEL(under_way) { BLOCK(;); }
