// hipCUB's block and wave primitives, for kernels that use them: small, and right in the plainest way.
//
// | file of hipcub/parts | holds |
// |---|---|
// | types.hpp | Sum, Max, ArgMin …, KeyValuePair, Traits, DoubleBuffer, iterators |
// | warp.hpp | WarpReduce, WarpScan |
// | reduce.hpp | BlockReduce, BlockScan |
// | exchange.hpp | BlockExchange, BlockLoad, BlockStore, BlockRadixSort, BlockAdjacentDifference |
// | device.hpp | DeviceReduce …: what the host calls, declared |
//
// Names, arguments and results are those of hipCUB (ROCm/hipCUB, docs; NVIDIA's CUB has the same classes). Threads of a
// block count x fastest. An algorithm that is named (BLOCK_REDUCE_RAKING …) changes nothing here: each reduces within
// waves and then over them. What only one thread is promised, others may have too.
//
// Where a folder of headers (-I) has hipCUB itself, that is taken.
//
// What it cannot represent: the kernels within DeviceReduce and kin, which are the library's, not the program's.
#pragma once

#if __has_include_next(<hipcub/hipcub.hpp>)
#include_next <hipcub/hipcub.hpp>
#else
#include <hipcub/parts/device.hpp>
#include <hipcub/parts/exchange.hpp>
#include <hipcub/parts/reduce.hpp>
#include <hipcub/parts/types.hpp>
#include <hipcub/parts/warp.hpp>
#endif
