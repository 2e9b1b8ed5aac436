// Problems of CK Tile's attention, as its example 01 generates them: f16, heads of 128, forward and backward.
using namespace ck_tile;
constexpr auto no_bias = BlockAttentionBiasEnum::NO_BIAS;
using Attention = ComposedAttention<0, true>;
using Mask = SimplifiedGenericAttentionMask<false>;
template <class Block, class Warps, class Warp, bool rows = true>
using FmhaShape = TileFmhaShape<Block, Warps, Warp, Warps, Warp, rows>;
using Block = sequence<128, 128, 32, 128, 32, 128>;
template <class Shape, bool transposed = false>
using Forward = BlockFmhaPipelineProblem<
    half_t, half_t, half_t, float, float, half_t, uint8_t, float, half_t, float, half_t, Shape, false, Attention, Mask,
    transposed, TileFmhaTraits<true, true, true, true, false, no_bias, false, false, false, false>>;
using Fwd = Forward<FmhaShape<Block, sequence<4, 1, 1>, sequence<32, 32, 16>>>;
using FwdWholeK =
    Forward<FmhaShape<sequence<64, 128, 64, 128, 64, 128>, sequence<4, 1, 1>, sequence<16, 16, 16>>>;
using FwdTransposed = Forward<FmhaShape<Block, sequence<4, 1, 1>, sequence<32, 32, 16>>, true>;
using SplitKVNWarp = BlockFmhaFwdSplitKVPipelineProblem<
    half_t, half_t, half_t, float, float, half_t, float, half_t, float, float,
    TileFmhaShape<sequence<16, 64, 64, 128, 64, 128>, sequence<1, 4, 1>, sequence<16, 16, 16>, sequence<1, 4, 1>,
                  sequence<16, 16, 16>, true>,
    false, Attention, Mask,
    TileFmhaFwdSplitKVTraits<true, true, true, true, false, no_bias, false, true, false, false, true>>;
using Combine = BlockFmhaSplitKVCombinePipelineProblem<float, float, half_t, 128, false, 32,
                                                       TileFmhaFwdSplitKVCombineTraits<true, true, true, false, 3, -1>>;
using AppendKV = BlockFmhaFwdAppendKVPipelineProblem<half_t, half_t, half_t, 64, 64, 128, 128, true,
                                                     RotaryEmbeddingEnum::INTERLEAVED, false,
                                                     TileFmhaFwdAppendKVTraits<true, true, true, true, -1>>;
using V3 = BlockFmhaFwdV3PipelineProblem<
    half_t, half_t, half_t, float, float, float, half_t, float, half_t,
    FmhaShape<sequence<256, 32, 128, 128, 32, 128>, sequence<8, 1, 1>, sequence<32, 32, 16>>, false,
    GenericAttentionMask<false, false>, TileFmhaFwdV3Traits<true, true, false, false, false, -1>>;
template <class Block, class Warps0, class Warps1, class Warps2, class Warp0, class Warp1, class Warp2,
          bool transposed>
using Backward = BlockFmhaBwdPipelineProblem<
    half_t, half_t, half_t, half_t, float, float, float, half_t, uint8_t, half_t, half_t, half_t, half_t, half_t,
    half_t,
    TileFmhaBwdShape<Block, Warps0, Warp0, Warps1, Warp1, Warps0, Warp0, Warps1, Warp1, Warps2, Warp2, 0>, false, false,
    Mask, BlockDropoutBwd<false, true, false>, transposed,
    TileFmhaBwdTraits<0, 0, BlockAttentionBiasEnum::ELEMENTWISE_BIAS, true>>;
using Bwd = Backward<sequence<16, 128, 128, 16, 128, 16, 32, 128, 128>, sequence<1, 4, 1>, sequence<4, 1, 1>,
                     sequence<1, 4, 1>, sequence<16, 16, 32>, sequence<16, 16, 16>, sequence<16, 16, 32>, false>;
using BwdTransposed =
    Backward<sequence<32, 128, 128, 32, 128, 32, 32, 128, 128>, sequence<1, 4, 1>, sequence<4, 1, 1>, sequence<1, 4, 1>,
             sequence<16, 16, 32>, sequence<16, 16, 32>, sequence<16, 16, 32>, true>;
using BwdBefore = BlockFmhaBwdOGradDotOPipelineProblem<half_t, half_t, float, 64, 128, false,
                                                       TileFmhaBwdOGradDotOTraits<true, true>>;
using BwdAfter = BlockFmhaBwdConvertQGradPipelineProblem<float, half_t, 256, 64, 128, 128, false, false,
                                                         TileFmhaBwdConvertQGradTraits<true, true>>;
