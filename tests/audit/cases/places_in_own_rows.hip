#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(64) name(const int* at, int* o)
#define HERE int t = blockIdx.x * 64 + threadIdx.x

// Many places of a row, each where a loaded number says: no two of them are compared.

//: proved
KERNEL(of_each_thread) { HERE;
  #pragma unroll
  for (int k = 0; k < 12; k++) o[t * 8 + at[k * 64 + threadIdx.x]] += t + k; }

//: proved
KERNEL(of_each_thread_behind_one) { HERE; o += 8;
  #pragma unroll
  for (int k = 0; k < 12; k++) o[t * 8 + at[k * 64 + threadIdx.x]] += t + k; }

//: race_free refuted
KERNEL(rows_too_short) { HERE;
  #pragma unroll
  for (int k = 0; k < 12; k++) o[t * 7 + at[k * 64 + threadIdx.x]] += t + k; }

//: race_free refuted
KERNEL(one_place_in_the_next) { HERE;
  #pragma unroll
  for (int k = 0; k < 12; k++) o[t * 8 + at[k * 64 + threadIdx.x]] += t + k;
  o[t * 8 + 8] = 1; }

//: race_free refuted
KERNEL(rows_of_two) { HERE;
  #pragma unroll
  for (int k = 0; k < 12; k++) o[t / 2 * 8 + at[k * 64 + threadIdx.x]] += t + k; }
