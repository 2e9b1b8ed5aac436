// Blocks leave an index each and take a ticket by a step that is 1 by what memory begins with; the last one goes by all.
#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(float* o, unsigned* val, unsigned* ticket, unsigned* step, const float* x, unsigned N)
#define HERE unsigned t = threadIdx.x, n = gridDim.x, b = blockIdx.x; if (t != 0) return
#define TAKE(by) __threadfence(); unsigned got = __hip_atomic_fetch_add(ticket, by, __ATOMIC_RELAXED, DEVICE); __threadfence()
#define SUM_OF_LAST if (got == n - 1) { float s = 0; for (unsigned k = 0; k < n; k++) if (k != b) s += x[val[k]]; o[0] = s; }

//: proved
KERNEL(right) { HERE; unsigned by = step[0]; val[b] = b % N; TAKE(by); SUM_OF_LAST }

// Of what others have left the last block knows no more than that they have.
//: in_bounds refuted, race_free unknown
KERNEL(leaves_what_is_no_index) { HERE; unsigned by = step[0]; val[b] = N + 7; TAKE(by); SUM_OF_LAST }

//: in_bounds refuted
KERNEL(by_one) { HERE; val[b] = N + 7; TAKE(1u); SUM_OF_LAST }
