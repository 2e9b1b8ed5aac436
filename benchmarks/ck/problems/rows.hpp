// Problems of CK Tile's operations on rows, as its examples 02, 05, 09, 10, 11, 12, 21, 35 and 36 build them.
using namespace ck_tile;
using Rows = Generic2dBlockShape<sequence<4, 512>, sequence<4, 64>, sequence<1, 8>>;
using Layernorm = Layernorm2dFwdPipelineProblem<
    fp16_t, fp16_t, fp16_t, fp16_t, float, fp16_t, fp16_t, fp16_t, float, float, Rows,
    Layernorm2dFwdTraits<true, false, true, true, false, Layernorm2dXBiasEnum::NO_BIAS,
                         Layernorm2dFusedAddEnum::NO_ADD, Layernorm2dFusedQuantEnum::NO_SWEEP>>;
using Rmsnorm = Rmsnorm2dFwdPipelineProblem<
    fp16_t, fp16_t, float, fp16_t, fp16_t, fp16_t, float, float, Rows,
    Rmsnorm2dFwdTraits<true, false, false, false, Rmsnorm2dFusedAddEnum::NO_ADD, Rmsnorm2dFusedQuantEnum::NO_SWEEP,
                       Rmsnorm2dSensitiveEnum::NO_SPECIFIC_MODEL>>;
using AddRmsnorm =
    AddRmsnorm2dRdquantFwdPipelineProblem<fp16_t, fp16_t, fp16_t, float, fp16_t, float, int8_t, Rows, true, true, false>;
using SmoothQuantised = SmoothquantPipelineProblem<fp16_t, fp16_t, float, float, int8_t, Rows, true, false>;
using Reduced = Reduce2dProblem<
    half_t, float, half_t,
    Reduce2dShape<sequence<4, 1>, sequence<128, 128>, sequence<32, 128>, sequence<8, 8>>, ReduceOp::Add>;
using Pooled = PoolProblem<half_t, half_t, float, index_t, ReduceOp::Max, true, false,
                           PoolShape<sequence<4, 1>, sequence<128, 128>, sequence<32, 128>, sequence<8, 8>>>;
using Topk = TopkSoftmaxWarpPerRowProblem<fp16_t, float, index_t, 32, true>;
using Elementwise =
    ElementWisePipelineProblem<half_t, float, half_t,
                               ElementWiseShape<sequence<8>, sequence<2048>, sequence<64>, half_t>, element_wise::Add>;
using Transposed = BatchedTransposeProblem<fp16_t, sequence<64, 64>, sequence<1, 1>, true, true>;
using TransposedInLds = BatchedTransposeLdsProblem<fp16_t, sequence<64, 64>, sequence<1, 1>, false, false>;
