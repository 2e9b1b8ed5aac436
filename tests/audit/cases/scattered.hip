// Scatters by elements that all differ do not race, and nothing else is made of it (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o, int n) { \
    int t = blockIdx.x * 64 + threadIdx.x; __VA_ARGS__ }

//: proved
KERNEL(by_one, if (t < n) o[x[t]] = t;)
//: proved
KERNEL(by_two_of_many, o[x[t]] = 1; o[x[t + 256]] = 2;)
// two indices to one place
//: race_free refuted
KERNEL(two_to_one_place, o[x[t] & ~1] = t;)
// threads that load none
//: race_free refuted
KERNEL(some_load_none, int j = 7; if (t < n) j = x[t]; o[j] = t;)
//: race_free refuted
KERNEL(beside_another_index, o[x[t]] = 1; o[t] = 2;)

//: slow
// two threads by one index
//: race_free refuted
KERNEL(two_by_one, o[x[t / 2]] = t;)
// the next thread's
//: race_free refuted
KERNEL(and_the_next_ones, o[x[t]] = 1; o[x[t + 1]] = 2;)
//: race_free refuted
KERNEL(by_all_in_turn, for (int k = 0; k < n; ++k) o[x[threadIdx.x + k]] = t;)
