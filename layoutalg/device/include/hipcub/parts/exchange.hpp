// Items that change hands: between arrangements, from and to memory, between neighbours, by the order of their keys.
//
// | arrangement | item k of thread t is |
// |---|---|
// | blocked | t · ITEMS + k |
// | striped | k · THREADS + t |
// | warp-striped | striped within the wave's items, which follow those of the waves before it |
#pragma once

#include <hipcub/parts/reduce.hpp>

namespace hipcub {

template <typename T, int X, int ITEMS, bool SLICED = false, int Y = 1, int Z = 1, int ARCH = 0>
class BlockExchange {
    static constexpr int THREADS = X * Y * Z, LANES = __AMDGCN_WAVEFRONT_SIZE__;

  public:
    typedef layoutalg_room<T, THREADS * ITEMS> TempStorage;
    __device__ __forceinline__ BlockExchange() : room(own()) {}
    __device__ __forceinline__ BlockExchange(TempStorage& storage) : room(storage) {}

    static __device__ __forceinline__ int blocked(int k) { return layoutalg_thread<Y, Z>() * ITEMS + k; }
    static __device__ __forceinline__ int striped(int k) { return k * THREADS + layoutalg_thread<Y, Z>(); }
    static __device__ __forceinline__ int warp_striped(int k) {
        int thread = layoutalg_thread<Y, Z>(), first = thread / LANES * LANES;
        return first * ITEMS + k * (THREADS - first < LANES ? THREADS - first : LANES) + thread % LANES;
    }

#define LAYOUTALG_EXCHANGE(NAME, FROM, TO)                                                                        \
    template <typename O> __device__ __forceinline__ void NAME(const T (&in)[ITEMS], O (&out)[ITEMS]) {           \
        exchange(in, out, [](int k) { return FROM(k); }, [](int k) { return TO(k); });                            \
    }                                                                                                             \
    __device__ __forceinline__ void NAME(T (&items)[ITEMS]) { NAME(items, items); }
    LAYOUTALG_EXCHANGE(StripedToBlocked, striped, blocked)
    LAYOUTALG_EXCHANGE(BlockedToStriped, blocked, striped)
    LAYOUTALG_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
    LAYOUTALG_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef LAYOUTALG_EXCHANGE
#define LAYOUTALG_SCATTER(NAME, TO)                                                                               \
    template <typename O, typename Rank>                                                                          \
    __device__ __forceinline__ void NAME(const T (&in)[ITEMS], O (&out)[ITEMS], const Rank (&ranks)[ITEMS]) {     \
        exchange(in, out, [&](int k) { return (int)ranks[k]; }, [](int k) { return TO(k); });                     \
    }                                                                                                             \
    template <typename Rank>                                                                                      \
    __device__ __forceinline__ void NAME(T (&items)[ITEMS], const Rank (&ranks)[ITEMS]) {                         \
        NAME(items, items, ranks);                                                                                \
    }
    LAYOUTALG_SCATTER(ScatterToBlocked, blocked)
    LAYOUTALG_SCATTER(ScatterToStriped, striped)
#undef LAYOUTALG_SCATTER

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& room;

    template <typename O, typename From, typename To>
    __device__ __forceinline__ void exchange(const T (&in)[ITEMS], O (&out)[ITEMS], From from, To to) {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) room[from(k)] = in[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) out[k] = room[to(k)];
    }
};

// How items are read and written; all give or take the blocked arrangement but the striped ones.
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// What BlockLoad and BlockStore share: where item k of a thread is in memory, by the algorithm's number.
template <typename T, int X, int ITEMS, int ALGORITHM, int Y, int Z>
class layoutalg_transfer {
  protected:
    typedef BlockExchange<T, X, ITEMS, false, Y, Z> Exchange;
    static constexpr bool STRIPED = ALGORITHM == 1, TRANSPOSED = ALGORITHM == 3, BY_WAVES = ALGORITHM >= 4;
    static __device__ __forceinline__ int place(int k) {
        if (BY_WAVES) return Exchange::warp_striped(k);
        return STRIPED || TRANSPOSED ? Exchange::striped(k) : Exchange::blocked(k);
    }

  public:
    typedef layoutalg_room<T, TRANSPOSED || BY_WAVES ? X * Y * Z * ITEMS : 1> TempStorage;

  protected:
    __device__ __forceinline__ layoutalg_transfer(TempStorage& storage) : room(storage) {}
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& room;
};

template <typename T, int X, int ITEMS, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1,
          int ARCH = 0>
