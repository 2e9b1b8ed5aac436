// CK Tile's attention, forward, f16 in and out, as its example 01 generates it: heads of 32, no bias, rows padded.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/fmha.hpp"

namespace ck = ck_tile;
using Half = ck::half_t;

using Warps = ck::sequence<4, 1, 1>;
using Warp = ck::sequence<32, 32, 16>;
using Shape = ck::TileFmhaShape<ck::sequence<128, 64, 16, 32, 32, 32>, Warps, Warp, Warps, Warp, true>;
using Traits = ck::TileFmhaTraits<true, true, false, false, false, ck::BlockAttentionBiasEnum::NO_BIAS, false, false, false,
                                  false, -1, false>;
using Variant = ck::ComposedAttention<0, CK_TILE_FMHA_FWD_FAST_EXP2>;
using Mask = ck::SimplifiedGenericAttentionMask<FMHA_MASKED>;
using Problem = ck::BlockFmhaPipelineProblem<Half, Half, Half, float, float, Half, uint8_t, float, Half, float, Half, Shape,
                                             false, Variant, Mask, false, Traits>;
using Pipeline = ck::BlockFmhaPipelineQRKSVS<Problem>;
using Epilogue = ck::Default2DEpilogue<ck::Default2DEpilogueProblem<float, Half, true, false>>;
using Kernel = ck::FmhaFwdKernel<Pipeline, Epilogue>;

extern "C" __global__ void __launch_bounds__(256, 1) fmha_fwd(Kernel::Kargs arguments) {
#if defined(__HIP_DEVICE_COMPILE__)
    Kernel{}(arguments);
#endif
}
