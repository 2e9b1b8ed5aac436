// rocPRIM's block primitives that kernels use, over hipCUB's (hipcub/parts): the same, in rocPRIM's names and order of
// arguments (ROCm/rocPRIM, docs). What the host calls is declared.
//
// Where a folder of headers (-I) has rocPRIM itself, that is taken.
#pragma once

#if __has_include_next(<rocprim/rocprim.hpp>)
#include_next <rocprim/rocprim.hpp>
#else
#include <hipcub/parts/exchange.hpp>

namespace rocprim {

#define LAYOUTALG_OPERATOR(NAME, RESULT)                                                                      \
    template <typename T = void>                                                                              \
    struct NAME {                                                                                             \
        LAYOUTALG_CUB constexpr T operator()(const T& a, const T& b) const { return RESULT; }                 \
    };
LAYOUTALG_OPERATOR(plus, a + b)
LAYOUTALG_OPERATOR(minus, a - b)
LAYOUTALG_OPERATOR(multiplies, a * b)
LAYOUTALG_OPERATOR(maximum, a < b ? b : a)
LAYOUTALG_OPERATOR(minimum, a < b ? a : b)
#undef LAYOUTALG_OPERATOR

enum class block_reduce_algorithm {
    using_warp_reduce, raking_reduce, raking_reduce_commutative_only, default_algorithm = using_warp_reduce
};
template <typename T, unsigned X, block_reduce_algorithm = block_reduce_algorithm::default_algorithm, unsigned Y = 1,
          unsigned Z = 1>
class block_reduce {
    typedef hipcub::BlockReduce<T, X, hipcub::BLOCK_REDUCE_WARP_REDUCTIONS, Y, Z> Reduce;

  public:
    typedef typename Reduce::TempStorage storage_type;

    // Of one value or a few: thread 0 has the result.
    template <typename Input, typename Op = plus<T>>
    __device__ __forceinline__ void reduce(Input&& input, T& output, storage_type& storage, Op op = Op()) {
        output = Reduce(storage).Reduce(input, op);
    }
    template <typename Input, typename Op = plus<T>>
    __device__ __forceinline__ void reduce(Input&& input, T& output, Op op = Op()) {
        output = Reduce().Reduce(input, op);
    }
    template <typename Op = plus<T>>
    __device__ __forceinline__ void reduce(T input, T& output, unsigned valid, storage_type& storage, Op op = Op()) {
        output = Reduce(storage).Reduce(input, op, (int)valid);
    }
    template <typename Op = plus<T>>
    __device__ __forceinline__ void reduce(T input, T& output, unsigned valid, Op op = Op()) {
        output = Reduce().Reduce(input, op, (int)valid);
    }
};

enum class block_scan_algorithm { using_warp_scan, reduce_then_scan, default_algorithm = using_warp_scan };
template <typename T, unsigned X, block_scan_algorithm = block_scan_algorithm::default_algorithm, unsigned Y = 1,
          unsigned Z = 1>
class block_scan {
    typedef hipcub::BlockScan<T, X, hipcub::BLOCK_SCAN_WARP_SCANS, Y, Z> Scan;

  public:
    typedef typename Scan::TempStorage storage_type;

    template <typename Op = plus<T>>
    __device__ __forceinline__ void inclusive_scan(T input, T& output, storage_type& storage, Op op = Op()) {
        Scan(storage).InclusiveScan(input, output, op);
    }
    template <typename Op = plus<T>>
    __device__ __forceinline__ void inclusive_scan(T input, T& output, T& all, storage_type& storage, Op op = Op()) {
        Scan(storage).InclusiveScan(input, output, op, all);
    }
    template <typename Op = plus<T>>
    __device__ __forceinline__ void exclusive_scan(T input, T& output, T initial, storage_type& storage, Op op = Op()) {
        Scan(storage).ExclusiveScan(input, output, initial, op);
    }
    template <typename Op = plus<T>>
    __device__ __forceinline__ void exclusive_scan(T input, T& output, T initial, T& all, storage_type& storage,
                                                   Op op = Op()) {
        Scan(storage).ExclusiveScan(input, output, initial, op, all);
    }
};

enum class block_load_method {
    block_load_direct, block_load_striped, block_load_vectorize, block_load_transpose, block_load_warp_transpose,
    default_method = block_load_direct
};
enum class block_store_method {
    block_store_direct, block_store_striped, block_store_vectorize, block_store_transpose, block_store_warp_transpose,
    default_method = block_store_direct
};
#define LAYOUTALG_TRANSFER(NAME, CLASS, VERB, CALL, METHOD, ALGORITHM)                                               \
    template <typename T, unsigned X, unsigned ITEMS, METHOD HOW = METHOD::default_method, unsigned Y = 1,            \
              unsigned Z = 1>                                                                                         \
    class NAME {                                                                                                      \
        typedef hipcub::CLASS<T, X, ITEMS, (hipcub::ALGORITHM)HOW, Y, Z> Transfer;                                    \
                                                                                                                      \
      public:                                                                                                         \
        typedef typename Transfer::TempStorage storage_type;                                                          \
        template <typename Place> __device__ __forceinline__ void VERB(Place place, T (&items)[ITEMS]) {              \
            Transfer().CALL(place, items);                                                                            \
        }                                                                                                             \
        template <typename Place>                                                                                     \
        __device__ __forceinline__ void VERB(Place place, T (&items)[ITEMS], storage_type& storage) {                 \
            Transfer(storage).CALL(place, items);                                                                     \
        }                                                                                                             \
        template <typename Place, typename... Default>                                                                \
        __device__ __forceinline__ void VERB(Place place, T (&items)[ITEMS], unsigned valid, Default... otherwise) {  \
            Transfer().CALL(place, items, (int)valid, otherwise...);                                                  \
        }                                                                                                             \
        template <typename Place>                                                                                     \
        __device__ __forceinline__ void VERB(Place place, T (&items)[ITEMS], unsigned valid, storage_type& storage) { \
            Transfer(storage).CALL(place, items, (int)valid);                                                         \
        }                                                                                                             \
    };
LAYOUTALG_TRANSFER(block_load, BlockLoad, load, Load, block_load_method, BlockLoadAlgorithm)
LAYOUTALG_TRANSFER(block_store, BlockStore, store, Store, block_store_method, BlockStoreAlgorithm)
#undef LAYOUTALG_TRANSFER

#define LAYOUTALG_CALL(NAME) template <typename... Arguments> hipError_t NAME(Arguments&&...);
LAYOUTALG_CALL(reduce) LAYOUTALG_CALL(inclusive_scan) LAYOUTALG_CALL(exclusive_scan) LAYOUTALG_CALL(transform)
LAYOUTALG_CALL(radix_sort_keys) LAYOUTALG_CALL(radix_sort_pairs) LAYOUTALG_CALL(select) LAYOUTALG_CALL(partition)
#undef LAYOUTALG_CALL

}  // namespace rocprim
#endif
