// What the host calls: declared, so that a program is read for its own kernels; the library's are none of them.
#pragma once

#include <hipcub/parts/types.hpp>

namespace hipcub {

#define LAYOUTALG_CALL(NAME) template <typename... Arguments> static hipError_t NAME(Arguments&&...);
struct DeviceReduce {
    LAYOUTALG_CALL(Reduce) LAYOUTALG_CALL(Sum) LAYOUTALG_CALL(Min) LAYOUTALG_CALL(Max)
    LAYOUTALG_CALL(ArgMin) LAYOUTALG_CALL(ArgMax) LAYOUTALG_CALL(ReduceByKey) LAYOUTALG_CALL(TransformReduce)
};
struct DeviceSegmentedReduce {
    LAYOUTALG_CALL(Reduce) LAYOUTALG_CALL(Sum) LAYOUTALG_CALL(Min) LAYOUTALG_CALL(Max)
    LAYOUTALG_CALL(ArgMin) LAYOUTALG_CALL(ArgMax)
};
struct DeviceScan {
    LAYOUTALG_CALL(ExclusiveSum) LAYOUTALG_CALL(InclusiveSum) LAYOUTALG_CALL(ExclusiveScan)
    LAYOUTALG_CALL(InclusiveScan)
    LAYOUTALG_CALL(ExclusiveSumByKey) LAYOUTALG_CALL(InclusiveSumByKey)
};
struct DeviceRadixSort {
    LAYOUTALG_CALL(SortKeys) LAYOUTALG_CALL(SortPairs)
    LAYOUTALG_CALL(SortKeysDescending) LAYOUTALG_CALL(SortPairsDescending)
};
struct DeviceSegmentedRadixSort : DeviceRadixSort {};
struct DeviceMergeSort {
    LAYOUTALG_CALL(SortKeys) LAYOUTALG_CALL(SortPairs) LAYOUTALG_CALL(StableSortKeys) LAYOUTALG_CALL(StableSortPairs)
};
struct DeviceSelect { LAYOUTALG_CALL(Flagged) LAYOUTALG_CALL(If) LAYOUTALG_CALL(Unique) LAYOUTALG_CALL(UniqueByKey) };
struct DevicePartition { LAYOUTALG_CALL(Flagged) LAYOUTALG_CALL(If) };
struct DeviceHistogram {
    LAYOUTALG_CALL(HistogramEven) LAYOUTALG_CALL(HistogramRange)
    LAYOUTALG_CALL(MultiHistogramEven) LAYOUTALG_CALL(MultiHistogramRange)
};
struct DeviceRunLengthEncode { LAYOUTALG_CALL(Encode) LAYOUTALG_CALL(NonTrivialRuns) };
#undef LAYOUTALG_CALL

// Keeps what the device gave, for the next that asks.
struct CachingDeviceAllocator {
    bool debug;
    CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false);
    CachingDeviceAllocator(unsigned growth, unsigned smallest = 1, unsigned largest = ~0u, size_t most = ~size_t(0),
                           bool skip_cleanup = false, bool debug = false);
    template <typename T> hipError_t DeviceAllocate(T** pointer, size_t bytes, hipStream_t active = nullptr);
    hipError_t DeviceFree(void* pointer);
    hipError_t FreeAllCached();
};

}  // namespace hipcub
