// Atomic operations: relaxed, over the whole device; each returns the old value.
//
// clang chooses the instruction, or a loop of comparisons where the target has none (most float ones).
#pragma once

#define LAYOUTALG_HIP_ATOMIC(NAME, T, OPERATION, VALUE)                                               \
    LAYOUTALG_HIP T NAME(T* address, T value) {                                                        \
        return OPERATION(address, VALUE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                  \
    }

#define LAYOUTALG_HIP_ATOMICS(T)                                         \
    LAYOUTALG_HIP_ATOMIC(atomicAdd, T, __hip_atomic_fetch_add, value)    \
    LAYOUTALG_HIP_ATOMIC(atomicSub, T, __hip_atomic_fetch_add, -value)   \
    LAYOUTALG_HIP_ATOMIC(atomicMin, T, __hip_atomic_fetch_min, value)    \
    LAYOUTALG_HIP_ATOMIC(atomicMax, T, __hip_atomic_fetch_max, value)    \
    LAYOUTALG_HIP_ATOMIC(atomicExch, T, __hip_atomic_exchange, value)

#define LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(T)                                                           \
    LAYOUTALG_HIP_ATOMICS(T)                                                                           \
    LAYOUTALG_HIP_ATOMIC(atomicAnd, T, __hip_atomic_fetch_and, value)                                  \
    LAYOUTALG_HIP_ATOMIC(atomicOr, T, __hip_atomic_fetch_or, value)                                    \
    LAYOUTALG_HIP_ATOMIC(atomicXor, T, __hip_atomic_fetch_xor, value)                                  \
    LAYOUTALG_HIP T atomicCAS(T* address, T expected, T value) {                                       \
        __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, \
                                             __HIP_MEMORY_SCOPE_AGENT);                                \
        return expected;                                                                               \
    }

LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(int)
LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(unsigned)
LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(unsigned long)
LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(unsigned long long)
LAYOUTALG_HIP_ATOMICS(float)
LAYOUTALG_HIP_ATOMICS(double)

LAYOUTALG_HIP unsigned atomicInc(unsigned* address, unsigned most) {
    return __builtin_amdgcn_atomic_inc32(address, most, __ATOMIC_RELAXED, "agent");
}
LAYOUTALG_HIP unsigned atomicDec(unsigned* address, unsigned most) {
    return __builtin_amdgcn_atomic_dec32(address, most, __ATOMIC_RELAXED, "agent");
}
