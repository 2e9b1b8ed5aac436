// The same tiles in blocks of another shape: some are left out (own code).
#include <hip/hip_runtime.h>
struct Packet { unsigned short header, setup, x, y, z, reserved; unsigned int gx, gy, gz; };
using Constant = const __attribute__((address_space(4))) Packet;
//: slow
//: computes refuted
extern "C" __global__ void tiles(const float* x, float* o, int n, int m) {
  Constant* packet = (Constant*)__builtin_amdgcn_dispatch_ptr();
  int i = blockIdx.x * packet->x + threadIdx.x, j = blockIdx.y * packet->y + threadIdx.y;
  if (i < n && j < m) o[j * n + i] = x[j * n + i];
}
