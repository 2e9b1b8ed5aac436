// A thread adds to one element, then to another: what it loads of the second was there before the launch (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(64) void name(const float* a, float* c)
#define SUM(i) (((a[(i) * 4] + a[(i) * 4 + 1]) + a[(i) * 4 + 2]) + a[(i) * 4 + 3])
#define HERE int t = blockIdx.x * 128 + threadIdx.x
#define APART asm volatile("s_nop 0" ::: "memory")

//: proved
KERNEL(other_elements) { HERE; c[t] = c[t] + SUM(t); APART; c[t + 64] = c[t + 64] + SUM(t + 64); }

// the second has what the first left of its neighbour below
//: computes refuted
KERNEL(the_stored_element) { HERE; c[t] = c[t] + SUM(t); APART; float first = c[t]; APART; c[t + 64] = first + SUM(t + 64); }

// twice the same
//: computes refuted
KERNEL(added_twice) { HERE; c[t] = c[t] + SUM(t); APART; c[t] = c[t] + SUM(t); c[t + 64] = c[t + 64] + SUM(t + 64); }

// another thread's, behind a barrier that it stored before; of one wave no barrier is left
//: race_free unknown, computes refuted on gfx942
//: computes refuted on gfx1201
KERNEL(behind_a_barrier) {
  HERE; int other = blockIdx.x * 128 + 63 - threadIdx.x;
  c[t] = c[t] + SUM(t); __syncthreads(); float first = c[other]; __syncthreads(); c[other] = first + SUM(other);
  c[t + 64] = c[t + 64] + SUM(t + 64);
}
