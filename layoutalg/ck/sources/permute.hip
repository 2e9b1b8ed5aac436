// CK Tile's generic permutation, of f16: as its example 06 builds it, with one kernel for all ranks up to eight.
#include "ck_tile/core.hpp"
#include "ck_tile/ops/permute.hpp"

namespace ck = ck_tile;

using Kernel = ck::GenericPermute<ck::GenericPermuteProblem<ck::fp16_t, 256, 8, false>>;

// Kernel::Kargs, which is packed, by its fields.
struct Arguments {
    const void* src;
    void* dst;
    ck::index_t elements, lengths[8], strides[8];
};

extern "C" __global__ void __launch_bounds__(256, 1) permute(Arguments given) {
    Kernel::Kargs arguments{given.src, given.dst, given.elements, {}, {}};
    for (int i = 0; i < 8; ++i) {
        arguments.perm_length[i] = given.lengths[i];
        arguments.perm_stride[i] = given.strides[i];
    }
    Kernel{}(arguments);
}
