// Problems of CK Tile's flat matrix products, as its example 18 builds them: f16, f16 by fp4, and fp4 by fp4.
using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
template <class A>
using Traits = TileGemmUniversalTraits<false, false, false, false, A, Column, Row, false, false, false, 1, true>;
using FlatShape = TileGemmShape<sequence<128, 128, 64>, sequence<1, 4, 1>, sequence<16, 16, 32>>;
using Flat = FlatmmPipelineProblem<half_t, half_t, float, FlatShape, Traits<Row>>;
using FlatColumn = FlatmmPipelineProblem<half_t, half_t, float, FlatShape, Traits<Column>>;
using Mixed = F16xMXF4FlatmmPipelineProblem<
    half_t, pk_fp4_t, float, TileGemmShape<sequence<128, 256, 256>, sequence<1, 4, 1>, sequence<16, 16, 32>>,
    Traits<Row>>;
using Scaled = MXFlatmmPipelineProblem<
    pk_fp4_t, pk_fp4_t, float, TileGemmShape<sequence<128, 512, 256>, sequence<1, 4, 1>, sequence<16, 16, 128>>,
    Traits<Row>>;
