//@ a block
#include <hip/hip_cooperative_groups.h>
namespace of_block { namespace cg = cooperative_groups;
__device__ int sum(const cg::thread_group& group, int* room, int value) {
    int lane = group.thread_rank();
    for (int half = group.size() / 2; half > 0; half /= 2) {
        room[lane] = value;
        group.sync();
        if (lane < half) value += room[lane + half];
        group.sync();
    }
    return value;
}
}  // namespace of_block
extern "C" __global__ void blocks(const int* x, int* o) {
    namespace cg = cooperative_groups;
    __shared__ int room[256];
    cg::thread_block block = cg::this_thread_block();
    unsigned rank = block.group_index().x * block.size() + cg::thread_rank(block);
    int all = of_block::sum(block, room, x[rank]);
    cg::sync(block);
    if (block.thread_rank() == 0) o[block.group_index().x] = all;
}

//@ tiles of a size that the program knows
#include <hip/hip_cooperative_groups.h>
namespace of_tiles {
__device__ int sum(cooperative_groups::thread_block_tile<16> tile, int value) {
    for (int by = tile.size() / 2; by > 0; by /= 2) value += tile.shfl_down(value, by);
    return tile.shfl(value, 0);
}
}  // namespace of_tiles
extern "C" __global__ void tiles(const int* x, int* o) {
    namespace cg = cooperative_groups;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int value = x[threadIdx.x];
    int* to = o + threadIdx.x * 12;
    to[0] = of_tiles::sum(tile, value);
    to[1] = tile.thread_rank();
    to[2] = tile.meta_group_rank() * 100 + tile.meta_group_size();
    to[3] = tile.shfl_xor(value, 5);
    to[4] = tile.shfl_up(value, 3);
    to[5] = tile.ballot(value & 1);
    to[6] = tile.any(value > 900) * 10 + tile.all(value < 900);
    to[7] = tile.match_any(value % 3);
    auto odd = cg::binary_partition(tile, value & 1);
    to[8] = odd.size() * 100 + odd.thread_rank();
    int same;
    to[9] = tile.match_all(value / 1000, same) * 10 + same;
    tile.sync();
    to[10] = tile.num_threads();
    to[11] = tile.shfl(value, 18);
}

//@ tiles of a size that the program computes
#include <hip/hip_cooperative_groups.h>
extern "C" __global__ void tiles_computed(int* o, int n) {
    namespace cg = cooperative_groups;
    cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), n);
    cg::thread_group half = cg::tiled_partition(tile, n / 2);
    o[threadIdx.x * 2] = tile.size() * 100 + tile.thread_rank();
    o[threadIdx.x * 2 + 1] = half.size() * 100 + half.thread_rank();
    tile.sync();
}

//@ lanes that are active together
#include <hip/hip_cooperative_groups.h>
extern "C" __global__ void lanes(const int* x, int* o) {
    namespace cg = cooperative_groups;
    int value = x[threadIdx.x];
    int* to = o + threadIdx.x * 8;
    if (value % 3 != 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        to[0] = active.size() * 100 + active.thread_rank();
        to[1] = active.shfl(value, 1);
        to[2] = active.shfl_down(value, 2);
        to[3] = active.shfl_up(value, 2);
        to[4] = __popcll(active.ballot(value & 1));
        to[5] = active.any(value == x[0]) * 10 + active.all(value % 3);
        cg::coalesced_group tile = cg::tiled_partition(active, 4);
        to[6] = tile.size() * 1000 + tile.meta_group_rank() * 10 + tile.thread_rank();
        to[7] = tile.shfl(value, 0);
        active.sync();
    }
}

//@ atomics that a leader does for its group
#include <hip/hip_cooperative_groups.h>
extern "C" __global__ void leader(const int* x, int* count, int* o) {
    namespace cg = cooperative_groups;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (x[i] > 0) {
        auto group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0) first = atomicAdd(count, group.size());
        o[group.shfl(first, 0) + group.thread_rank()] = x[i];
    }
}

//@ the grid by its numbers
#include <hip/hip_cooperative_groups.h>
extern "C" __global__ void of_grid(float* x) {
    auto grid = cooperative_groups::this_grid();
    for (unsigned i = grid.thread_rank(); i < 4096; i += grid.size()) x[i] = i;
}
