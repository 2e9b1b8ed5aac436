// A block leaves data for others, which wait for its flag: right, and with one thing missing on one of the sides.
#include <hip/hip_runtime.h>
#define DEVICE __HIP_MEMORY_SCOPE_AGENT
#define BLOCK __HIP_MEMORY_SCOPE_WORKGROUP
#define KERNEL(name) extern "C" __global__ __launch_bounds__(32) void name( \
    unsigned* o, unsigned* part, unsigned* flag, unsigned* other, unsigned* unsaid, const unsigned* x)
#define LEAVE part[t] = x[t] + 1
#define SET(word, order, scope) if (t == 0) __hip_atomic_store(word, 1u, __ATOMIC_##order, scope)
#define WAIT(word, order, scope) while (__hip_atomic_load(word, __ATOMIC_##order, scope) == 0)
#define TAKE o[b * 32 + t] = part[t]
#define FIRST unsigned t = threadIdx.x, b = blockIdx.x; if (b == 0)

//: proved
KERNEL(right) { FIRST { LEAVE; SET(flag, RELEASE, DEVICE); } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } }

// The fences may stand apart from the flag.
#define FENCE(order) __builtin_amdgcn_fence(__ATOMIC_##order, "agent")

//: proved
KERNEL(fences_apart) { FIRST { LEAVE; FENCE(RELEASE); SET(flag, RELAXED, DEVICE); }
  else { WAIT(flag, RELAXED, DEVICE); FENCE(ACQUIRE); TAKE; } }

//: race_free refuted
KERNEL(does_not_wait) { FIRST { LEAVE; SET(flag, RELEASE, DEVICE); } else { TAKE; } }

//: slow
// A store that no fence stands before may be on its way when the flag is set.

//: race_free unknown
KERNEL(no_release) { FIRST { LEAVE; SET(flag, RELAXED, DEVICE); } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } }

//: race_free unknown
KERNEL(no_acquire) { FIRST { LEAVE; SET(flag, RELEASE, DEVICE); } else { WAIT(flag, RELAXED, DEVICE); TAKE; } }

//: unproved
KERNEL(for_a_block_alone) { FIRST { LEAVE; SET(flag, RELEASE, BLOCK); } else { WAIT(flag, ACQUIRE, BLOCK); TAKE; } }

//: race_free unknown
KERNEL(set_too_soon) { FIRST { SET(flag, RELEASE, DEVICE); LEAVE; } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } }

//: unproved
KERNEL(waits_for_another_word) { FIRST { SET(other, RELAXED, DEVICE); LEAVE; SET(flag, RELEASE, DEVICE); }
  else { WAIT(other, ACQUIRE, DEVICE); TAKE; } }

//: unproved
KERNEL(may_begin_as_set) { FIRST { LEAVE; SET(unsaid, RELEASE, DEVICE); } else { WAIT(unsaid, ACQUIRE, DEVICE); TAKE; } }

//: unproved
KERNEL(set_twice) { FIRST { SET(flag, RELAXED, DEVICE); LEAVE; SET(flag, RELEASE, DEVICE); }
  else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } }

//: unproved
KERNEL(set_by_each_block) { FIRST { LEAVE; } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } SET(flag, RELEASE, DEVICE); }

//: unproved
KERNEL(set_by_others) { FIRST { LEAVE; } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } if (b == 1) SET(flag, RELEASE, DEVICE); }

// Nobody sets it: nothing races, and nothing ends.

//: unproved
KERNEL(nobody_sets) { FIRST { LEAVE; } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } if (b == 0 && x[0] == 77) SET(flag, RELEASE, DEVICE); }

//: race_free unknown
KERNEL(fence_before_it_is_left) { FIRST { FENCE(RELEASE); LEAVE; SET(flag, RELAXED, DEVICE); }
  else { WAIT(flag, RELAXED, DEVICE); FENCE(ACQUIRE); TAKE; } }

//: race_free unknown
KERNEL(fence_before_it_waits) { FIRST { LEAVE; FENCE(RELEASE); SET(flag, RELAXED, DEVICE); }
  else { FENCE(ACQUIRE); WAIT(flag, RELAXED, DEVICE); TAKE; } }

// What is loaded behind the flag is not what was there when the launch began.

//: unproved with o[i] = part[i % 32]
KERNEL(not_as_it_began) { FIRST { o[t] = part[t]; LEAVE; SET(flag, RELEASE, DEVICE); } else { WAIT(flag, ACQUIRE, DEVICE); TAKE; } }

// A streaming load may go where all blocks meet, and what else its wave has loaded may be older.
#define WAIT_BY_STREAMING(word) do asm volatile("" ::: "memory"); while (__builtin_nontemporal_load(word) == 0)

//: unproved
KERNEL(waits_by_streaming) { FIRST { LEAVE; SET(flag, RELEASE, DEVICE); }
  else { unsigned told = __hip_atomic_load(other, __ATOMIC_RELAXED, DEVICE); WAIT_BY_STREAMING(flag); o[b * 32 + t] = part[t] + told; } }
