// CK Tile's image to column of f16, as its example 04 builds it: blocks of 128 × 128, 8 channels to a vector.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/image_to_column.hpp"

namespace ck = ck_tile;

using Shape = ck::TileImageToColumnShape<ck::sequence<8, 8>, ck::sequence<64, 64>, ck::sequence<128, 128>>;
using Kernel = ck::ImageToColumn<ck::BlockImageToColumnProblem<ck::half_t, ck::half_t, Shape, 2, 8, 8>>;

extern "C" __global__ void __launch_bounds__(256, 1) image_to_column(Kernel::Kargs arguments) {
    Kernel{}(arguments);
}
