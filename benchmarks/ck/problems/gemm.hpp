// Problems of CK Tile's GEMMs, as its examples 03 and 38 build them: f16, and fp8 with quantised A or B.
using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
template <class Block, class Warps, class Warp, class A, class B, bool twice = false, int groups = 1,
          bool preshuffled = false>
using Gemm = UniversalGemmPipelineProblem<
    half_t, half_t, float, TileGemmShape<Block, Warps, Warp>,
    TileGemmUniversalTraits<false, false, false, twice, A, B, Row, false, false, false, groups, preshuffled>>;
using V3 = Gemm<sequence<128, 256, 32>, sequence<2, 2, 1>, sequence<32, 32, 16>, Row, Column>;
using V3Shuffled = Gemm<sequence<128, 256, 32>, sequence<2, 2, 1>, sequence<32, 32, 16>, Column, Row>;
using V4 = Gemm<sequence<256, 256, 32>, sequence<2, 2, 1>, sequence<32, 32, 16>, Row, Column, true>;
using V5 = Gemm<sequence<128, 128, 32>, sequence<1, 1, 2>, sequence<32, 32, 16>, Row, Column, false, 2>;
using Async = Gemm<sequence<256, 256, 64>, sequence<2, 2, 1>, sequence<32, 32, 16>, Row, Column, true>;
using Preshuffled = Gemm<sequence<128, 128, 64>, sequence<1, 4, 1>, sequence<16, 16, 32>, Row, Column, true, 1, true>;
using PreshuffledColumn =
    Gemm<sequence<128, 128, 64>, sequence<1, 4, 1>, sequence<16, 16, 32>, Column, Column, true, 1, true>;
template <class A, class B>
using Basic = GemmPipelineProblem<half_t, half_t, float,
                                  TileGemmShape<sequence<128, 128, 32>, sequence<2, 2, 1>, sequence<32, 32, 8>>,
                                  TileGemmTraits<false, false, false, A, B, Row>>;
using V1 = Basic<Row, Column>;
using V1Shuffled = Basic<Column, Row>;
template <QuantType quantised, bool preshuffled>
using Quantised =
    TileGemmQuantTraits<false, false, false, false, preshuffled, Row, Column, Row, quantised, Row, Column, false,
                        preshuffled>;
using QuantisedShape = TileGemmShape<sequence<128, 128, 128>, sequence<1, 4, 1>, sequence<16, 16, 32>>;
using Groups = QuantGroupShape<sequence<1, 1, 128>>;
using QuantisedA = GemmAQuantPipelineProblem<fp8_t, float, fp8_t, float, QuantisedShape,
                                             Quantised<QuantType::AQuantGrouped, false>, Groups, false>;
using QuantisedB = GemmBQuantPipelineProblem<fp8_t, fp8_t, float, float, QuantisedShape,
                                             Quantised<QuantType::BQuantGrouped, false>, Groups>;
using PreshuffledB = GemmBQuantPipelineProblem<fp8_t, fp8_t, float, float, QuantisedShape,
                                               Quantised<QuantType::BQuantGrouped, true>, Groups>;
