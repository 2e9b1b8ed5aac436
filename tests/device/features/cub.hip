//@ reductions over a block
#include <hipcub/hipcub.hpp>
extern "C" __global__ void reductions(const int* x, int* o, int valid) {
    typedef hipcub::BlockReduce<int, 160> Ints;
    typedef hipcub::BlockReduce<hipcub::KeyValuePair<int, float>, 160> Pairs;
    __shared__ union { Ints::TempStorage ints; Pairs::TempStorage pairs; } room;
    int value = x[blockIdx.x * 160 + threadIdx.x];
    int sum = Ints(room.ints).Sum(value);
    __syncthreads();
    int most = Ints(room.ints).Reduce(value, hipcub::Max(), valid);
    __syncthreads();
    int items[2] = {value, value * 2};
    int both = Ints(room.ints).Sum(items);
    __syncthreads();
    hipcub::KeyValuePair<int, float> pair(threadIdx.x, (float)value);
    auto least = Pairs(room.pairs).Reduce(pair, hipcub::ArgMin());
    if (threadIdx.x == 0) {
        o[blockIdx.x * 4] = sum, o[blockIdx.x * 4 + 1] = most, o[blockIdx.x * 4 + 2] = both;
        o[blockIdx.x * 4 + 3] = least.key;
    }
}

//@ a reduction over a block of two sides, with storage of its own
#include <hipcub/block/block_reduce.hpp>
extern "C" __global__ void two_sides(const double* x, double* o) {
    double sum = hipcub::BlockReduce<double, 8, hipcub::BLOCK_REDUCE_RAKING, 4>().Sum(x[threadIdx.y * 8 + threadIdx.x]);
    if (threadIdx.x == 0 && threadIdx.y == 0) o[0] = sum;
}

//@ scans over a block
#include <hipcub/block/block_scan.hpp>
struct Running {
    int total;
    __device__ int operator()(int all) { int before = total; total += all; return before; }
};
extern "C" __global__ void scans(const int* x, int* o) {
    typedef hipcub::BlockScan<int, 160> Scan;
    __shared__ Scan::TempStorage room;
    int i = threadIdx.x, value = x[i], got, all;
    Scan(room).InclusiveSum(value, got);
    o[i] = got;
    __syncthreads();
    Scan(room).ExclusiveSum(value, got, all);
    o[160 + i] = got, o[320 + i] = all;
    __syncthreads();
    Scan(room).ExclusiveScan(value, got, -5, hipcub::Max(), all);
    o[480 + i] = got, o[640 + i] = all;
    __syncthreads();
    Running running{1000};
    Scan(room).ExclusiveSum(value, got, running);
    __syncthreads();
    Scan(room).InclusiveScan(value, got, hipcub::Sum(), running);
    o[800 + i] = got;
    __syncthreads();
    int items[3] = {value, 1, value + 2}, scanned[3];
    Scan(room).InclusiveSum(items, scanned);
    for (int k = 0; k < 3; ++k) o[960 + i * 3 + k] = scanned[k];
    __syncthreads();
    Scan(room).ExclusiveSum(items, items);
    for (int k = 0; k < 3; ++k) o[1440 + i * 3 + k] = items[k];
}

//@ an operator that does not commute
#include <hipcub/hipcub.hpp>
struct Affine { int by, plus; };  // first the left one, then the right one
struct Then {
    __device__ Affine operator()(const Affine& a, const Affine& b) const { return {a.by * b.by, a.plus * b.by + b.plus}; }
};
extern "C" __global__ void in_order(const int* x, int* o) {
    Affine mine{x[threadIdx.x] | 1, (int)threadIdx.x}, scanned;
    Affine all = hipcub::BlockReduce<Affine, 128>().Reduce(mine, Then());
    if (threadIdx.x == 0) o[0] = all.by, o[1] = all.plus;
    hipcub::BlockScan<Affine, 128>().InclusiveScan(mine, scanned, Then());
    o[2 + threadIdx.x * 2] = scanned.by, o[3 + threadIdx.x * 2] = scanned.plus;
}

