//@ lanes: shuffles
#include <hip/hip_runtime.h>
extern "C" __global__ void lane_shuffles(int* n, double* y, short* s) {
    const unsigned long long all = ~0ull;
    n[0] = __shfl(n[1], 3) + __shfl_up(n[2], 1) + __shfl_down(n[3], 1, 16) + __shfl_xor(n[4], 7);
    y[0] = __shfl_sync(all, y[1], 3) + __shfl_up_sync(all, y[2], 1u) + __shfl_down_sync(all, y[3], 1, 32) + __shfl_xor_sync(all, y[4], 5);
    s[0] = __shfl_xor(s[1], 1);
    n[5] = __hip_ds_bpermute(4, n[6]) + __hip_ds_permute(8, n[7]) + __hip_readfirstlane(n[8]) + __lane_id();
    n[9] = __hip_ds_swizzle(n[10], 0x1f) + __hip_move_dpp(n[11], 0x111, 0xf, 0xf, true);
}

//@ lanes: votes and matches
#include <hip/hip_runtime.h>
extern "C" __global__ void lane_votes(int* n, unsigned long long* u) {
    u[0] = __ballot(n[0]) + __ballot_sync(~0ull, n[1]) + __activemask() + __ballot64(n[9]);
    n[2] = __any(n[3]) + __all(n[4]) + __any_sync(~0ull, n[5]) + __all_sync(~0ull, n[6]);
    u[1] = __match_any(n[7]) + __match_any_sync(~0ull, n[8]) + __match_all_sync(~0ull, n[9], n + 10);
}

//@ lanes: reductions under a mask
#include <hip/hip_runtime.h>
extern "C" __global__ void lane_reductions(int* n, unsigned* u) {
    n[0] = __reduce_add_sync(~0ull, n[1]) + __reduce_min_sync(~0ull, n[2]) + __reduce_max_sync(~0ull, n[3]);
    u[0] = __reduce_and_sync(~0ull, u[1]) + __reduce_or_sync(~0ull, u[2]) + __reduce_xor_sync(~0ull, u[3]);
}

//@ lanes: barriers and fences
#include <hip/hip_runtime.h>
extern "C" __global__ void lane_barriers(int* n) {
    n[0] = __syncthreads_count(n[1]) + __syncthreads_or(n[2]) + __syncthreads_and(n[3]);
    __syncwarp(); __syncwarp(0xffull); __threadfence(); __threadfence_block(); __threadfence_system();
    if (warpSize == 64) n[4] = 3;
}

//@ lanes: atomics of each scope
#include <hip/hip_runtime.h>
template <typename T> __device__ void lane_atomics_of(T* x) {
    atomicAdd(x, (T)1); atomicSub(x, (T)1); atomicMin(x, (T)1); atomicMax(x, (T)1); atomicExch(x, (T)1); atomicCAS(x, (T)1, (T)2);
    atomicAdd_block(x, (T)1); atomicMin_block(x, (T)1); atomicExch_block(x, (T)1); atomicCAS_block(x, (T)1, (T)2);
    atomicAdd_system(x, (T)1); atomicMax_system(x, (T)1); atomicExch_system(x, (T)1); atomicCAS_system(x, (T)1, (T)2);
}
template <typename T> __device__ void lane_atomics_of_bits(T* x) {
    atomicAnd(x, (T)1); atomicOr(x, (T)1); atomicXor(x, (T)1); atomicAnd_block(x, (T)1); atomicOr_system(x, (T)1); atomicXor_block(x, (T)1);
}
extern "C" __global__ void lane_atomics(int* n, unsigned* u, unsigned long long* l, float* x, double* y, unsigned short* s) {
    lane_atomics_of(n); lane_atomics_of(u); lane_atomics_of(l); lane_atomics_of(x); lane_atomics_of(y);
    lane_atomics_of_bits(n); lane_atomics_of_bits(u); lane_atomics_of_bits(l);
    atomicInc(u, 7u); atomicDec(u, 7u); atomicInc_block(u, 7u); atomicDec_system(u, 7u);
    s[1] = atomicCAS(s, (unsigned short)1, (unsigned short)2);
    unsafeAtomicAdd(x, 1.0f); unsafeAtomicAdd(y, 1.0); safeAtomicAdd(x, 1.0f); unsafeAtomicMin(x, 1.0f); safeAtomicMax(y, 1.0); atomicAddNoRet(x, 1.0f);
}
