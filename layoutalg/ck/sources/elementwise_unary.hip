// CK Tile's elementwise kernel of one vector of f32, by one of its unary operations (OPERATION).
#include "ck_tile/core.hpp"
#include "ck_tile/ops/elementwise.hpp"

namespace ck = ck_tile;

using Shape = ck::ElementWiseShape<ck::sequence<8>, ck::sequence<2048>, ck::sequence<64>, float>;
using Problem = ck::ElementWisePipelineProblem<float, float, float, Shape, ck::element_wise::OPERATION>;
using Kernel = ck::ElementWiseKernel<Problem, ck::ElementWiseDefaultPolicy>;
using Lengths = ck::tuple<ck::index_t>;

extern "C" __global__ void __launch_bounds__(512, 1)
    elementwise_unary(Lengths lengths, Lengths input_strides, Lengths output_strides,
                      ck::tuple<const float*> inputs, float* output) {
    Kernel{}(lengths, input_strides, output_strides, inputs, output);
}
