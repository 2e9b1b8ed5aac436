// Reductions and scans over a block: within waves by shuffles, over the waves through LDS.
//
// A call reads LDS after its last barrier: the next that takes the same storage wants a __syncthreads() before it, as
// hipCUB says.
#pragma once

#include <hipcub/parts/warp.hpp>

namespace hipcub {

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int ARCH = 0>
class BlockReduce {
    static constexpr int THREADS = X * Y * Z, LANES = __AMDGCN_WAVEFRONT_SIZE__, WAVES = (THREADS + LANES - 1) / LANES;

  public:
    typedef layoutalg_room<T, WAVES> TempStorage;
    __device__ __forceinline__ BlockReduce() : room(own()) {}
    __device__ __forceinline__ BlockReduce(TempStorage& storage) : room(storage) {}

    // Of the first `valid` threads' values: thread 0 has it.
    template <typename Op>
    __device__ __forceinline__ T Reduce(T value, Op op, int valid = THREADS) {
        int thread = layoutalg_thread<Y, Z>(), wave = thread / LANES;
        typename WarpReduce<T>::TempStorage none;
        value = WarpReduce<T>(none).Reduce(value, op, valid - wave * LANES);
        if constexpr (WAVES > 1) {
            if (thread % LANES == 0) room[wave] = value;
            __syncthreads();
            if (thread == 0)
                for (int other = 1; other * LANES < valid; ++other) value = op(value, room[other]);
        }
        return value;
    }
    template <int ITEMS, typename Op>
    __device__ __forceinline__ T Reduce(T (&items)[ITEMS], Op op) {
        T value = items[0];
#pragma unroll
        for (int k = 1; k < ITEMS; ++k) value = op(value, items[k]);
        return Reduce(value, op);
    }
    __device__ __forceinline__ T Sum(T value, int valid = THREADS) { return Reduce(value, hipcub::Sum(), valid); }
    template <int ITEMS> __device__ __forceinline__ T Sum(T (&items)[ITEMS]) { return Reduce(items, hipcub::Sum()); }

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& room;
};

template <typename T, int X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int ARCH = 0>
class BlockScan {
    static constexpr int THREADS = X * Y * Z, LANES = __AMDGCN_WAVEFRONT_SIZE__, WAVES = (THREADS + LANES - 1) / LANES;

  public:
    typedef layoutalg_room<T, WAVES + 1> TempStorage;  // a value a wave, and the prefix that a callback gives
    __device__ __forceinline__ BlockScan() : room(own()) {}
    __device__ __forceinline__ BlockScan(TempStorage& storage) : room(storage) {}

    // A few values a thread, one after another: thread 0's come first.
    template <int ITEMS, typename Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op) {
        T all;
        scan<false>(input, output, op, all, NullType());
    }
    template <int ITEMS, typename Op>
    __device__ __forceinline__ void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op, T& all) {
        scan<false>(input, output, op, all, NullType());
    }
    // `callback` takes the whole and gives what comes before; the first wave calls it, the first lane's result counts.
    template <int ITEMS, typename Op, typename Callback>
    __device__ __forceinline__ void InclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op, Callback& callback) {
        T all;
        scan<false>(input, output, op, all, [&](T whole) { return of_first(callback, whole); });
    }
    template <int ITEMS, typename Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], T initial, Op op) {
        T all;
        scan<true>(input, output, op, all, [&](T) { return initial; });
    }
    template <int ITEMS, typename Op>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], T initial, Op op, T& all) {
        scan<true>(input, output, op, all, [&](T) { return initial; });
    }
    template <int ITEMS, typename Op, typename Callback>
    __device__ __forceinline__ void ExclusiveScan(T (&input)[ITEMS], T (&output)[ITEMS], Op op, Callback& callback) {
        T all;
        scan<true>(input, output, op, all, [&](T whole) { return of_first(callback, whole); });
    }
    template <int ITEMS, typename... More>
    __device__ __forceinline__ void InclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS], More&... more) {
        InclusiveScan(input, output, Sum(), more...);
    }
    template <int ITEMS>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS]) {
        ExclusiveScan(input, output, T(0), Sum());
    }
    template <int ITEMS>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS], T& all) {
        ExclusiveScan(input, output, T(0), Sum(), all);
    }
    template <int ITEMS, typename Callback>
    __device__ __forceinline__ void ExclusiveSum(T (&input)[ITEMS], T (&output)[ITEMS], Callback& callback) {
        ExclusiveScan(input, output, Sum(), callback);
    }

    // One value a thread, with all that may follow.
#define LAYOUTALG_OF_ONE(NAME)                                                   \
    template <typename... More>                                                   \
    __device__ __forceinline__ void NAME(T input, T& output, More&&... more) {    \
        T one[1] = {input}, scanned[1];                                           \
        NAME(one, scanned, more...);                                              \
        output = scanned[0];                                                      \
    }
    LAYOUTALG_OF_ONE(InclusiveScan)
    LAYOUTALG_OF_ONE(InclusiveSum)
    LAYOUTALG_OF_ONE(ExclusiveSum)
#undef LAYOUTALG_OF_ONE
    template <typename Op, typename... More>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, T initial, Op op, More&... more) {
        T one[1] = {input}, scanned[1];
        ExclusiveScan(one, scanned, initial, op, more...);
        output = scanned[0];
    }
    template <typename Op, typename Callback>
    __device__ __forceinline__ void ExclusiveScan(T input, T& output, Op op, Callback& callback) {
        T one[1] = {input}, scanned[1];
        ExclusiveScan(one, scanned, op, callback);
        output = scanned[0];
    }

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& room;

    template <typename Callback>
    __device__ __forceinline__ T of_first(Callback& callback, T all) {
        int thread = layoutalg_thread<Y, Z>();
        if (thread < LANES) {
            T prefix = callback(all);
            if (thread == 0) room[WAVES] = prefix;
        }
        __syncthreads();
        return room[WAVES];
    }

    // `first` gives what comes before all, by the whole; NullType: nothing does.
    template <bool EXCLUSIVE, int ITEMS, typename Op, typename First>
    __device__ __forceinline__ void scan(T (&input)[ITEMS], T (&output)[ITEMS], Op op, T& all, First first) {
        int thread = layoutalg_thread<Y, Z>(), wave = thread / LANES;
        T sum = input[0], before;
#pragma unroll
        for (int k = 1; k < ITEMS; ++k) sum = op(sum, input[k]);
        typename WarpScan<T>::TempStorage none;
        WarpScan<T>(none).Scan(sum, sum, before, op);
        if constexpr (WAVES > 1) {
            if (thread % LANES == LANES - 1 || thread == THREADS - 1) room[wave] = sum;
            __syncthreads();
            all = room[0];
            for (int other = 1; other < WAVES; ++other) {
                if (other == wave) before = thread % LANES ? op(all, before) : all;
                all = op(all, room[other]);
            }
        } else {
            all = __shfl(sum, THREADS - 1);
        }
        bool preceded = thread > 0;
        if constexpr (!__is_same(First, NullType)) {
            T prefix = first(all);
            before = preceded ? op(prefix, before) : prefix;
            preceded = true;
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            T next = preceded ? op(before, input[k]) : input[k];
            output[k] = EXCLUSIVE ? before : next;
            before = next;
            preceded = true;
        }
    }
};

}  // namespace hipcub
