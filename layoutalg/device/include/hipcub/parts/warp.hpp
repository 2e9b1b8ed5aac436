// Reductions and scans over the lanes of a wave, or of a part of it that is a power of two: by shuffles, without LDS.
//
// After the step of distance d a lane holds the values of 2d lanes, in their order, so the operator need not commute.
#pragma once

#include <hipcub/parts/types.hpp>

namespace hipcub {

template <typename T, int N = __AMDGCN_WAVEFRONT_SIZE__, int ARCH = 0>
class WarpReduce {
    static_assert(N > 0 && (N & (N - 1)) == 0 && N <= __AMDGCN_WAVEFRONT_SIZE__, "a power of two of a wave's lanes");

  public:
    struct TempStorage {};
    __device__ __forceinline__ WarpReduce(TempStorage&) {}

    // Of the first `valid` lanes' values: the first lane has it.
    template <typename Op>
    __device__ __forceinline__ T Reduce(T value, Op op, int valid = N) {
        int lane = (int)__lane_id() & (N - 1);
#pragma unroll
        for (int by = 1; by < N; by *= 2) {
            T other = __shfl_down(value, by, N);
            if (lane + by < valid) value = op(value, other);
        }
        return value;
    }
    __device__ __forceinline__ T Sum(T value, int valid = N) { return Reduce(value, hipcub::Sum(), valid); }
};

template <typename T, int N = __AMDGCN_WAVEFRONT_SIZE__, int ARCH = 0>
class WarpScan {
    static_assert(N > 0 && (N & (N - 1)) == 0 && N <= __AMDGCN_WAVEFRONT_SIZE__, "a power of two of a wave's lanes");
    static __device__ __forceinline__ int lane() { return (int)__lane_id() & (N - 1); }

  public:
    struct TempStorage {};
    __device__ __forceinline__ WarpScan(TempStorage&) {}

    template <typename Op>
    __device__ __forceinline__ void InclusiveScan(T value, T& inclusive, Op op) {
#pragma unroll
        for (int by = 1; by < N; by *= 2) {
            T other = __shfl_up(value, by, N);
            if (lane() >= by) value = op(other, value);
        }
        inclusive = value;
    }
    template <typename Op>
    __device__ __forceinline__ void InclusiveScan(T value, T& inclusive, Op op, T& all) {
        InclusiveScan(value, inclusive, op);
        all = __shfl(inclusive, N - 1, N);
    }
    // Both at once; the first lane's exclusive value is not defined without an initial one.
    template <typename Op>
    __device__ __forceinline__ void Scan(T value, T& inclusive, T& exclusive, Op op) {
        InclusiveScan(value, value, op);
        exclusive = __shfl_up(value, 1, N);
        inclusive = value;
    }
    template <typename Op>
    __device__ __forceinline__ void Scan(T value, T& inclusive, T& exclusive, T initial, Op op) {
        T before;
        Scan(value, value, before, op);
        exclusive = lane() ? op(initial, before) : initial;
        inclusive = op(initial, value);
    }
    template <typename Op>
    __device__ __forceinline__ void ExclusiveScan(T value, T& exclusive, Op op) {
        T inclusive;
        Scan(value, inclusive, exclusive, op);
    }
    template <typename Op>
    __device__ __forceinline__ void ExclusiveScan(T value, T& exclusive, Op op, T& all) {
        T inclusive;
        Scan(value, inclusive, exclusive, op);
        all = __shfl(inclusive, N - 1, N);
    }
    template <typename Op>
    __device__ __forceinline__ void ExclusiveScan(T value, T& exclusive, T initial, Op op) {
        T inclusive;
        Scan(value, inclusive, exclusive, initial, op);
    }
    // The whole is that of the values alone, without the initial one.
    template <typename Op>
    __device__ __forceinline__ void ExclusiveScan(T value, T& exclusive, T initial, Op op, T& all) {
        T before;
        ExclusiveScan(value, before, op, all);
        exclusive = lane() ? op(initial, before) : initial;
    }
    __device__ __forceinline__ void InclusiveSum(T value, T& inclusive) { InclusiveScan(value, inclusive, Sum()); }
    __device__ __forceinline__ void InclusiveSum(T value, T& inclusive, T& all) {
        InclusiveScan(value, inclusive, Sum(), all);
    }
    __device__ __forceinline__ void ExclusiveSum(T value, T& exclusive) {
        ExclusiveScan(value, exclusive, T(0), Sum());
    }
    __device__ __forceinline__ void ExclusiveSum(T value, T& exclusive, T& all) {
        ExclusiveScan(value, exclusive, T(0), Sum(), all);
    }
    __device__ __forceinline__ T Broadcast(T value, unsigned lane) { return __shfl(value, (int)lane, N); }
};

}  // namespace hipcub
