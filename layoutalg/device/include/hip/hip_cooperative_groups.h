// Cooperative groups: a block, tiles of a wave, and the lanes that are active together.
//
// | group | members | rank | sync |
// |---|---|---|---|
// | thread_block | the block's threads | x fastest, z slowest | __syncthreads |
// | thread_block_tile<N> | N lanes next to each other, a power of two up to the wave | the block's, modulo N | a fence |
// | coalesced_group | lanes of a wave, as a mask | members below the lane | a fence |
// | grid_group | the grid's threads | block by block | refused |
//
// Names and meaning are those of HIP ("Cooperative groups" of its documentation; ROCm/clr,
// hipamd/include/hip/amd_detail/amd_hip_cooperative_groups.h): lanes of a wave go in step, so a fence of the device's
// scope makes what they wrote seen. ballot, any, all and match_… have a bit a member, by rank.
//
// What it cannot represent: a barrier over the grid or over devices, which wants a cooperative launch.
#pragma once

#include <hip/hip_runtime.h>

namespace cooperative_groups {

namespace layoutalg_groups {

LAYOUTALG_HIP unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
LAYOUTALG_HIP unsigned block_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
LAYOUTALG_HIP void fence() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent"); }

// A bit for each of the first lanes, 0 to 64 many.
LAYOUTALG_HIP unsigned long long first_lanes(unsigned many) { return many < 64 ? (1ull << many) - 1 : ~0ull; }

// How many of the lanes are below this one.
LAYOUTALG_HIP unsigned rank_among(unsigned long long lanes) {
    return __builtin_amdgcn_mbcnt_hi((unsigned)(lanes >> 32), __builtin_amdgcn_mbcnt_lo((unsigned)lanes, 0));
}

// The lane that has so many of the lanes below it: halves the part of the mask that it is in.
LAYOUTALG_HIP unsigned lane_of(unsigned long long lanes, unsigned rank) {
    unsigned lane = 0;
#pragma unroll
    for (unsigned half = 32; half; half /= 2) {
        unsigned below = __popcll(lanes >> lane & first_lanes(half));
        if (rank >= below) {
            rank -= below;
            lane += half;
        }
    }
    return lane;
}

// The bits of the lanes alone, next to each other.
LAYOUTALG_HIP unsigned long long gathered(unsigned long long lanes, unsigned long long bits) {
    unsigned long long found = 0;
    for (unsigned rank = 0; lanes; ++rank, lanes &= lanes - 1) found |= (bits >> __builtin_ctzll(lanes) & 1) << rank;
    return found;
}

// Those of the lanes whose value equals this lane's.
template <typename T>
LAYOUTALG_HIP unsigned long long alike(unsigned long long lanes, T value) {
    unsigned long long same = 0;
    for (unsigned long long left = lanes; left; left &= left - 1) {
        unsigned lane = __builtin_ctzll(left);
        if (layoutalg_of_lane(value, lane) == value) same |= 1ull << lane;
    }
    return same;
}

}  // namespace layoutalg_groups

// Any group of a block: what a function takes that does not ask which.
class thread_group {
  protected:
    enum kind { of_block, of_tile, of_lanes };
    kind _kind;
    unsigned _size, _tile = 0, _meta_rank = 0, _meta_size = 1;
    unsigned long long _lanes = 0;

    __device__ thread_group(kind kind, unsigned size) : _kind(kind), _size(size) {}
    friend __device__ thread_group tiled_partition(const thread_group& parent, unsigned tile);
    friend __device__ thread_group this_thread();

    // The tile of a block: the last one has what is left.
    static __device__ thread_group tile_of_block(unsigned tile) {
        using namespace layoutalg_groups;
        unsigned rank = block_rank(), first = rank & ~(tile - 1), left = block_size() - first;
        thread_group found(of_tile, left < tile ? left : tile);
        found._tile = tile;
        found._meta_rank = rank / tile;
        found._meta_size = (block_size() + tile - 1) / tile;
        return found;
    }

    // The tile of lanes: so many of them, by rank.
    __device__ thread_group tile_of_lanes(unsigned tile) const {
        using namespace layoutalg_groups;
        unsigned which = rank_among(_lanes) / tile, first = which * tile, end = first + tile;
        thread_group found(of_lanes, end < _size ? tile : _size - first);
        unsigned long long below = end < _size ? first_lanes(lane_of(_lanes, end)) : ~0ull;
        found._lanes = _lanes & below & ~first_lanes(lane_of(_lanes, first));
        found._meta_rank = which;
        found._meta_size = (_size + tile - 1) / tile;
        return found;
    }

