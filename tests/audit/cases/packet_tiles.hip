// Sizes of blocks are read from the dispatch packet, as code objects before version 5 do (own code).
#include <hip/hip_runtime.h>
struct Packet { unsigned short header, setup, x, y, z, reserved; unsigned int gx, gy, gz; };
using Constant = const __attribute__((address_space(4))) Packet;
#define KERNEL(name, y_of_block, guard) \
  extern "C" __global__ void name(const float* x, float* o, int n, int m) { \
    Constant* packet = (Constant*)__builtin_amdgcn_dispatch_ptr(); \
    int i = blockIdx.x * packet->x + threadIdx.x, j = blockIdx.y * packet->y_of_block + threadIdx.y; \
    if (guard) o[j * n + i] = x[j * n + i]; }

//: proved
KERNEL(tiles, y, i < n && j < m)
//: slow
//: computes refuted on gfx942
KERNEL(tiles_by_another_size, x, i < n && j < m)
//: in_bounds refuted, computes unknown on gfx942
KERNEL(tiles_of_one_row_more, y, i < n && j <= m)