class BlockLoad : public layoutalg_transfer<T, X, ITEMS, ALGORITHM, Y, Z> {
    typedef layoutalg_transfer<T, X, ITEMS, ALGORITHM, Y, Z> Base;

  public:
    __device__ __forceinline__ BlockLoad() : Base(Base::own()) {}
    __device__ __forceinline__ BlockLoad(typename Base::TempStorage& storage) : Base(storage) {}

    // Items from `valid` on are left as they are, or take `otherwise`.
    template <typename From> __device__ __forceinline__ void Load(From from, T (&items)[ITEMS]) {
        load(from, items, X * Y * Z * ITEMS);
    }
    template <typename From> __device__ __forceinline__ void Load(From from, T (&items)[ITEMS], int valid) {
        load(from, items, valid);
    }
    template <typename From, typename Default>
    __device__ __forceinline__ void Load(From from, T (&items)[ITEMS], int valid, Default otherwise) {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) items[k] = otherwise;
        load(from, items, valid);
    }

  private:
    template <typename From> __device__ __forceinline__ void load(From from, T (&items)[ITEMS], int valid) {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k)
            if (Base::place(k) < valid) items[k] = from[Base::place(k)];
        if constexpr (Base::TRANSPOSED) typename Base::Exchange(this->room).StripedToBlocked(items);
        if constexpr (Base::BY_WAVES) typename Base::Exchange(this->room).WarpStripedToBlocked(items);
    }
};

template <typename T, int X, int ITEMS, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1,
          int ARCH = 0>
class BlockStore : public layoutalg_transfer<T, X, ITEMS, ALGORITHM, Y, Z> {
    typedef layoutalg_transfer<T, X, ITEMS, ALGORITHM, Y, Z> Base;

  public:
    __device__ __forceinline__ BlockStore() : Base(Base::own()) {}
    __device__ __forceinline__ BlockStore(typename Base::TempStorage& storage) : Base(storage) {}

    template <typename To>
    __device__ __forceinline__ void Store(To to, T (&items)[ITEMS], int valid = X * Y * Z * ITEMS) {
        if constexpr (Base::TRANSPOSED) typename Base::Exchange(this->room).BlockedToStriped(items);
        if constexpr (Base::BY_WAVES) typename Base::Exchange(this->room).BlockedToWarpStriped(items);
#pragma unroll
        for (int k = 0; k < ITEMS; ++k)
            if (Base::place(k) < valid) to[Base::place(k)] = items[k];
    }
};

// op(item, the one before it) or op(item, the one after it); at the block's border the item itself, or with one given.
template <typename T, int X, int Y = 1, int Z = 1, int ARCH = 0>
class BlockAdjacentDifference {
  public:
    typedef layoutalg_room<T, X * Y * Z> TempStorage;
    __device__ __forceinline__ BlockAdjacentDifference() : room(own()) {}
    __device__ __forceinline__ BlockAdjacentDifference(TempStorage& storage) : room(storage) {}

    template <int ITEMS, typename O, typename Op>
    __device__ __forceinline__ void SubtractLeft(T (&input)[ITEMS], O (&output)[ITEMS], Op op) {
        left(input, output, op, [&](T first) { return (O)first; });
    }
    template <int ITEMS, typename O, typename Op>
    __device__ __forceinline__ void SubtractLeft(T (&input)[ITEMS], O (&output)[ITEMS], Op op, T predecessor) {
        left(input, output, op, [&](T first) { return (O)op(first, predecessor); });
    }
    template <int ITEMS, typename O, typename Op>
    __device__ __forceinline__ void SubtractRight(T (&input)[ITEMS], O (&output)[ITEMS], Op op) {
        right(input, output, op, [&](T last) { return (O)last; });
    }
    template <int ITEMS, typename O, typename Op>
    __device__ __forceinline__ void SubtractRight(T (&input)[ITEMS], O (&output)[ITEMS], Op op, T successor) {
        right(input, output, op, [&](T last) { return (O)op(last, successor); });
    }

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& room;

