// A subtraction in a word is no overflow, n - 1 is n + 4294967295 in the machine; these are one by every reading (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, place) \
  extern "C" __global__ void name(unsigned char* o, unsigned m, unsigned n) { if (threadIdx.x < m) o[place] = threadIdx.x; }

//: no_overflow refuted, race_free refuted
KERNEL(last_of_a_row, n * threadIdx.x + (n - 1))
// below 0 where n is 1
//: in_bounds refuted, no_overflow refuted, race_free refuted
KERNEL(last_but_one, n * threadIdx.x + (n - 2))
// below 0 where n is less than the threads
//: in_bounds refuted, no_overflow unknown
KERNEL(from_the_end, n - 1 - threadIdx.x)
//: in_bounds refuted, no_overflow unknown
KERNEL(every_second_from_the_end, n + 4294967295u - threadIdx.x * 2)
// in range as it stands up to 1294967295
//: in_bounds refuted, no_overflow refuted, race_free refuted
KERNEL(far_on, n * threadIdx.x + 3000000000u)
