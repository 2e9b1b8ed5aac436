// Pairs that are 2^step apart, as a bitonic sort has them: the kernel makes the power (own code).
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void swapped(int* x, int n, int step) {
  int t = blockIdx.x * 256 + threadIdx.x, distance = 1 << step;
  int left = t % distance + t / distance * (2 * distance), right = left + distance;
  if (right >= n) return;
  int one = x[left], other = x[right];
  x[left] = min(one, other);
  x[right] = max(one, other);
}

// Two threads have one place.
//: race_free unknown, runs refuted
extern "C" __global__ void too_near(int* x, int n, int step) {
  int t = blockIdx.x * 256 + threadIdx.x, distance = 1 << step;
  int left = t % distance + t / distance * distance, right = left + distance;
  if (right >= n) return;
  int one = x[left], other = x[right];
  x[left] = min(one, other);
  x[right] = max(one, other);
}

// At the last step alone the guard is one too many.
//: in_bounds refuted
extern "C" __global__ void at_the_last_step(int* x, int n, int step) {
  int t = blockIdx.x * 256 + threadIdx.x, distance = 1 << step;
  int left = t % distance + t / distance * (2 * distance), right = left + distance;
  if (right >= n + (step == 5)) return;
  int one = x[left], other = x[right];
  x[left] = min(one, other);
  x[right] = max(one, other);
}
