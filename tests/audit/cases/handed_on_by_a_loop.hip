// What a loop hands on was written before it (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, before, turn) \
  extern "C" __global__ void name(const float* x, float* o, int m, int n) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i >= n) return; \
    float sum before; \
    for (int j = 0; j < m; ++j) { turn; } \
    o[i] = sum; }

//: proved
KERNEL(sum_from_zero, = 0.0f, sum += x[j * n + i])
// what is loaded is handed on, of few threads
//: proved
KERNEL(last_above_zero, = 0.0f, if (x[j * n + i] > 0) sum = x[j * n + i])
// assembly of no instruction, which is said to write a register: as a compiler does that forgets one
//: defined refuted
KERNEL(sum_from_nothing, ; asm volatile("" : "=v"(sum)), sum += x[j * n + i])
