// Blocks of two waves, and loops that do not wait for what they seem to: by a flag.
#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define KERNEL(name) extern "C" __global__ __launch_bounds__(128) void name(unsigned* o, unsigned* part, unsigned* flag, const unsigned* x)
#define SET(word, v, order) __hip_atomic_store(word, v, __ATOMIC_##order, DEVICE)
#define GET(word, order) __hip_atomic_load(word, __ATOMIC_##order, DEVICE)
#define HERE unsigned t = threadIdx.x, b = blockIdx.x
#define FENCE(o) __builtin_amdgcn_fence(__ATOMIC_##o, "agent")
#define LEAVE part[t] = x[t]; FENCE(RELEASE); __syncthreads(); if (t == 0) SET(flag, 1u, RELAXED)

//: proved
KERNEL(all_fence) { HERE; if (b == 0) { LEAVE; } else { while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = part[t]; } }

//: proved
KERNEL(leaves_by_one) { HERE; if (b == 0) { part[t] = x[t]; FENCE(RELEASE); __syncthreads(); if (t == 0) SET(flag, 7u, RELAXED); } else { while (GET(flag, ACQUIRE) != 7); o[b * 128 + t] = part[t]; } }

//: proved
KERNEL(one_waits) { HERE; if (b == 0) { LEAVE; } else { if (t == 0) while (GET(flag, ACQUIRE) == 0); __syncthreads(); o[b * 128 + t] = part[t]; } }

//: proved
KERNEL(stores_behind) { HERE; if (b == 0) { o[t] = part[t]; FENCE(RELEASE); __syncthreads(); if (t == 0) SET(flag, 1u, RELAXED); } else if (b == 1) { while (GET(flag, ACQUIRE) == 0); part[t] = 3; } }

// One instruction loads a word for two waves, of which one has waited for what the other stores behind its load.
#define OF_BOTH_WAVES(stored) HERE; if (b == 0 && t % 64 == 0) { if (t == 64) while (GET(flag, ACQUIRE) == 0); \
  unsigned v = *(volatile const unsigned*)&(stored)[0]; if (t == 0) { part[0] = v + 1; SET(flag, 1u, RELEASE); } o[0] = v; }

//: race_free unknown, ends unknown
KERNEL(one_has_what_the_other_stored) { OF_BOTH_WAVES(part) }

//: ends unknown
KERNEL(both_have_what_nobody_stored) { OF_BOTH_WAVES(x) }

//: slow

//: unproved
KERNEL(no_barrier_of_setter) { HERE; if (b == 0) { part[t] = x[t]; FENCE(RELEASE); if (t == 0) SET(flag, 1u, RELAXED); } else { while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(loaded_before) { HERE; if (b == 0) { LEAVE; } else { unsigned v = *(volatile unsigned*)&part[t]; while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = v; } }

//: unproved
KERNEL(leaves_at_once) { HERE; if (b == 0) { LEAVE; } else { while (GET(flag, ACQUIRE) != 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(another_number) { HERE; if (b == 0) { part[t] = x[t]; FENCE(RELEASE); __syncthreads(); if (t == 0) SET(flag, 6u, RELAXED); } else { while (GET(flag, ACQUIRE) != 7); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(one_waits_alone) { HERE; if (b == 0) { LEAVE; } else { if (t == 0) while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(some_blocks_wait) { HERE; if (b == 0) { LEAVE; } else { if (b & 1) while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(may_not_wait) { HERE; if (b == 0) { LEAVE; } else { if (x[b] & 1) while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(gives_up) { HERE; if (b == 0) { LEAVE; } else { for (unsigned k = 0; k < 100 && GET(flag, ACQUIRE) == 0; k++); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(or_another) { HERE; if (b == 0) { LEAVE; } else { while (GET(flag, ACQUIRE) == 0 && GET(part + 5, RELAXED) == 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(overwrites_before) { HERE; if (b == 0) { o[t] = part[t]; LEAVE; part[t] = 3; } else { while (GET(flag, ACQUIRE) == 0); o[b * 128 + t] = part[t]; } }

//: unproved
KERNEL(stores_behind_of_two) { HERE; if (b == 0) { o[t] = part[t]; FENCE(RELEASE); __syncthreads(); if (t == 0) SET(flag, 1u, RELAXED); } else { while (GET(flag, ACQUIRE) == 0); part[t] = b; } }
