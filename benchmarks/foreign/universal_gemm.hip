// CK Tile's universal GEMM, whole: pipeline compute v3, CShuffle epilogue, f16, two by two waves.
//
//     layoutalg compile universal_gemm.hip --target gfx942 -I CK/include -D TM=256 -D TN=256 -D TK=64
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"

namespace ck = ck_tile;
using Row = ck::tensor_layout::gemm::RowMajor;
using Column = ck::tensor_layout::gemm::ColumnMajor;
using Half = ck::half_t;

using Shape = ck::TileGemmShape<ck::sequence<TM, TN, TK>, ck::sequence<2, 2, 1>, ck::sequence<32, 32, 16>>;
using Partitioner = ck::GemmSpatiallyLocalTilePartitioner<Shape, 8, 4>;
using Traits =
    ck::TileGemmUniversalTraits<true, true, true, false, Row, Column, Row, false, false, false, 1, false>;
using Problem = ck::UniversalGemmPipelineProblem<Half, Half, float, Shape, Traits, ck::GemmPipelineScheduler::Intrawave,
                                                 true, ck::TailNumber::Full>;
using Pipeline = ck::GemmPipelineAgBgCrCompV3<Problem>;
using Epilogue = ck::CShuffleEpilogue<ck::CShuffleEpilogueProblem<
    Half, Half, ck::tuple<>, float, Half, ck::tuple<>, Row, ck::element_wise::PassThrough, Partitioner::MPerBlock,
    Partitioner::NPerBlock, 2, 2, 32, 32, 16, Problem::TransposeC, ck::memory_operation_enum::set, 1>>;
using Kernel = ck::GemmKernel<Partitioner, Pipeline, Epilogue>;

extern "C" __global__ void __launch_bounds__(256, 1) universal_gemm(Kernel::UniversalGemmKernel::KernelArgs arguments) {
#if defined(__HIP_DEVICE_COMPILE__)
    Kernel{}(arguments);
#endif
}
