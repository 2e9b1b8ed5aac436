// Waves of a block hand words on through memory, in WGP mode: what LLVM makes of __syncthreads, and what lacks a part of
// it (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(64) name(unsigned* o, unsigned* p, int n) { \
    unsigned t = threadIdx.x, u = t ^ 32; \
    __VA_ARGS__ }
#define BARRIER __builtin_amdgcn_s_barrier()
#define STORED asm volatile("s_waitcnt_vscnt null, 0x0" ::: "memory")
#define LOADED asm volatile("s_waitcnt vmcnt(0)" ::: "memory")
#define INVALIDATE asm volatile("buffer_gl0_inv" ::: "memory")
#define STAYS asm volatile("" ::: "memory")

//: proved
KERNEL(by_syncthreads, o[t] = t * 3; __syncthreads(); p[t] = o[u];)
//: proved
KERNEL(by_its_parts, o[t] = t * 3; STORED; BARRIER; INVALIDATE; p[t] = o[u];)
//: race_free refuted
KERNEL(not_waited_for, o[t] = t * 3; STAYS; BARRIER; INVALIDATE; p[t] = o[u];)
//: race_free refuted
KERNEL(waited_for_behind, o[t] = t * 3; STAYS; BARRIER; STORED; INVALIDATE; p[t] = o[u];)
//: race_free unknown
KERNEL(not_invalidated, o[t] = t * 3; STORED; BARRIER; STAYS; p[t] = o[u];)
//: race_free unknown
KERNEL(invalidated_before, o[t] = t * 3; STORED; INVALIDATE; BARRIER; STAYS; p[t] = o[u];)
//: race_free unknown
KERNEL(invalidated_behind, o[t] = t * 3; STORED; BARRIER; STAYS; unsigned v = o[u]; INVALIDATE; p[t] = v;)
//: race_free unknown
KERNEL(invalidated_at_times, o[t] = t * 3; STORED; BARRIER; if (n > 4) INVALIDATE; p[t] = o[u];)
//: proved
KERNEL(loaded_before, unsigned v = o[u]; LOADED; BARRIER; STAYS; o[t] = v;)
// the load may find what is stored behind the barrier
//: race_free unknown
KERNEL(load_not_waited_for, unsigned v = o[u]; STAYS; BARRIER; STAYS; o[t] = 7; p[t] = v;)
//: proved
KERNEL(stored_twice, o[t] = 1; STORED; BARRIER; STAYS; o[u] = 2;)
//: race_free refuted
KERNEL(stored_twice_unwaited, o[t] = 1; STAYS; BARRIER; STAYS; o[u] = 2;)
//: proved
KERNEL(in_turns, unsigned a = 0; for (int k = 0; k < n; k++) { o[t] = k; __syncthreads(); a += o[u]; __syncthreads(); } p[t] = a;)
//: race_free refuted
KERNEL(in_turns_of_one_barrier, unsigned a = 0; for (int k = 0; k < n; k++) { o[t] = k; __syncthreads(); a += o[u]; } p[t] = a;)
//: race_free unknown
KERNEL(invalidated_before_all_turns, unsigned a = 0; INVALIDATE; for (int k = 0; k < n; k++) { o[t] = k; STORED; BARRIER; STAYS; a += o[u]; LOADED; BARRIER; } p[t] = a;)
// ways that meet: what is stored on one of them alone, and seen there
//: proved
KERNEL(on_one_way, if (n > 4) { o[t] = t * 3; __syncthreads(); } p[t] = o[u];)
//: race_free unknown
KERNEL(invalidated_on_the_other, if (n > 4) { o[t] = t * 3; STORED; BARRIER; STAYS; } else INVALIDATE; p[t] = o[u];)
//: race_free unknown
KERNEL(invalidated_on_one, o[t] = t * 3; STORED; if (n > 4) { BARRIER; INVALIDATE; } else { STAYS; BARRIER; } p[t] = o[u];)
//: slow
//: race_free unknown
KERNEL(invalidated_in_odd_turns, unsigned a = 0; for (int k = 0; k < n; k++) { o[t] = k; STORED; BARRIER; if (k & 1) INVALIDATE; a += o[u]; LOADED; BARRIER; } p[t] = a;)
