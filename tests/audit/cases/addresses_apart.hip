// Every second word of a tensor is an address; what lies between is none.
#include <hip/hip_runtime.h>
#define KERNEL(NAME) extern "C" __global__ void NAME(const float* const* a_of, float* const* c_of, int N, int G)
#define HERE int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y; if (i >= N || g >= G - 1) return

//: proved
KERNEL(elements) { HERE; c_of[2 * g][i] = a_of[2 * g][i]; }

// What lies between is loaded, and nothing is done with it.
//: proved
KERNEL(two_words_at_once) { HERE; c_of[2 * g][i] = ((const float*)((const ulonglong2*)a_of)[g].x)[i]; }

//: followed unknown, runs refuted
KERNEL(stored_between) { HERE; c_of[2 * g + 1][i] = a_of[2 * g][i]; }

//: followed unknown, runs refuted
KERNEL(loaded_between) { HERE; c_of[2 * g][i] = a_of[2 * g + 1][i]; }

//: followed unknown, runs refuted
KERNEL(loaded_between_by_some) { HERE; c_of[2 * g][i] = a_of[2 * g + (i & 1)][i]; }

//: followed unknown, runs refuted
KERNEL(second_of_two_words) { HERE; c_of[2 * g][i] = ((const float*)((const ulonglong2*)a_of)[g].y)[i]; }
