// CK Tile's sum of two matrices, its root mean square normalisation by rows, and their quantisation: one pass, f16 in,
// the sum in f16 and the result in i8 out, a scale for each row.
//
// A tile has ROWS rows of THREADS times 8 columns, padded, as example 11's generator has it.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/add_rmsnorm2d_rdquant.hpp"

namespace ck = ck_tile;
using Half = ck::fp16_t;

using Shape = ck::Generic2dBlockShape<ck::sequence<ROWS, THREADS * 8>, ck::sequence<ROWS, THREADS>, ck::sequence<1, 8>>;
using Problem = ck::AddRmsnorm2dRdquantFwdPipelineProblem<Half, Half, Half, float, Half, float, ck::int8_t, Shape, true,
                                                          true, false>;
using Kernel = ck::AddRmsnorm2dRdquantFwd<ck::AddRmsnorm2dRdquantFwdPipelineOnePass<Problem>>;

extern "C" __global__ void __launch_bounds__(BLOCK, 1) add_rmsnorm2d_rdquant(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
