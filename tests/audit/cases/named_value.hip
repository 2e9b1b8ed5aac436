// A value that a launch names is within what is assumed of it, and may lead out of the tensor where more is (own code).
#include <hip/hip_runtime.h>
//: proved with assume = ["0 <= k <= 8"]
//: proved with assume = ["0 <= k <= N - N + 8"]
//: in_bounds refuted, no_overflow unknown
//: in_bounds refuted with assume = ["0 <= k <= 9"]
//: in_bounds refuted with assume = ["-1 <= k <= 8"]
//: in_bounds refuted with assume = ["0 <= k <= N"]
extern "C" __global__ __launch_bounds__(64) void moved(int* o, int n, int k) {
  int t = blockIdx.x * 64 + threadIdx.x;
  if (t < n) o[t + k] = t;
}
