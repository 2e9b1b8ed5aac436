// Short integers are divided in f32 on this machine; by sizes and by what is loaded (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, type) \
  extern "C" __global__ void name(const float* x, const unsigned char* b, float* o, type w, int n)
#define PLACE int i = blockIdx.x * 64 + threadIdx.x; if (i >= n) return

//: proved
KERNEL(of_16_bits, unsigned short) { PLACE; o[i] = x[(unsigned short)i / w]; }
//: proved
KERNEL(rest_of_16_bits, unsigned short) { PLACE; o[i] = x[(unsigned short)i % w]; }
//: proved
KERNEL(with_a_sign, short) { PLACE; o[i] = x[(short)i / w]; }
//: proved
KERNEL(rest_with_a_sign, short) { PLACE; o[i] = x[(short)i % w]; }
//: proved
KERNEL(of_24_bits, int) { PLACE; o[i] = x[(i & 0x7fffff) / (w & 0x7fffff)]; }
//: proved
KERNEL(by_what_is_loaded, int) { PLACE; o[i] = x[(unsigned char)i / b[i]] + x[(unsigned char)i % b[i]]; }
// the quotient is n where w is 1
//: unproved
KERNEL(one_more, unsigned short) { PLACE; o[i] = x[(unsigned short)i / w + 1]; }
// the rest is at most w - 1
//: unproved
KERNEL(one_less, unsigned short) { PLACE; o[i] = x[(unsigned short)i % w - 1]; }
// the lower half of w - 1 may be 0
//: unproved
KERNEL(by_zero, unsigned short) { PLACE; o[i] = x[(unsigned short)i / (unsigned short)(w - 1)]; }
// below 0
//: unproved
KERNEL(of_less_than_zero, short) { PLACE; o[i] = x[(short)(i - 9) / w]; }