  public:
    __device__ unsigned size() const { return _size; }
    __device__ unsigned num_threads() const { return _size; }
    __device__ bool is_valid() const { return true; }
    __device__ unsigned thread_rank() const {
        using namespace layoutalg_groups;
        return _kind == of_lanes ? rank_among(_lanes) : _kind == of_tile ? block_rank() & (_tile - 1) : block_rank();
    }
    __device__ void sync() const { _kind == of_block ? __syncthreads() : layoutalg_groups::fence(); }
};

class thread_block : public thread_group {
    __device__ thread_block() : thread_group(of_block, size()) {}
    friend __device__ thread_block this_thread_block();

  public:
    static __device__ unsigned size() { return layoutalg_groups::block_size(); }
    static __device__ unsigned num_threads() { return size(); }
    static __device__ unsigned thread_rank() { return layoutalg_groups::block_rank(); }
    static __device__ dim3 group_index() { return blockIdx; }
    static __device__ dim3 thread_index() { return threadIdx; }
    static __device__ dim3 group_dim() { return blockDim; }
    static __device__ dim3 dim_threads() { return blockDim; }
    static __device__ bool is_valid() { return true; }
    static __device__ void sync() { __syncthreads(); }
};

class coalesced_group : public thread_group {
    __device__ explicit coalesced_group(unsigned long long lanes) : thread_group(of_lanes, __popcll(lanes)) {
        _lanes = lanes;
    }
    __device__ explicit coalesced_group(const thread_group& lanes) : thread_group(lanes) {}
    friend __device__ coalesced_group coalesced_threads();
    friend __device__ coalesced_group tiled_partition(const coalesced_group& parent, unsigned tile);
    friend __device__ coalesced_group binary_partition(const coalesced_group& group, bool in);
    template <unsigned N, class P> friend class thread_block_tile;

    template <typename T>
    __device__ T of_rank(T value, unsigned rank, bool there) const {
        return layoutalg_of_lane(value, there ? layoutalg_groups::lane_of(_lanes, rank) : __lane_id());
    }

  public:
    __device__ unsigned thread_rank() const { return layoutalg_groups::rank_among(_lanes); }
    __device__ unsigned meta_group_rank() const { return _meta_rank; }
    __device__ unsigned meta_group_size() const { return _meta_size; }
    __device__ void sync() const { layoutalg_groups::fence(); }

    // A rank is taken modulo the size; without a member so far up or down, the value is the lane's own.
    template <typename T> __device__ T shfl(T value, int rank) const { return of_rank(value, rank % (int)_size, true); }
    template <typename T>
    __device__ T shfl_down(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return of_rank(value, rank + by, by < _size - rank);
    }
    template <typename T>
    __device__ T shfl_up(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return of_rank(value, rank - by, by <= rank);
    }
    __device__ unsigned long long ballot(int predicate) const {
        return layoutalg_groups::gathered(_lanes, __ballot(predicate));
    }
    __device__ int any(int predicate) const { return (__ballot(predicate) & _lanes) != 0; }
    __device__ int all(int predicate) const { return (__ballot(!predicate) & _lanes) == 0; }
    template <typename T>
    __device__ unsigned long long match_any(T value) const {
        return layoutalg_groups::gathered(_lanes, layoutalg_groups::alike(_lanes, value));
    }
    template <typename T>
    __device__ unsigned long long match_all(T value, int& all_alike) const {
        all_alike = all(shfl(value, 0) == value);
        return all_alike ? layoutalg_groups::first_lanes(_size) : 0;
    }
};

class tiled_group : public thread_group {
  protected:
    __device__ explicit tiled_group(const thread_group& tile) : thread_group(tile) {}
    friend __device__ tiled_group tiled_partition(const tiled_group& parent, unsigned tile);
};

// A tile's lanes are the wave's from a multiple of N on. The parent is a name alone.
template <unsigned N, class Parent = void>
class thread_block_tile : public tiled_group {
    static_assert(N && (N & (N - 1)) == 0, "a tile has a power of two of threads");
    static_assert(N <= __AMDGCN_WAVEFRONT_SIZE, "a tile has no more threads than a wave");

    __device__ explicit thread_block_tile(const thread_block&) : tiled_group(tile_of_block(N)) {}
    template <unsigned M, class P> friend class thread_block_tile;
    template <unsigned M, class P> friend __device__ thread_block_tile<M, P> tiled_partition(const P& parent);

