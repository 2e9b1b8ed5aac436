// The lesser and the greater of two numbers of which one is never less than the other (own code).
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void halves_of_a_tile(const int* x, int* o) {
  int t = threadIdx.x, sum = 0;
  for (unsigned i = min(16u, 64u - (t & -16)) / 2; i > 0; i /= 2) sum += x[(t & -16) + i];
  o[t] = sum;
}

// From 36 down to 12, so that the last tile reads x[60].
//: in_bounds refuted
extern "C" __global__ void halves_of_the_greater(const int* x, int* o) {
  int t = threadIdx.x;
  o[t] = x[(t & -16) + max(16u, 72u - (t & -16)) / 2];
}

// The last tile has 8 alone: 16 is not always the lesser.
//: proved
extern "C" __global__ void of_a_shorter_tile(const int* x, int* o) {
  int t = threadIdx.x;
  o[t] = x[(t & -16) + min(16u, 56u - (t & -16)) - 1];
}

//: in_bounds refuted
extern "C" __global__ void of_a_longer_tile(const int* x, int* o) {
  int t = threadIdx.x;
  o[t] = x[(t & -16) + min(16u, 61u - (t & -16)) - 1];
}
