// CK Tile's layer normalisation of rows, forward, in one pass or two (PIPELINE): Welford's, f16 in and out.
//
// A tile has ROWS rows of THREADS times 8 columns, padded, as example 02's generator has it.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/layernorm2d.hpp"

namespace ck = ck_tile;
using Half = ck::fp16_t;

using Shape = ck::Generic2dBlockShape<ck::sequence<ROWS, THREADS * 8>, ck::sequence<ROWS, THREADS>, ck::sequence<1, 8>>;
using Traits = ck::Layernorm2dFwdTraits<true, false, true, true, TWO_PASS, ck::Layernorm2dXBiasEnum::NO_BIAS,
                                        ck::Layernorm2dFusedAddEnum::NO_ADD, ck::Layernorm2dFusedQuantEnum::NO_SWEEP>;
using Problem =
    ck::Layernorm2dFwdPipelineProblem<Half, Half, Half, Half, float, Half, Half, Half, float, float, Shape, Traits>;
using Epilogue = ck::Default2DEpilogue<ck::Default2DEpilogueProblem<float, Half, false, true, true>>;
using Kernel = ck::Layernorm2dFwd<ck::PIPELINE<Problem>, Epilogue>;

extern "C" __global__ void __launch_bounds__(BLOCK, 1) layernorm2d(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
