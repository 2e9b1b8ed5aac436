// Sums over a block by hipCUB's BlockReduce and by tiles of a wave (own code), and storage that is used again too soon.
#include <hip/hip_cooperative_groups.h>
#include <hipcub/hipcub.hpp>
namespace cg = cooperative_groups;
typedef hipcub::BlockReduce<float, 256> Reduce;

//: proved
extern "C" __global__ void by_block_reduce(const float* x, float* o, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = Reduce().Sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x == 0) o[blockIdx.x] = sum;
}
//: proved
extern "C" __global__ void by_tiles(const float* x, float* o, int n) {
  __shared__ float part[8];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = i < n ? x[i] : 0.0f;
  for (int by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() == 0) {
    for (int k = 1; k < 8; ++k) sum += part[k];
    o[blockIdx.x] = sum;
  }
}
//: proved
extern "C" __global__ void storage_again(const float* x, float* o, int n) {
  __shared__ Reduce::TempStorage room;
  int i = blockIdx.x * 256 + threadIdx.x;
  float value = i < n ? x[i] : 0.0f, sum = Reduce(room).Sum(value);
  __syncthreads();
  float most = Reduce(room).Reduce(value, hipcub::Max());
  if (threadIdx.x == 0) o[blockIdx.x] = sum + most;
}
//: race_free refuted
extern "C" __global__ void storage_again_too_soon(const float* x, float* o, int n) {
  __shared__ Reduce::TempStorage room;
  int i = blockIdx.x * 256 + threadIdx.x;
  float value = i < n ? x[i] : 0.0f, sum = Reduce(room).Sum(value);
  float most = Reduce(room).Reduce(value, hipcub::Max());
  if (threadIdx.x == 0) o[blockIdx.x] = sum + most;
}
