// Tiles of 64 elements by blocks in another order: by turns of 8, then by groups of 4 rows, of which the last may have
// fewer, as CK's GemmSpatiallyLocalTilePartitioner has them.  Each tile is stored to by one block, or by two.
#include <hip/hip_runtime.h>
__device__ unsigned by_turns(unsigned block, unsigned blocks, unsigned more) {
  unsigned each = (blocks + 7) / 8, whole = 8 - (each * 8 - blocks) + more;
  unsigned x = block % 8, y = block / 8;
  return x <= whole ? x * each + y : x * each + whole - x + y;
}
template <unsigned SIZE, bool SHORTER>
__device__ void store(float* o, unsigned rows, unsigned columns, unsigned turn) {
  unsigned row = turn / columns, group = row / SIZE;
  unsigned left = rows - group * SIZE, size = SHORTER && row >= rows - rows % SIZE ? rows % SIZE : SIZE;
  unsigned within = turn % columns + (row - group * SIZE) * columns;
  unsigned m = group * SIZE + within % size, n = within / size;
  o[(m * columns + n) * 64 + threadIdx.x] = m * 1000 + n;
}
//: proved
extern "C" __global__ void in_order(float* o, unsigned M, unsigned N) {
  store<4, true>(o, M, N, by_turns(blockIdx.x, M * N, 0));
}
//: in_bounds refuted, race_free unknown, stores_all unknown
extern "C" __global__ void last_group_is_whole(float* o, unsigned M, unsigned N) {
  store<4, false>(o, M, N, by_turns(blockIdx.x, M * N, 0));
}
//: proved
extern "C" __global__ void in_order_and_by_number(float* o, unsigned M, unsigned N) {
  unsigned turn = by_turns(blockIdx.x, M * N, 0);
  if (blockIdx.x + 1 < M * N || turn % 3 == 0) store<4, true>(o, M, N, turn);
  else store<4, true>(o, M, N, turn);
}
//: slow
//: unproved
extern "C" __global__ void one_turn_is_longer(float* o, unsigned M, unsigned N) {
  store<4, true>(o, M, N, by_turns(blockIdx.x, M * N, 1));
}
//: unproved
extern "C" __global__ void turns_of_the_first_half(float* o, unsigned M, unsigned N) {
  store<4, true>(o, M, N, by_turns(blockIdx.x / 2, M * N, 0));
}