    static __device__ unsigned first_lane() { return __lane_id() & ~(N - 1); }
    static __device__ unsigned long long bits(unsigned long long of_wave) {
        return of_wave >> first_lane() & layoutalg_groups::first_lanes(N);
    }
    static __device__ coalesced_group lanes() {
        return coalesced_group(layoutalg_groups::first_lanes(N) << first_lane());
    }
    template <unsigned M, class P>
    friend __device__ coalesced_group binary_partition(const thread_block_tile<M, P>& tile, bool in);

  public:
    template <class P> __device__ thread_block_tile(const thread_block_tile<N, P>& same) : tiled_group(same) {}

    static __device__ constexpr unsigned size() { return N; }
    static __device__ constexpr unsigned num_threads() { return N; }
    static __device__ unsigned thread_rank() { return layoutalg_groups::block_rank() & (N - 1); }
    static __device__ void sync() { layoutalg_groups::fence(); }
    __device__ unsigned meta_group_rank() const { return _meta_rank; }
    __device__ unsigned meta_group_size() const { return _meta_size; }

    template <typename T> __device__ T shfl(T value, int rank) const { return __shfl(value, rank, N); }
    template <typename T> __device__ T shfl_down(T value, unsigned by) const { return __shfl_down(value, by, N); }
    template <typename T> __device__ T shfl_up(T value, unsigned by) const { return __shfl_up(value, by, N); }
    template <typename T> __device__ T shfl_xor(T value, unsigned mask) const { return __shfl_xor(value, mask, N); }
    __device__ unsigned long long ballot(int predicate) const { return bits(__ballot(predicate)); }
    __device__ int any(int predicate) const { return bits(__ballot(predicate)) != 0; }
    __device__ int all(int predicate) const { return bits(__ballot(!predicate)) == 0; }
    template <typename T> __device__ unsigned long long match_any(T value) const { return lanes().match_any(value); }
    template <typename T>
    __device__ unsigned long long match_all(T value, int& all_alike) const {
        return lanes().match_all(value, all_alike);
    }
};

#define LAYOUTALG_GRID LAYOUTALG_HIP_REFUSED("no barrier over the grid: launch one kernel before it and one after it")
// The grid by its threads' numbers.
class grid_group {
    __device__ grid_group() {}
    friend __device__ grid_group this_grid();

  public:
    __device__ unsigned size() const { return gridDim.x * gridDim.y * gridDim.z * layoutalg_groups::block_size(); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ unsigned thread_rank() const {
        unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * layoutalg_groups::block_size() + layoutalg_groups::block_rank();
    }
    __device__ dim3 group_dim() const { return blockDim; }
    __device__ bool is_valid() const LAYOUTALG_GRID;
    __device__ void sync() const LAYOUTALG_GRID;
};
class multi_grid_group {
  public:
    __device__ unsigned thread_rank() const;
    __device__ void sync() const;
};

__device__ inline thread_block this_thread_block() { return thread_block(); }
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
__device__ inline grid_group this_grid() { return grid_group(); }
__device__ multi_grid_group this_multi_grid() LAYOUTALG_GRID;
__device__ inline thread_group this_thread() {
    thread_group alone(thread_group::of_lanes, 1);
    alone._lanes = 1ull << __lane_id();
    return alone;
}

// A tile of a size that the program knows, of a power of two and no larger than a wave, or of one that it computes.
template <unsigned N, class Parent>
__device__ inline thread_block_tile<N, Parent> tiled_partition(const Parent& parent) {
    return thread_block_tile<N, Parent>(parent);
}
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned tile) {
    if (parent._kind == thread_group::of_lanes) return parent.tile_of_lanes(tile);
    if (parent._kind == thread_group::of_tile && parent._tile <= tile) return parent;
    return thread_group::tile_of_block(tile);
}
__device__ inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned tile) {
    return coalesced_group(parent.tile_of_lanes(tile));
}
__device__ inline tiled_group tiled_partition(const tiled_group& parent, unsigned tile) {
    return tiled_group(tiled_partition(static_cast<const thread_group&>(parent), tile));
}

// Those of a group that say the same.
__device__ inline coalesced_group binary_partition(const coalesced_group& group, bool in) {
    unsigned long long those = __ballot(in) & group._lanes;
    return coalesced_group(in ? those : group._lanes & ~those);
}
template <unsigned N, class Parent>
__device__ inline coalesced_group binary_partition(const thread_block_tile<N, Parent>& tile, bool in) {
    return binary_partition(tile.lanes(), in);
}

template <class Group> __device__ inline unsigned group_size(const Group& group) { return group.size(); }
template <class Group> __device__ inline unsigned thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> __device__ inline bool is_valid(const Group& group) { return group.is_valid(); }
template <class Group> __device__ inline void sync(const Group& group) { group.sync(); }

}  // namespace cooperative_groups
