// What stands in memory: kernels that are right by what is assumed of several elements together, and not by less.
#include <hip/hip_runtime.h>
#define KERNEL(name) \
  extern "C" __global__ void __launch_bounds__(64) name(const int* a, const int* b, const int* x, int* o, int T)

// Segments that follow one another: sorted.
//: proved with assume = ["0 <= a[i] <= T", "a[i] <= a[i + 1]"]
//: proved with assume = ["0 <= a[i] <= T", "a[i] <= a[j] for i < j"]
//: race_free refuted with assume = ["0 <= a[i] <= T"]
KERNEL(segments) {
  int first = a[blockIdx.x], last = a[blockIdx.x + 1];
  for (int k = first + threadIdx.x; k < last; k += 64) o[k] = x[k] + blockIdx.x;
}

// The ends are known, and what is between by the order.
//: proved with assume = ["a[0] == 0", "a[B] == T", "a[i] <= a[i + 1]"]
//: in_bounds refuted with assume = ["a[0] == 0", "a[B] == T + 1", "a[i] <= a[i + 1]"]
KERNEL(ends) {
  int first = a[blockIdx.x], last = a[blockIdx.x + 1];
  for (int k = first + threadIdx.x; k < last; k += 64) atomicAdd(o + threadIdx.x, x[k]);
}

// Two tensors at one index.
//: proved with assume = ["0 <= a[i]", "a[i] + b[i] <= T"]
//: in_bounds refuted with assume = ["0 <= a[i]", "a[i] + b[i] <= T + 1"]
//: in_bounds refuted with assume = ["0 <= a[i] < T", "0 <= b[i] <= T"]
KERNEL(pieces) {
  int n = b[blockIdx.x];
  if (threadIdx.x == 0) o[blockIdx.x] = n > 0 ? x[a[blockIdx.x] + n - 1] : 0;
}

// One number beside a range.
//: proved with assume = ["a[i] == -100 or 0 <= a[i] < T"]
//: in_bounds refuted with assume = ["a[i] == -101 or 0 <= a[i] < T"]
KERNEL(labels) {
  int y = a[blockIdx.x];
  if (threadIdx.x == 0) o[blockIdx.x] = y == -100 ? 0 : x[y];
}

// Different below T, and padding from there on.
//: proved with assume = ["0 <= a[i]", "a[i] != a[j] for i != j and a[i] < T"]
//: race_free refuted with assume = ["0 <= a[i] <= T", "a[i] != a[j] for i != j and a[i] < 3"]
KERNEL(slots) {
  int s = a[blockIdx.x];
  if (threadIdx.x == 0 && s < T) o[s] = blockIdx.x;
}

// Each 64 apart from every other.
//: proved with assume = ["0 <= a[i] <= T - 64", "a[i] + 64 <= a[j] for i < j"]
//: race_free refuted with assume = ["0 <= a[i] <= T - 64", "a[i] + 63 <= a[j] for i < j"]
KERNEL(apart) { o[a[blockIdx.x] + threadIdx.x] = blockIdx.x; }

// All threads of a block find one number at one place, whatever it is.
//: proved with assume = ["0 <= b[i] < T - 64"]
KERNEL(alike) {
  int base = b[0];
  if (blockIdx.x == 0) o[base + threadIdx.x] = threadIdx.x;
}
