// CK Tile's reduction, f16 summed in f32: of N, H, W, C over H and W, as its example 05 builds it, or with ROWS, of each row.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/reduce.hpp"

namespace ck = ck_tile;

using Shape = ck::Reduce2dShape<ck::sequence<4, 1>, ck::sequence<128, 128>, ck::sequence<32, 128>, ck::sequence<8, 8>>;
using Problem = ck::Reduce2dProblem<ck::half_t, float, ck::half_t, Shape, ck::ReduceOp::Add>;
using Kernel = ck::Reduce<Problem>;

#ifdef ROWS
using Lengths = ck::tuple<ck::index_t, ck::index_t>;
using Kept = ck::sequence<0>;
using Summed = ck::sequence<1>;
#else
using Lengths = ck::tuple<ck::index_t, ck::index_t, ck::index_t, ck::index_t>;
using Kept = ck::sequence<0, 3>;
using Summed = ck::sequence<1, 2>;
#endif

extern "C" __global__ void __launch_bounds__(256, 1)
    reduce(const ck::half_t* x, ck::half_t* y, Lengths lengths, Lengths strides) {
    Kernel{}(x, y, lengths, strides, Kept{}, Summed{});
}
