// CK Tile's GEMM, f16 in and out, sums in f32: A by rows, B by columns, C by rows.
//
// PIPELINE, SCHEDULER (Intrawave or Interwave), HOT (whether its loop runs at all), TAIL and DOUBLE (two buffers in LDS)
// say which pipeline; the tile is TM by TN by TK, of WM by WN waves, with matrix instructions of IM by IN by IK.
// With PAD, no size need be a multiple of the tile's.  Blocks are ordered as example 03 orders them; with LINEAR, by rows.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"

namespace ck = ck_tile;
using Row = ck::tensor_layout::gemm::RowMajor;
using Column = ck::tensor_layout::gemm::ColumnMajor;
using Half = ck::half_t;

using Shape = ck::TileGemmShape<ck::sequence<TM, TN, TK>, ck::sequence<WM, WN, 1>, ck::sequence<IM, IN, IK>>;
#ifdef LINEAR
using Partitioner = ck::GemmTile1DPartitioner<Shape>;
#else
using Partitioner = ck::GemmSpatiallyLocalTilePartitioner<Shape, 8, 4>;
#endif
using Traits = ck::TileGemmUniversalTraits<PAD, PAD, PAD, DOUBLE, Row, Column, Row>;
using Problem = ck::UniversalGemmPipelineProblem<Half, Half, float, Shape, Traits, ck::GemmPipelineScheduler::SCHEDULER,
                                                 HOT, ck::TailNumber::TAIL>;
using Pipeline = ck::PIPELINE<Problem>;
using Epilogue = ck::CShuffleEpilogue<ck::CShuffleEpilogueProblem<
    Half, Half, ck::tuple<>, float, Half, ck::tuple<>, Row, ck::element_wise::PassThrough, Partitioner::MPerBlock,
    Partitioner::NPerBlock, WM, WN, IM, IN, IK, Problem::TransposeC, ck::memory_operation_enum::set>>;
using Kernel = ck::GemmKernel<Partitioner, Pipeline, Epilogue>;

extern "C" __global__ void __launch_bounds__(WM * WN * 64, 1) gemm(Kernel::UniversalGemmKernel::KernelArgs arguments) {
#if defined(__HIP_DEVICE_COMPILE__)
    Kernel{}(arguments);
#endif
}
