// CK Tile's quantisation of rows that are scaled before, in one pass or two (PIPELINE): f16 in, i8 out, a scale a row.
//
// A tile has ROWS rows of THREADS times 8 columns, padded, as example 12's generator has it.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/smoothquant.hpp"

namespace ck = ck_tile;
using Half = ck::fp16_t;

using Shape = ck::Generic2dBlockShape<ck::sequence<ROWS, THREADS * 8>, ck::sequence<ROWS, THREADS>, ck::sequence<1, 8>>;
using Problem = ck::SmoothquantPipelineProblem<Half, float, float, float, ck::int8_t, Shape, true, TWO_PASS>;
using Kernel = ck::Smoothquant<ck::PIPELINE<Problem>>;

extern "C" __global__ void __launch_bounds__(BLOCK, 1) smoothquant(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
