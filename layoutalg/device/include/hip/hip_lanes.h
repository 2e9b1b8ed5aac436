// What a wave's lanes tell each other, and fences.
//
// The rules of `width` are HIP's: lanes fall into groups of `width`, a power of two; where the source would lie outside
// the group, __shfl takes it modulo the group, the others keep the lane's own value.
//
// Functions that end in _sync take a mask of 64 bits, also where a wave has 32 lanes, as in HIP: each lane that calls
// is in its own mask, and all lanes of a mask call together with that mask. A mask then changes no value that is moved;
// it says which lanes are asked.
#pragma once

#include <hip/hip_common.h>

static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE__;

LAYOUTALG_HIP unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
LAYOUTALG_HIP unsigned __mbcnt_lo(unsigned mask, unsigned sum) { return __builtin_amdgcn_mbcnt_lo(mask, sum); }
LAYOUTALG_HIP unsigned __mbcnt_hi(unsigned mask, unsigned sum) { return __builtin_amdgcn_mbcnt_hi(mask, sum); }

// The value that `move` makes of each four bytes of another.
template <typename T, typename Move>
LAYOUTALG_HIP T layoutalg_by_words(T value, Move move) {
    static_assert(sizeof(T) % 4 == 0 || sizeof(T) < 4, "a lane gives up to four bytes, or a multiple of four");
    int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int& word : words) word = move(word);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

// The value of another lane, by its number; DS_BPERMUTE_B32 moves four bytes.
template <typename T>
LAYOUTALG_HIP T layoutalg_of_lane(T value, int lane) {
    return layoutalg_by_words(value, [lane](int word) { return __builtin_amdgcn_ds_bpermute(lane << 2, word); });
}

// The value of the first lane that is active.
template <typename T>
LAYOUTALG_HIP T __hip_readfirstlane(T value) {
    return layoutalg_by_words(value, [](int word) { return __builtin_amdgcn_readfirstlane(word); });
}

// --- shuffles --------------------------------------------------------------------------------------------------------

template <typename T>
LAYOUTALG_HIP T __shfl(T value, int source, int width = warpSize) {
    int self = (int)__lane_id();
    return layoutalg_of_lane(value, (source & (width - 1)) + (self & ~(width - 1)));
}

template <typename T>
LAYOUTALG_HIP T __shfl_up(T value, unsigned delta, int width = warpSize) {
    int self = (int)__lane_id(), source = self - (int)delta;
    return layoutalg_of_lane(value, source < (self & ~(width - 1)) ? self : source);
}

template <typename T>
LAYOUTALG_HIP T __shfl_down(T value, unsigned delta, int width = warpSize) {
    int self = (int)__lane_id(), source = self + (int)delta;
    return layoutalg_of_lane(value, (self & (width - 1)) + (int)delta >= width ? self : source);
}

