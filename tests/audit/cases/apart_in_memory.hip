// Races in global memory: what each thread has for itself is another thing in another thread (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o, int n) { \
    int t = blockIdx.x * 64 + threadIdx.x; __VA_ARGS__ }

//: proved
KERNEL(own_element, o[t] = x[t];)
//: proved
KERNEL(own_two_elements, o[t * 2] = 1; o[t * 2 + 1] = 2;)
//: proved
KERNEL(own_rest, o[t + 256 * x[t]] = 1;)
//: race_free refuted
KERNEL(pairs, o[t / 2] = x[t];)
// apart in each turn, and not between two
//: race_free refuted
KERNEL(moved_by_turns, for (int k = 0; k < n; ++k) o[t + k] = t;)
//: race_free refuted
KERNEL(a_neighbours_before, o[t] = o[t + 1] + 1;)

// barriers order what is of one block: of two blocks, with one barrier alone, or two turns on
//: proved
KERNEL(beside, o[t] = x[t]; __syncthreads(); int a = o[t ^ 1]; __syncthreads(); o[t] = a;)
//: race_free refuted
KERNEL(of_another_block, o[t] = x[t]; __syncthreads(); int a = o[t ^ 64]; __syncthreads(); o[t] = a;)
//: race_free unknown
KERNEL(one_barrier, o[t] = x[t]; int a = o[t ^ 1]; __syncthreads(); o[t] = a;)
//: race_free unknown
KERNEL(read_while_the_next_stores,
  for (int k = 0; k < n; ++k) { o[t] = x[t] + k; __syncthreads(); o[256 + t] = o[t ^ 1]; })

//: slow
// apart where all load the same, and not else
//: race_free unknown
KERNEL(moved_by_what_is_loaded, o[t + x[t]] = 1;)
//: race_free refuted
KERNEL(at_what_is_loaded, o[x[t]] = t;)
//: race_free refuted
KERNEL(one_place_of_some, if (x[t] == 7) o[0] = t;)
// a count may say no turn, and then the code makes 2³², of which nothing is known
//: proved
KERNEL(counted_down, int k = n, s = 0; do { s = s * 3 + t; asm volatile("" : "+v"(s)); } while (--k != 0); o[t] = s;)
