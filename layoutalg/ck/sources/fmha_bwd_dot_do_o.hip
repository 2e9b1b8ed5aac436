// CK Tile's first step of attention, backward, as its example 01 generates it: of each row of O and dO their product; f16 of
// heads of 32, summed in f32, rows padded.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/fmha.hpp"

namespace ck = ck_tile;

using Traits = ck::TileFmhaBwdOGradDotOTraits<true, false, 2>;
using Problem = ck::BlockFmhaBwdOGradDotOPipelineProblem<ck::half_t, ck::half_t, float, 64, 32, false, Traits>;
using Kernel = ck::FmhaBwdOGradDotOKernel<ck::BlockFmhaBwdOGradDotO<Problem>>;

extern "C" __global__ void __launch_bounds__(64, 2) fmha_bwd_dot_do_o(Kernel::Kargs arguments) { Kernel{}(arguments); }
