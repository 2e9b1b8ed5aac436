// CK Tile's softmax over EXPERTS experts and its greatest values, a wave for a few rows, as example 09 builds it.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/topk_softmax.hpp"

namespace ck = ck_tile;

using Problem = ck::TopkSoftmaxWarpPerRowProblem<ck::fp16_t, float, ck::index_t, EXPERTS, true>;
using Kernel = ck::TopkSoftmaxKernel<ck::TopkSoftmaxWarpPerRowPipeline<Problem>>;

extern "C" __global__ void __launch_bounds__(256, 1) topk_softmax(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
