// Numbers on the way to an address that are at most 2³² - 1 (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const unsigned char* x, unsigned char* o, unsigned m, unsigned n) { \
    unsigned i = blockIdx.x * 64 + threadIdx.x; \
    if (i < m) { __VA_ARGS__ } }

//: proved
KERNEL(product, o[i] = x[i * n + n - 1];)
//: proved
KERNEL(product_in_64_bits, o[i] = x[(size_t)i * n];)
// a hash of data wraps as it likes
//: proved
KERNEL(hash, o[i] = x[(x[i] * 2654435761u) % n];)
// an offset in bytes is a multiple of the element, which the normal form takes out of the remainder
//: proved
KERNEL(elements_of_65536, if (i * 16384u * 4 < n) o[i] = x[i * 16384u * 4];)
//: proved
KERNEL(elements_of_60000, if (i * 15000u * 4 < n) o[i] = x[i * 15000u * 4];)
//: proved
KERNEL(elements_of_60004, if (i * 15001u * 4 < n) o[i] = x[i * 15001u * 4];)
