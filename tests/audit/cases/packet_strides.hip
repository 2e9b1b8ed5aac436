// The grid's sizes are read from the dispatch packet; what lies beyond it is not known (own code).
#include <hip/hip_runtime.h>
struct Packet { unsigned short header, setup, x, y, z, reserved; unsigned int gx, gy, gz; };
using Constant = const __attribute__((address_space(4))) Packet;
#define KERNEL(name, step) \
  extern "C" __global__ void name(const float* x, float* o, int n, int m) { \
    Constant* packet = (Constant*)__builtin_amdgcn_dispatch_ptr(); \
    for (int i = blockIdx.x * packet->x + threadIdx.x; i < n * m; i += packet->step) o[i] = x[i]; }

//: proved
KERNEL(strides, gx)
//: slow
//: race_free unknown, computes unknown on gfx942
KERNEL(strides_of_blocks, x)
//: unproved on gfx942
KERNEL(strides_by_another_size, gy)
//: followed unknown, computes unknown, runs refuted on gfx942
extern "C" __global__ void beyond(const float* x, float* o, int n, int m) {
  Constant* packet = (Constant*)__builtin_amdgcn_dispatch_ptr();
  int i = blockIdx.x * packet->x + threadIdx.x;
  if (i < n * m) o[i] = x[((const __attribute__((address_space(4))) int*)packet)[20]];
}
