// CK Tile's universal GEMM as Tile Engine instantiates it, plain, in batches, or of several A, B and D: types, layouts, tile,
// pipeline and kernel as macros say.
//
// How often the loop over K turns decides whether its hot part runs at all and how it ends, which are of the template:
// CK's own functions of that count choose them, so that a kernel is of the counts for which they are alike.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/batched_contraction.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"

namespace layoutalg_gemm {
using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
using T = GEMM_TYPE;
using Sum = GEMM_ACCUMULATED;
using Out = GEMM_RESULT;
using A = GEMM_A;
using B = GEMM_B;
using C = GEMM_C;

using Types = GEMM_TYPES;
using As = GEMM_AS;
using Bs = GEMM_BS;
using Ds = GEMM_DS;
using DsLayout = GEMM_DS_LAYOUTS;
using Added = element_wise::GEMM_ADDED;
using Combined = element_wise::GEMM_COMBINED;

template <class Partitioner, class Pipeline, class Epilogue>
using Contraction =
    BatchedContractionKernel<BatchedContractionProblem<T, T, Ds, Out, 1, 1, 1, 1, 0>, Partitioner, Pipeline, Epilogue>;

using Shape = TileGemmShape<sequence<GEMM_BLOCK>, sequence<GEMM_WARPS>, sequence<GEMM_WARP>, false, false>;
using Partitioner = GemmSpatiallyLocalTilePartitioner<Shape, 8, 4>;
using Base = GEMM_BASE<GemmPipelineProblem<Types, Types, Sum, Shape, TileGemmTraits<GEMM_PADS, As, Bs, C>>>;
using Traits = TileGemmUniversalTraits<GEMM_PADS, GEMM_TWICE, As, Bs, C>;
using Warps = sequence<GEMM_WARPS>;
using Warp = sequence<GEMM_WARP>;

template <index_t turns>
struct Of {
    using Problem =
        UniversalGemmPipelineProblem<Types, Types, Sum, Shape, Traits, GemmPipelineScheduler::GEMM_SCHEDULER,
                                     Base::BlockHasHotloop(turns), Base::GetBlockLoopTailNum(turns), Added, Added>;
    using Pipeline = GEMM_PIPELINE<Problem>;
#ifdef GEMM_CSHUFFLE
    using Epilogue = CShuffleEpilogue<CShuffleEpilogueProblem<
        Types, Types, Ds, Sum, Out, DsLayout, C, Combined, Shape::kM, Shape::kN,
        Warps::at(number<0>{}), Warps::at(number<1>{}), Warp::at(number<0>{}), Warp::at(number<1>{}),
        Warp::at(number<2>{}), false, memory_operation_enum::set>>;
#else
    using Epilogue = DefaultGemm2DEpilogue<DefaultGemm2DEpilogueProblem<
        Types, Types, Ds, Sum, Out, DsLayout, C, Combined, Shape::kM, Shape::kN, Traits::kPadM,
        Traits::kPadN, Warp::at(number<0>{}), Warp::at(number<1>{}), Warp::at(number<2>{}), false>>;
#endif
    using Kernel = GEMM_KERNEL<Partitioner, Pipeline, Epilogue>;
    using Arguments = typename Kernel::GEMM_ARGUMENTS;
};

// What IsSupportedArgument asks multiples of: the vectors of A, B and C; a block's threads; what a count of turns comes to.
constexpr auto sizes() {
    return make_tuple(Of<1>::Pipeline::GetVectorSizeA(), Of<1>::Pipeline::GetVectorSizeB(),
                      static_cast<index_t>(Of<1>::Epilogue::GetVectorSizeC()), Of<1>::Problem::kBlockSize);
}
constexpr index_t kind(index_t turns) {
    return static_cast<index_t>(Base::GetBlockLoopTailNum(turns)) * 2 + Base::BlockHasHotloop(turns);
}
template <index_t... turns>
constexpr auto kinds(std::integer_sequence<index_t, turns...>) {
    return make_tuple(kind(turns + 1)...);
}
}  // namespace layoutalg_gemm