    template <int ITEMS, typename O, typename Op, typename Border>
    __device__ __forceinline__ void left(T (&input)[ITEMS], O (&output)[ITEMS], Op op, Border border) {
        int thread = layoutalg_thread<Y, Z>();
        room[thread] = input[ITEMS - 1];
        __syncthreads();
#pragma unroll
        for (int k = ITEMS - 1; k > 0; --k) output[k] = op(input[k], input[k - 1]);
        output[0] = thread ? (O)op(input[0], room[thread - 1]) : border(input[0]);
    }
    template <int ITEMS, typename O, typename Op, typename Border>
    __device__ __forceinline__ void right(T (&input)[ITEMS], O (&output)[ITEMS], Op op, Border border) {
        int thread = layoutalg_thread<Y, Z>();
        room[thread] = input[0];
        __syncthreads();
#pragma unroll
        for (int k = 0; k + 1 < ITEMS; ++k) output[k] = op(input[k], input[k + 1]);
        T last = input[ITEMS - 1];
        output[ITEMS - 1] = thread + 1 < X * Y * Z ? (O)op(last, room[thread + 1]) : border(last);
    }
};

// Sorts by the bits [begin, end) of the keys: one bit after another, zeros first, each pass keeps the order.
template <typename Key, int X, int ITEMS, typename Value = NullType, int RADIX_BITS = 4, bool MEMOIZE = true,
          BlockScanAlgorithm SCAN = BLOCK_SCAN_WARP_SCANS, int CONFIG = 0, int Y = 1, int Z = 1, int ARCH = 0>
class BlockRadixSort {
    typedef typename Traits<Key>::UnsignedBits Bits;
    typedef BlockScan<int, X, SCAN, Y, Z> Scan;
    typedef BlockExchange<Bits, X, ITEMS, false, Y, Z> Keys;
    typedef BlockExchange<Value, X, ITEMS, false, Y, Z> Values;
    static constexpr bool PAIRS = !__is_same(Value, NullType);

  public:
    struct TempStorage {
        typename Scan::TempStorage scan;
        typename Keys::TempStorage keys;
        layoutalg_room<Value, PAIRS ? X * Y * Z * ITEMS : 1> values;
    };
    __device__ __forceinline__ BlockRadixSort() : room(own()) {}
    __device__ __forceinline__ BlockRadixSort(TempStorage& storage) : room(storage) {}

#define LAYOUTALG_SORT(NAME, DESCENDING, STRIPED)                                                                      \
    __device__ __forceinline__ void NAME(Key (&keys)[ITEMS], int begin = 0, int end = sizeof(Key) * 8) {               \
        static_assert(!PAIRS, "keys alone, where values belong to them");                                              \
        Value none[ITEMS];                                                                                             \
        sort<DESCENDING, STRIPED>(keys, none, begin, end);                                                             \
    }                                                                                                                  \
    __device__ __forceinline__ void NAME(Key (&keys)[ITEMS], Value (&values)[ITEMS], int begin = 0,                    \
                                         int end = sizeof(Key) * 8) {                                                  \
        sort<DESCENDING, STRIPED>(keys, values, begin, end);                                                           \
    }
    LAYOUTALG_SORT(Sort, false, false)
    LAYOUTALG_SORT(SortDescending, true, false)
    LAYOUTALG_SORT(SortBlockedToStriped, false, true)
    LAYOUTALG_SORT(SortDescendingBlockedToStriped, true, true)
#undef LAYOUTALG_SORT

  private:
    static __device__ __forceinline__ TempStorage& own() {
        __shared__ TempStorage storage;
        return storage;
    }
    TempStorage& room;

    template <bool DESCENDING, bool STRIPED>
    __device__ __forceinline__ void sort(Key (&keys)[ITEMS], Value (&values)[ITEMS], int begin, int end) {
        Bits bits[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            bits[k] = Traits<Key>::TwiddleIn(__builtin_bit_cast(Bits, keys[k]));
            if (DESCENDING) bits[k] = ~bits[k];
        }
        for (int bit = begin; bit < end; ++bit) {
            int zero[ITEMS], ranks[ITEMS], zeros;
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) zero[k] = !(bits[k] >> bit & 1);
            Scan(room.scan).ExclusiveSum(zero, ranks, zeros);
#pragma unroll
            for (int k = 0; k < ITEMS; ++k)
                if (!zero[k]) ranks[k] = zeros + Keys::blocked(k) - ranks[k];
            Keys(room.keys).ScatterToBlocked(bits, ranks);
            if constexpr (PAIRS) Values(room.values).ScatterToBlocked(values, ranks);
            __syncthreads();
        }
        if constexpr (STRIPED) {
            Keys(room.keys).BlockedToStriped(bits);
            if constexpr (PAIRS) Values(room.values).BlockedToStriped(values);
        }
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) {
            if (DESCENDING) bits[k] = ~bits[k];
            keys[k] = __builtin_bit_cast(Key, Traits<Key>::TwiddleOut(bits[k]));
        }
    }
};

}  // namespace hipcub
