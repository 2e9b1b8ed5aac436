// Blocks take tiles four rows at a time, the last ones by as many rows as are left, at fixed sizes (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(float* o, int m, int n)
#define ROW(b) int row = (b) / n, column = (b) - row * n, left = m % 4, local = column + row % 4 * n
#define STORE(down, along) o[((local % (down) + row / 4 * 4) * n + local / (along)) * 64 + threadIdx.x] = local

//: proved
KERNEL(four_or_what_is_left) { ROW(blockIdx.x); int rows = row < m - left ? 4 : left; STORE(rows, rows); }
// the last two rows' blocks lie four to a column
//: race_free refuted, stores_all unknown
KERNEL(four_to_a_column) { ROW(blockIdx.x); int rows = row < m - left ? 4 : left; STORE(rows, 4); }
// and three to a row, where two are left
//: unproved
KERNEL(a_row_more) { ROW(blockIdx.x); int rows = row < m - left ? 4 : left + 1; STORE(rows, rows); }
// the first block does what the second does
//: race_free unknown, stores_all refuted
KERNEL(one_tile_twice) {
  ROW(blockIdx.x ? blockIdx.x : 1);
  int rows = row < m - left ? 4 : left;
  STORE(rows, rows);
}
// one group too few is whole: the last rows of a whole one are divided by what is left
//: unproved
KERNEL(a_group_too_few) { ROW(blockIdx.x); int rows = row < m - left - 1 ? 4 : left; STORE(rows, rows); }
