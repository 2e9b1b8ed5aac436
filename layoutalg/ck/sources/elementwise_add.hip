// CK Tile's elementwise kernel as its example 21 builds it: two matrices of f16 added, in f32; with FLAT, two vectors.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/elementwise.hpp"

namespace ck = ck_tile;

using Shape = ck::ElementWiseShape<ck::sequence<8>, ck::sequence<2048>, ck::sequence<64>, ck::half_t>;
using Problem = ck::ElementWisePipelineProblem<ck::half_t, float, ck::half_t, Shape, ck::element_wise::Add>;
using Kernel = ck::ElementWiseKernel<Problem, ck::ElementWiseDefaultPolicy>;
#ifdef FLAT
using Lengths = ck::tuple<ck::index_t>;
#else
using Lengths = ck::tuple<ck::index_t, ck::index_t>;
#endif

extern "C" __global__ void __launch_bounds__(512, 1)
    elementwise_add(Lengths lengths, Lengths input_strides, Lengths output_strides,
                    ck::tuple<const ck::half_t*, const ck::half_t*> inputs, ck::half_t* output) {
    Kernel{}(lengths, input_strides, output_strides, inputs, output);
}
