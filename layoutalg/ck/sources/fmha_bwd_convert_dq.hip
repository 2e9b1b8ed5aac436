// CK Tile's last step of attention, backward, as its example 01 generates it: dQ of f32 to f16, heads of 32, rows padded; where
// SUMMED, as many of them are added before as there are blocks of 64 keys.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/fmha.hpp"

namespace ck = ck_tile;

using Traits = ck::TileFmhaBwdConvertQGradTraits<true, false, 2>;
using Problem = ck::BlockFmhaBwdConvertQGradPipelineProblem<float, ck::half_t, 256, 64, SUMMED ? 64 : 0, 32, false, SUMMED, Traits>;
using Kernel = ck::FmhaBwdConvertQGradKernel<ck::BlockFmhaBwdConvertQGrad<Problem>>;

extern "C" __global__ void __launch_bounds__(256, 2) fmha_bwd_convert_dq(Kernel::Kargs arguments) { Kernel{}(arguments); }
