// An index that is one of two.
#include <hip/hip_runtime.h>
#define KERNEL(NAME) extern "C" __global__ void NAME(const float* x, float* o, unsigned N)
#define HERE unsigned i = blockIdx.x * 64 + threadIdx.x; if (i >= N) return

// Compilers ask for multiples of 3 by a product with its inverse modulo 2^32.
//: proved
KERNEL(by_a_remainder) { HERE; o[i] = x[i % 3 ? i : N - 1 - i]; }

//: proved
KERNEL(by_a_hash) { HERE; o[i] = x[i * 2654435761u >> 31 ? i : N - 1 - i]; }

//: in_bounds refuted, no_overflow refuted
KERNEL(one_of_the_two_wraps) { HERE; o[i] = x[i % 3 ? i : i * 65537u]; }

//: in_bounds refuted, no_overflow refuted
KERNEL(the_other_wraps) { HERE; o[i] = x[i * 2654435761u >> 31 ? i * 65537u : i]; }