//@ waves and parts of them
#include <hipcub/warp/warp_reduce.hpp>
#include <hipcub/warp/warp_scan.hpp>
extern "C" __global__ void waves(const int* x, int* o) {
    typedef hipcub::WarpReduce<int, 16> Reduce;
    typedef hipcub::WarpScan<int, 16> Scan;
    __shared__ Reduce::TempStorage of_reduce[4];
    __shared__ Scan::TempStorage of_scan[4];
    int i = threadIdx.x, part = i / 16, value = x[i], inclusive, exclusive, all;
    int* to = o + i * 7;
    to[0] = Reduce(of_reduce[part]).Sum(value);
    to[1] = Reduce(of_reduce[part]).Reduce(value, hipcub::Min(), 5);
    Scan(of_scan[part]).InclusiveSum(value, inclusive, all);
    Scan(of_scan[part]).ExclusiveSum(value, exclusive);
    to[2] = inclusive, to[3] = all, to[4] = exclusive;
    Scan(of_scan[part]).ExclusiveScan(value, exclusive, 7, hipcub::Max());
    to[5] = exclusive;
    to[6] = Scan(of_scan[part]).Broadcast(value, 3);
}

//@ items from and to memory
#include <hipcub/block/block_load.hpp>
#include <hipcub/block/block_store.hpp>
template <hipcub::BlockLoadAlgorithm LOAD, hipcub::BlockStoreAlgorithm STORE>
__device__ void through(const int* x, int* o, int valid) {
    typedef hipcub::BlockLoad<int, 128, 4, LOAD> Load;
    typedef hipcub::BlockStore<int, 128, 4, STORE> Store;
    __shared__ typename Load::TempStorage from;
    __shared__ typename Store::TempStorage to;
    int items[4];
    Load(from).Load(x, items, valid, -1);
    for (int& item : items) item = item * 1000 + threadIdx.x;
    Store(to).Store(o, items, valid + 1);
    __syncthreads();
}
extern "C" __global__ void memory(const int* x, int* o, int valid) {
    through<hipcub::BLOCK_LOAD_DIRECT, hipcub::BLOCK_STORE_DIRECT>(x, o, valid);
    through<hipcub::BLOCK_LOAD_VECTORIZE, hipcub::BLOCK_STORE_VECTORIZE>(x, o + 512, valid);
    through<hipcub::BLOCK_LOAD_TRANSPOSE, hipcub::BLOCK_STORE_TRANSPOSE>(x, o + 1024, valid);
    through<hipcub::BLOCK_LOAD_WARP_TRANSPOSE, hipcub::BLOCK_STORE_WARP_TRANSPOSE>(x, o + 1536, valid);
    through<hipcub::BLOCK_LOAD_STRIPED, hipcub::BLOCK_STORE_STRIPED>(x, o + 2048, valid);
}

//@ arrangements
#include <hipcub/block/block_exchange.hpp>
extern "C" __global__ void arrangements(const int* x, int* o) {
    typedef hipcub::BlockExchange<int, 128, 3> Exchange;
    __shared__ Exchange::TempStorage room;
    int items[3], ranks[3], out[3];
    for (int k = 0; k < 3; ++k) items[k] = k * 128 + threadIdx.x, ranks[k] = x[items[k]];
    Exchange(room).StripedToBlocked(items);
    for (int k = 0; k < 3; ++k) o[threadIdx.x * 3 + k] = items[k];
    __syncthreads();
    Exchange(room).BlockedToStriped(items, out);
    for (int k = 0; k < 3; ++k) o[384 + k * 128 + threadIdx.x] = out[k];
    __syncthreads();
    Exchange(room).ScatterToBlocked(out, out, ranks);
    for (int k = 0; k < 3; ++k) o[768 + threadIdx.x * 3 + k] = out[k];
}

//@ neighbours
#include <hipcub/block/block_adjacent_difference.hpp>
extern "C" __global__ void neighbours(const int* x, int* o) {
    hipcub::BlockAdjacentDifference<int, 96> of_block;
    int items[2] = {x[threadIdx.x * 2], x[threadIdx.x * 2 + 1]}, out[2];
    of_block.SubtractLeft(items, out, hipcub::Difference());
    o[threadIdx.x * 2] = out[0], o[threadIdx.x * 2 + 1] = out[1];
    __syncthreads();
    of_block.SubtractRight(items, out, hipcub::Difference(), 1000);
    o[192 + threadIdx.x * 2] = out[0], o[193 + threadIdx.x * 2] = out[1];
}

