// Whether every element of what is written is stored to, whatever it is (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o, int M, int N) { \
    int row = blockIdx.y, column = blockIdx.x * 64 + threadIdx.x; \
    if (column >= N) return; \
    int at = row * N + column; __VA_ARGS__ }

//: proved with claims = ["stores_all"]
KERNEL(copies, o[at] = x[at];)
//: proved with tried = ["o[i, j] = x[i, N - 1 - j]"]
//: computes refuted with tried = ["o[i, j] = x[i, j]"]
KERNEL(reversed, o[row * N + N - 1 - column] = x[at];)
//: proved with claims = ["stores_all"]
KERNEL(adds, o[at] += x[at];)
//: proved with claims = ["stores_all"]
KERNEL(counts, atomicAdd(o + at, x[at]);)
// stores only where it finds what it looks for
//: stores_all unknown with claims = ["stores_all"]
KERNEL(compares, atomicCAS(o + at, x[at], 1);)
//: stores_all refuted with claims = ["stores_all"]
KERNEL(but_the_last_column, if (column < N - 1) o[at] = x[at];)
//: stores_all refuted with claims = ["stores_all"]
KERNEL(the_first_tile, if (blockIdx.x == 0) o[at] = x[at];)
//: stores_all refuted with claims = ["stores_all"]
KERNEL(adds_but_the_last, if (column < N - 1) o[at] += x[at];)
// of one element either this store or the other one is done, as its own thread's value says: perhaps none is
//: race_free unknown, stores_all refuted with claims = ["stores_all"]
KERNEL(as_another_says, if (x[at] > 0) o[at] = 1; if (x[at] <= 0) o[row * N + N - 1 - column] = 1;)
