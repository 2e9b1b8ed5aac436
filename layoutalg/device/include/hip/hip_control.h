// What stops a kernel, tells its time and prints.
#pragma once

// Cycles of the compute unit, and ticks of a clock that does not change its rate.
LAYOUTALG_HIP long long clock64() { return (long long)__builtin_readcyclecounter(); }
LAYOUTALG_HIP long long __clock64() { return clock64(); }
LAYOUTALG_HIP long long __clock() { return clock64(); }
LAYOUTALG_HIP long long wall_clock64() { return (long long)__builtin_readsteadycounter(); }
#if __has_include(<time.h>)
#include <time.h>
LAYOUTALG_HIP clock_t clock() { return (clock_t)clock64(); }
#else
LAYOUTALG_HIP long clock() { return (long)clock64(); }
#endif

// LLVM writes a trap of RDNA 3 as a loop that some versions of it leave unfinished (SIMULATED_TRAP).
[[noreturn]] LAYOUTALG_HIP void __trap() {
#if defined(__GFX11__)
    asm volatile("s_trap 2");
    __builtin_amdgcn_endpgm();
#else
    __builtin_trap();
#endif
}
[[noreturn]] __host__ void __trap();  // functions of the host make claims, too
[[noreturn]] LAYOUTALG_HIP void abort() { __trap(); }

// A claim that fails stops the wave: these are what the C library's `assert` calls.
extern "C" __device__ inline void __assert_fail(const char*, const char*, unsigned, const char*) { __trap(); }
extern "C" __device__ inline void __assertfail() { __trap(); }
#if !defined(assert)
#if defined(NDEBUG)
#define assert(claim) ((void)0)
#else
#define assert(claim) ((claim) ? (void)0 : __trap())
#endif
#endif

// What a kernel prints goes nowhere; where it would have been printed is noted in the section `.layoutalg.dropped`, of
// addresses in the code, so that whoever reads the code object can say so.
template <typename... Arguments>
LAYOUTALG_HIP int printf(const char*, Arguments...) {
    asm volatile("1:\n\t.pushsection .layoutalg.dropped,\"\",@progbits\n\t.quad 1b\n\t.popsection");
    return 0;
}
