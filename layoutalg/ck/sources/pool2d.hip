// CK Tile's pooling, f16, of N, H, W, C: the greatest of each window.  As its example 36 builds it, but of two dimensions, no
// indices, and by tiles as deep as a small window.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/pooling.hpp"

namespace ck = ck_tile;

using Shape = ck::PoolShape<ck::sequence<4, 1>, ck::sequence<256, 8>, ck::sequence<64, 8>, ck::sequence<1, 8>>;
using Problem = ck::PoolProblem<ck::half_t, ck::half_t, float, ck::index_t, ck::ReduceOp::Max, false, false, Shape>;
using Kernel = ck::PoolKernel<Problem>;
using Lengths = ck::tuple<ck::index_t, ck::index_t, ck::index_t, ck::index_t>;
using Window = ck::tuple<ck::index_t, ck::index_t>;

extern "C" __global__ void __launch_bounds__(256, 1) pool2d(ck::PoolKernelArgs<Lengths, Window> arguments) {
#if defined(__HIP_DEVICE_COMPILE__)
    Kernel{}(arguments);
#endif
}
