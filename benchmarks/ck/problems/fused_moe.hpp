// The problem of CK Tile's fused mixture of experts, as its example 15 builds it: bf16, 32 tokens a block.
using namespace ck_tile;
using MoeShape = FusedMoeGemmShape<sequence<32, 512, 128>, sequence<1, 4, 1>, sequence<32, 32, 16>,
                                   sequence<32, 128, 512>, sequence<1, 4, 1>, sequence<32, 32, 16>>;
using Moe = FusedMoeGemmPipelineProblem<bf16_t, bf16_t, bf16_t, float, bf16_t, float, float, float, float, float,
                                        index_t, element_wise::Silu, MoeShape, FusedMoeGemmTraits<true, false, 1>>;