//@ sorting
#include <hipcub/block/block_radix_sort.hpp>
extern "C" __global__ void sorted(float* x, int* keys, int* values) {
    __shared__ hipcub::BlockRadixSort<float, 64, 3>::TempStorage room;
    float items[3];
    for (int k = 0; k < 3; ++k) items[k] = x[threadIdx.x * 3 + k];
    hipcub::BlockRadixSort<float, 64, 3>(room).Sort(items);
    for (int k = 0; k < 3; ++k) x[threadIdx.x * 3 + k] = items[k];
    int key[2] = {keys[threadIdx.x * 2], keys[threadIdx.x * 2 + 1]}, value[2] = {(int)threadIdx.x * 2, (int)threadIdx.x * 2 + 1};
    hipcub::BlockRadixSort<int, 64, 2, int>().SortDescendingBlockedToStriped(key, value, 0, 8);
    for (int k = 0; k < 2; ++k) keys[k * 64 + threadIdx.x] = key[k], values[k * 64 + threadIdx.x] = value[k];
}

//@ bits of keys, operators, iterators
#include <hipcub/hipcub.hpp>
struct Square { __host__ __device__ int operator()(int x) const { return x * x; } };
extern "C" __global__ void types(unsigned* o, float x) {
    hipcub::CountingInputIterator<int> count(5);
    hipcub::TransformInputIterator<int, Square, hipcub::CountingInputIterator<int>> squares(count, Square());
    auto bits = hipcub::Traits<float>::TwiddleIn(__builtin_bit_cast(unsigned, x));
    o[threadIdx.x] = squares[threadIdx.x] + hipcub::Max()(3u, threadIdx.x) + hipcub::Traits<float>::TwiddleOut(bits);
}

//@ what the host calls
#include <hipcub/device/device_reduce.hpp>
#include <hipcub/device/device_radix_sort.hpp>
#include <hipcub/util_allocator.hpp>
hipcub::CachingDeviceAllocator allocator(true);
struct Even { bool operator()(float) const; };
static void of_host(float* x, float* o, int n, hipStream_t stream) {
    void* storage = nullptr; size_t bytes = 0;
    hipcub::DeviceReduce::Sum(storage, bytes, x, o, n);
    if (allocator.DeviceAllocate((void**)&storage, bytes) == hipSuccess) allocator.DeviceFree(storage);
    hipcub::DeviceScan::ExclusiveSum(storage, bytes, x, o, n, stream);
    hipcub::DoubleBuffer<float> keys(x, o);
    hipcub::DeviceRadixSort::SortKeys(storage, bytes, keys, n, 0, 32, stream);
    hipcub::DeviceSelect::If(storage, bytes, x, o, hipcub::CountingInputIterator<int>(0), n, Even());
}

//@ rocPRIM's names
#include <rocprim/block/block_load.hpp>
#include <rocprim/block/block_reduce.hpp>
#include <rocprim/block/block_scan.hpp>
template <unsigned X, unsigned ITEMS>
__global__ void rocprim_sums(const int* x, int* o, unsigned size) {
    typedef rocprim::block_load<int, X, ITEMS> load;
    typedef rocprim::block_reduce<int, X> reduce;
    typedef rocprim::block_scan<int, X> scan;
    __shared__ typename scan::storage_type room;
    unsigned first = blockIdx.x * X * ITEMS, valid = size - first < X * ITEMS ? size - first : X * ITEMS;
    int items[ITEMS]{}, sum, most, before;
    load{}.load(x + first, items, valid, 0);
    reduce{}.reduce(items, sum, rocprim::plus<int>());
    if (threadIdx.x == 0) o[blockIdx.x * (X + 2)] = sum;
    __syncthreads();
    reduce{}.reduce(items[0], most, X, rocprim::maximum<int>());
    if (threadIdx.x == 0) o[blockIdx.x * (X + 2) + 1] = most;
    scan{}.exclusive_scan(items[0], before, 100, room);
    o[blockIdx.x * (X + 2) + 2 + threadIdx.x] = before;
}
static void of_rocprim(int* x, int* o, unsigned n) {
    size_t bytes; rocprim::reduce(nullptr, bytes, x, o, n, rocprim::plus<int>());
    rocprim_sums<96, 4><<<3, 96>>>(x, o, n);
}