template <typename T>
LAYOUTALG_HIP T __shfl_xor(T value, int mask, int width = warpSize) {
    int self = (int)__lane_id(), source = self ^ mask;
    return layoutalg_of_lane(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}

LAYOUTALG_HIP int __hip_ds_bpermute(int byte, unsigned value) { return __builtin_amdgcn_ds_bpermute(byte, (int)value); }
LAYOUTALG_HIP int __hip_ds_permute(int byte, unsigned value) { return __builtin_amdgcn_ds_permute(byte, (int)value); }
LAYOUTALG_HIP float __hip_ds_bpermutef(int byte, float value) { return layoutalg_of_lane(value, byte >> 2); }
LAYOUTALG_HIP float __hip_ds_permutef(int byte, float value) {
    return layoutalg_by_words(value, [byte](int word) { return __builtin_amdgcn_ds_permute(byte, word); });
}
template <int pattern>
LAYOUTALG_HIP unsigned __hip_ds_swizzle_N(unsigned value) {
    return (unsigned)__builtin_amdgcn_ds_swizzle((int)value, pattern);
}
template <int control, int rows, int banks, bool bound>
LAYOUTALG_HIP int __hip_move_dpp_N(int value) {
    return __builtin_amdgcn_mov_dpp(value, control, rows, banks, bound);
}
#define __hip_ds_swizzle(value, pattern) __hip_ds_swizzle_N<(pattern)>(value)
#define __hip_move_dpp(value, control, rows, banks, bound) __hip_move_dpp_N<(control), (rows), (banks), (bound)>(value)

// --- votes -----------------------------------------------------------------------------------------------------------

// A bit for each lane of a wave; in HIP's words of 64 bits also where a wave has 32.
#if __AMDGCN_WAVEFRONT_SIZE__ == 32
typedef unsigned layoutalg_lanes;
LAYOUTALG_HIP layoutalg_lanes layoutalg_ballot(bool yes) { return __builtin_amdgcn_ballot_w32(yes); }
#else
typedef unsigned long long layoutalg_lanes;
LAYOUTALG_HIP layoutalg_lanes layoutalg_ballot(bool yes) { return __builtin_amdgcn_ballot_w64(yes); }
#endif
LAYOUTALG_HIP unsigned long long __ballot(int predicate) { return layoutalg_ballot(predicate != 0); }
LAYOUTALG_HIP unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
LAYOUTALG_HIP unsigned long long __activemask() { return __ballot(1); }
LAYOUTALG_HIP int __any(int predicate) { return layoutalg_ballot(predicate != 0) != 0; }
LAYOUTALG_HIP int __all(int predicate) { return layoutalg_ballot(predicate == 0) == 0; }

// The lanes whose value has the same bits as this one's: one turn for each value that some lane has.
template <typename T>
LAYOUTALG_HIP unsigned long long __match_any(T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any compares values of four or eight bytes");
    unsigned long long same = 0;
    while (!same) {
        if (value == __hip_readfirstlane(value)) same = __activemask();
    }
    return same;
}

template <typename T>
LAYOUTALG_HIP unsigned long long __match_all(T value, int* equal) {
    *equal = __all(value == __hip_readfirstlane(value));
    return *equal ? __activemask() : 0;
}

// --- with a mask -----------------------------------------------------------------------------------------------------

// The mask's lanes that a wave has.
template <typename Mask>
LAYOUTALG_HIP layoutalg_lanes layoutalg_lanes_of(Mask mask) {
    static_assert(__is_integral(Mask) && sizeof(Mask) == 8, "HIP's masks of lanes are integers of 64 bits");
    return (layoutalg_lanes)mask;
}

template <typename Mask, typename T>
LAYOUTALG_HIP T __shfl_sync(Mask mask, T value, int source, int width = warpSize) {
    return layoutalg_lanes_of(mask), __shfl(value, source, width);
}
template <typename Mask, typename T>
LAYOUTALG_HIP T __shfl_up_sync(Mask mask, T value, unsigned delta, int width = warpSize) {
    return layoutalg_lanes_of(mask), __shfl_up(value, delta, width);
}
template <typename Mask, typename T>
LAYOUTALG_HIP T __shfl_down_sync(Mask mask, T value, unsigned delta, int width = warpSize) {
    return layoutalg_lanes_of(mask), __shfl_down(value, delta, width);
}
template <typename Mask, typename T>
LAYOUTALG_HIP T __shfl_xor_sync(Mask mask, T value, int other, int width = warpSize) {
    return layoutalg_lanes_of(mask), __shfl_xor(value, other, width);
}
template <typename Mask>
LAYOUTALG_HIP unsigned long long __ballot_sync(Mask mask, int predicate) {
    return __ballot(predicate) & layoutalg_lanes_of(mask);
}
template <typename Mask>
LAYOUTALG_HIP int __any_sync(Mask mask, int predicate) {
    return (layoutalg_ballot(predicate != 0) & layoutalg_lanes_of(mask)) != 0;
}
template <typename Mask>
LAYOUTALG_HIP int __all_sync(Mask mask, int predicate) {
    return (layoutalg_ballot(predicate == 0) & layoutalg_lanes_of(mask)) == 0;
}
template <typename Mask, typename T>
LAYOUTALG_HIP unsigned long long __match_any_sync(Mask mask, T value) {
    return __match_any(value) & layoutalg_lanes_of(mask);
}
template <typename Mask, typename T>
LAYOUTALG_HIP unsigned long long __match_all_sync(Mask mask, T value, int* equal) {
    layoutalg_lanes lanes = layoutalg_lanes_of(mask);
    *equal = ((layoutalg_lanes)__match_any(value) & lanes) == lanes;
    return *equal ? lanes : 0;
}

// One value of all the mask's lanes, by doubling: after k turns `window` is that of 2^k lanes of the mask from this one
// on, round and round, and `next` the lane that comes after them; the windows whose sizes add up to the mask's are
// taken.
template <typename Mask, typename T, typename Operation>
LAYOUTALG_HIP T layoutalg_reduced(Mask mask, T value, Operation operation) {
    static_assert(__is_integral(T), "__reduce_..._sync is of integers");
    unsigned long long lanes = layoutalg_lanes_of(mask), later = lanes & ~((2ull << __lane_id()) - 1);
    int at = (int)__lane_id(), next = __builtin_ctzll(later ? later : lanes), count = __builtin_popcountll(lanes);
    T window = value, result{};
    bool begun = false;
    for (int size = 1; size <= count; size <<= 1) {
        if (count & size) {
            T part = layoutalg_of_lane(window, at);
            result = begun ? operation(result, part) : part;
            begun = true;
            at = layoutalg_of_lane(next, at);
        }
        window = operation(window, layoutalg_of_lane(window, next));
        next = layoutalg_of_lane(next, next);
    }
    return result;
}
#define LAYOUTALG_HIP_REDUCTION(NAME, RESULT)                                         \
    template <typename Mask, typename T>                                               \
    LAYOUTALG_HIP T __reduce_##NAME##_sync(Mask mask, T value) {                       \
        return layoutalg_reduced(mask, value, [](T a, T b) -> T { return RESULT; });   \
    }
LAYOUTALG_HIP_REDUCTION(add, a + b)
LAYOUTALG_HIP_REDUCTION(min, a < b ? a : b)
LAYOUTALG_HIP_REDUCTION(max, a < b ? b : a)
LAYOUTALG_HIP_REDUCTION(and, a & b)
LAYOUTALG_HIP_REDUCTION(or, a | b)
LAYOUTALG_HIP_REDUCTION(xor, a ^ b)

// --- order -----------------------------------------------------------------------------------------------------------

LAYOUTALG_HIP void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
LAYOUTALG_HIP void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
LAYOUTALG_HIP void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

LAYOUTALG_HIP void __syncwarp() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <typename Mask>
LAYOUTALG_HIP void __syncwarp(Mask mask) {
    layoutalg_lanes_of(mask), __syncwarp();
}

// How many of the block's threads say yes. The first barrier keeps the count until all have read the one before.
LAYOUTALG_HIP int __syncthreads_count(int predicate) {
    __shared__ int count;
    __syncthreads();
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) count = 0;
    __syncthreads();
    __hip_atomic_fetch_add(&count, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    return count;
}
LAYOUTALG_HIP int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
LAYOUTALG_HIP int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }
