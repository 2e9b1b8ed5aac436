// Each block waits for the flag of the one before, as scans look back: right, and wrong in the chain.
#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define KERNEL(name) extern "C" __global__ __launch_bounds__(32) void name(unsigned* sum, unsigned* flag, const unsigned* x)
#define SET(n) __hip_atomic_store(&flag[n], 1u, __ATOMIC_RELEASE, DEVICE)
#define WAIT(n) while (__hip_atomic_load(&flag[n], __ATOMIC_ACQUIRE, DEVICE) == 0)
#define HERE unsigned t = threadIdx.x, b = blockIdx.x, before = 0

//: proved
KERNEL(looks_back) { HERE; if (b > 0) { WAIT(b - 1); before = sum[(b - 1) * 32 + t]; }
  sum[b * 32 + t] = before + x[b * 32 + t]; if (t == 0) SET(b); }

// One thread waits, and a barrier tells the others of its block.

//: proved on gfx942 gfx90a
KERNEL(one_thread_waits) { HERE; if (b > 0) { if (t == 0) WAIT(b - 1); __syncthreads(); before = sum[(b - 1) * 32 + t]; }
  sum[b * 32 + t] = before + x[b * 32 + t]; if (t == 0) SET(b); }

//: slow
// The loop's words are of other blocks than what is loaded.

//: race_free unknown
KERNEL(looks_two_back) { HERE; if (b > 1) { WAIT(b - 1); before = sum[(b - 2) * 32 + t]; }
  sum[b * 32 + t] = before + x[b * 32 + t]; if (t == 0) SET(b); }

//: unproved
KERNEL(flag_first) { HERE; if (t == 0) SET(b); if (b > 0) { WAIT(b - 1); before = sum[(b - 1) * 32 + t]; }
  sum[b * 32 + t] = before + x[b * 32 + t]; }

// Blocks that wait for a later one may wait for ever, where that is not begun before they end.

//: ends unknown
KERNEL(looks_ahead) { HERE; if (b + 1 < gridDim.x) { WAIT(b + 1); before = sum[(b + 1) * 32 + t]; }
  sum[b * 32 + t] = before + x[b * 32 + t]; if (t == 0) SET(b); }

//: ends refuted
KERNEL(waits_for_itself) { HERE; WAIT(b); sum[b * 32 + t] = before + x[b * 32 + t]; if (t == 0) SET(b); }

//: unproved
KERNEL(one_flag_for_two) { HERE; if (b > 0) { WAIT((b - 1) / 2); before = sum[(b - 1) * 32 + t]; }
  sum[b * 32 + t] = before + x[b * 32 + t]; if (t == 0) SET(b / 2); }
