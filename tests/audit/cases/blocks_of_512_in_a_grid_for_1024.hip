// A grid for blocks of 1024: smaller ones leave elements out, from 513 elements on (own code).
#include <hip/hip_runtime.h>
//: computes refuted
extern "C" __global__ void copy(const float* x, float* o, int n) {
  int i = blockIdx.x * 512 + threadIdx.x;
  if (i < n) o[i] = x[i];
}
