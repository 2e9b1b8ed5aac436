// An index that is scaled in f32, as resizing does (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n, int m)
#define AT(place) { int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return; o[i] = x[place]; }

//: proved
KERNEL(halved) AT((int)(i * 0.5f))
//: proved
KERNEL(cut) AT(min((int)(i * 0.37f), m - 1))
//: proved
KERNEL(no_more) AT((int)(floorf(i * 0.4f)))
// above a half
//: unproved
KERNEL(too_far) AT((int)(i * 0.6f))
//: unproved
KERNEL(below_zero) AT(min((int)(i * -0.37f), m - 1))
