// Atomic operations: relaxed; each returns the old value.
//
// NAME is of the whole device, NAME_block of the block, NAME_system of all devices. clang chooses the instruction, or a
// loop of comparisons where the target has none (most float ones, and values of 16 bits). Those of halves and brain
// floats are in their own headers.
#pragma once

#define LAYOUTALG_HIP_SCOPES(OF, ...)                      \
    OF(, __HIP_MEMORY_SCOPE_AGENT, __VA_ARGS__)             \
    OF(_block, __HIP_MEMORY_SCOPE_WORKGROUP, __VA_ARGS__)   \
    OF(_system, __HIP_MEMORY_SCOPE_SYSTEM, __VA_ARGS__)

#define LAYOUTALG_HIP_ATOMIC(SUFFIX, SCOPE, NAME, T, OPERATION, VALUE)          \
    LAYOUTALG_HIP T NAME##SUFFIX(T* address, T value) {                          \
        return OPERATION(address, VALUE, __ATOMIC_RELAXED, SCOPE);               \
    }
#define LAYOUTALG_HIP_ATOMIC_CAS(SUFFIX, SCOPE, T)                                                                    \
    LAYOUTALG_HIP T atomicCAS##SUFFIX(T* address, T expected, T value) {                                               \
        __hip_atomic_compare_exchange_strong(address, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, SCOPE);    \
        return expected;                                                                                               \
    }

#define LAYOUTALG_HIP_ATOMICS_OF_ORDER(T)                                                            \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicMin, T, __hip_atomic_fetch_min, value)           \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicMax, T, __hip_atomic_fetch_max, value)
#define LAYOUTALG_HIP_ATOMICS(T)                                                                     \
    LAYOUTALG_HIP_ATOMICS_OF_ORDER(T)                                                                 \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicAdd, T, __hip_atomic_fetch_add, value)           \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicSub, T, __hip_atomic_fetch_add, -value)          \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicExch, T, __hip_atomic_exchange, value)           \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC_CAS, T)
#define LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(T)                                                         \
    LAYOUTALG_HIP_ATOMICS(T)                                                                          \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicAnd, T, __hip_atomic_fetch_and, value)           \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicOr, T, __hip_atomic_fetch_or, value)             \
    LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC, atomicXor, T, __hip_atomic_fetch_xor, value)

LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(int)
LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(unsigned)
LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(unsigned long)
LAYOUTALG_HIP_ATOMICS_OF_INTEGERS(unsigned long long)
LAYOUTALG_HIP_ATOMICS_OF_ORDER(long)
LAYOUTALG_HIP_ATOMICS_OF_ORDER(long long)
LAYOUTALG_HIP_ATOMICS(float)
LAYOUTALG_HIP_ATOMICS(double)
LAYOUTALG_HIP_SCOPES(LAYOUTALG_HIP_ATOMIC_CAS, unsigned short)

// These count up to `most` and begin anew.
#define LAYOUTALG_HIP_COUNTERS(SUFFIX, SCOPE)                                                       \
    LAYOUTALG_HIP unsigned atomicInc##SUFFIX(unsigned* address, unsigned most) {                    \
        return __builtin_amdgcn_atomic_inc32(address, most, __ATOMIC_RELAXED, SCOPE);               \
    }                                                                                               \
    LAYOUTALG_HIP unsigned atomicDec##SUFFIX(unsigned* address, unsigned most) {                    \
        return __builtin_amdgcn_atomic_dec32(address, most, __ATOMIC_RELAXED, SCOPE);               \
    }
LAYOUTALG_HIP_COUNTERS(, "agent")
LAYOUTALG_HIP_COUNTERS(_block, "workgroup")
LAYOUTALG_HIP_COUNTERS(_system, "")

// --- safe and unsafe -------------------------------------------------------------------------------------------------

// HIP's "unsafe" operations may assume coarse-grained memory of this device, so that one instruction is enough where
// the target has it; the "safe" ones may not.
#if __has_cpp_attribute(clang::atomic)
#define LAYOUTALG_HIP_UNSAFE [[clang::atomic(no_fine_grained_memory, no_remote_memory, ignore_denormal_mode)]]
#else
#define LAYOUTALG_HIP_UNSAFE
#endif
#define LAYOUTALG_HIP_UNSAFE_ATOMIC(NAME, T, OPERATION)                                            \
    LAYOUTALG_HIP T unsafeAtomic##NAME(T* address, T value) {                                      \
        LAYOUTALG_HIP_UNSAFE {                                                                     \
            return OPERATION(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);          \
        }                                                                                          \
    }                                                                                              \
    LAYOUTALG_HIP T safeAtomic##NAME(T* address, T value) { return atomic##NAME(address, value); }
LAYOUTALG_HIP_UNSAFE_ATOMIC(Add, float, __hip_atomic_fetch_add)
LAYOUTALG_HIP_UNSAFE_ATOMIC(Min, float, __hip_atomic_fetch_min)
LAYOUTALG_HIP_UNSAFE_ATOMIC(Max, float, __hip_atomic_fetch_max)
LAYOUTALG_HIP_UNSAFE_ATOMIC(Add, double, __hip_atomic_fetch_add)
LAYOUTALG_HIP_UNSAFE_ATOMIC(Min, double, __hip_atomic_fetch_min)
LAYOUTALG_HIP_UNSAFE_ATOMIC(Max, double, __hip_atomic_fetch_max)
LAYOUTALG_HIP void atomicAddNoRet(float* address, float value) { atomicAdd(address, value); }
