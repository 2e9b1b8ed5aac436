// Tiles of 32 x 32, stored eight rows at a time, each thread four elements of a row, or what somebody made of it (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(float* o, const int* x, int m, int n)
#define ROUNDS(number, down, along, when)                                     \
  _Pragma("unroll") for (int k = 0; k < (number); k++) {                      \
    int t = threadIdx.x, row = blockIdx.y * 32 + (down);                      \
    _Pragma("unroll") for (int j = 0; j < 4; j++) {                           \
      int column = blockIdx.x * 32 + (along);                                 \
      if (row < m && (when)) o[row * n + column] = k + j;                     \
    }                                                                         \
  }

//: proved
KERNEL(eight_apart) { ROUNDS(4, k * 8 + t / 8, j * 8 + t % 8, true) }
//: slow
//: proved
KERNEL(four_in_a_row) { ROUNDS(4, t / 8 * 4 + k, t % 8 * 4 + j, true) }
//: unproved
KERNEL(a_round_less) { ROUNDS(3, k * 8 + t / 8, j * 8 + t % 8, true) }
//: unproved
KERNEL(a_round_twice) { ROUNDS(4, (k ? k : 1) * 8 + t / 8, j * 8 + t % 8, true) }
//: unproved
KERNEL(rounds_of_seven_rows) { ROUNDS(4, k * 7 + t / 8, j * 8 + t % 8, true) }
//: unproved
KERNEL(not_the_last_row) { ROUNDS(4, k * 8 + t / 8, j * 8 + t % 8, row < m - 1) }
//: unproved
KERNEL(one_element_less) { ROUNDS(4, k * 8 + t / 8, j * 8 + t % 8, k != 3 || j != 3 || t != 63 || blockIdx.y) }
//: unproved
KERNEL(as_data_say) { ROUNDS(4, k * 8 + t / 8, j * 8 + t % 8, x[row] == 0) }
//: unproved
KERNEL(rows_and_columns_in_step) { ROUNDS(4, k * 8 + t / 8, (j + k) % 4 * 8 + t % 8, j + k != 6) }
