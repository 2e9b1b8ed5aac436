// CK Tile's batched transposition: a tile of 64 by 64, one wave, of f16 or TYPE, padded in both dimensions or (PAD=false) in none.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/batched_transpose.hpp"

namespace ck = ck_tile;

#ifndef PAD
#define PAD true
#endif
#ifndef TYPE
#define TYPE ck::fp16_t
#endif
using Problem = ck::BatchedTransposeProblem<TYPE, ck::sequence<64, 64>, ck::sequence<1, 1>, PAD, PAD>;
using Kernel = ck::BatchedTransposeKernel<ck::BatchedTransposePipeline<Problem, ck::BatchedTransposePolicy>>;

extern "C" __global__ void __launch_bounds__(64, 1) batched_transpose(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
