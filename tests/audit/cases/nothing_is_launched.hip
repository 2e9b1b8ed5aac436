#include <hip/hip_runtime.h>

// Where there is no first block, nobody stores: safe, and not whole.
//: stores_all unknown with claims = ["stores_all"]
extern "C" __global__ void first(const int* x, int* o) {
  if (blockIdx.x == 0) o[threadIdx.x] = x[threadIdx.x];
}
