// CK Tile's root mean square normalisation of rows, forward, in one pass or two (PIPELINE): f16 in and out.
//
// A tile has ROWS rows of THREADS times 8 columns, padded, as example 10's generator has it.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/rmsnorm2d.hpp"

namespace ck = ck_tile;
using Half = ck::fp16_t;

using Shape = ck::Generic2dBlockShape<ck::sequence<ROWS, THREADS * 8>, ck::sequence<ROWS, THREADS>, ck::sequence<1, 8>>;
using Traits = ck::Rmsnorm2dFwdTraits<true, false, false, TWO_PASS, ck::Rmsnorm2dFusedAddEnum::NO_ADD,
                                      ck::Rmsnorm2dFusedQuantEnum::NO_SWEEP,
                                      ck::Rmsnorm2dSensitiveEnum::NO_SPECIFIC_MODEL>;
using Problem = ck::Rmsnorm2dFwdPipelineProblem<Half, Half, float, Half, Half, Half, float, float, Shape, Traits>;
using Epilogue = ck::Default2DEpilogue<ck::Default2DEpilogueProblem<float, Half, false, true, false>>;
using Kernel = ck::Rmsnorm2dFwd<ck::PIPELINE<Problem>, Epilogue>;

extern "C" __global__ void __launch_bounds__(BLOCK, 1) rmsnorm2d(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
