// A loop that each lane leaves at what it loads, and loops that go on from there, of rows that a guard lets in (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int rows, int columns)

//: proved
KERNEL(greatest_from_there) {
  int row = blockIdx.x * 64 + threadIdx.x, i = 1;
  if (row >= rows) return;
  const float* p = x + row * columns;
  float m = p[0];
  for (; i < columns; i++) {
    if (p[i] != p[i]) break;
    m = fmaxf(m, p[i]);
  }
  for (int j = i; j < columns; j++) m += p[j];
  float sum = 0;
  for (int j = 0; j < columns; j++) sum += p[j] - m;
  o[row] = sum;
}
// from there, as many as there are
//: in_bounds refuted
KERNEL(as_many_again) {
  int row = blockIdx.x * 64 + threadIdx.x, i = 1;
  if (row >= rows) return;
  const float* p = x + row * columns;
  float m = p[0];
  for (; i < columns; i++) {
    if (p[i] != p[i]) break;
    m = fmaxf(m, p[i]);
  }
  for (int j = i; j < columns + i; j++) m += p[j];
  o[row] = m;
}
// what is left of the loop, where it may have had no turn
//: defined refuted
KERNEL(left_with_nothing) {
  int row = blockIdx.x * 64 + threadIdx.x;
  if (row >= rows) return;
  const float* p = x + row * columns;
  float last;
  for (int i = 1; i < columns; i++) {
    last = p[i];
    if (p[i] != p[i]) break;
  }
  o[row] = last;
}
