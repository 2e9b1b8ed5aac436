// A value that a launch names is within what is assumed of it, and may lead out of the tensor where more is (own code).
#include <hip/hip_runtime.h>
//: proved with assume = [{ of = "k", min = 0, max = 8 }]
//: proved with assume = [{ of = "k", min = 0, max = "N - N + 8" }]
//: in_bounds refuted, no_overflow unknown
//: in_bounds refuted with assume = [{ of = "k", min = 0, max = 9 }]
//: in_bounds refuted with assume = [{ of = "k", min = -1, max = 8 }]
//: in_bounds refuted with assume = [{ of = "k", min = 0, max = "N" }]
extern "C" __global__ __launch_bounds__(64) void moved(int* o, int n, int k) {
  int t = blockIdx.x * 64 + threadIdx.x;
  if (t < n) o[t + k] = t;
}
