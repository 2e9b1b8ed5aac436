// Tensors at addresses that other tensors hold: of a batch, a group, pages.
#include <hip/hip_runtime.h>

#define KERNEL(NAME) extern "C" __global__ void NAME(const float* const* a_of, float* const* c_of, const float* const* page_of, const int* index, const int* chosen, float* o, int N, int G, int P)

//: proved
KERNEL(copied) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[g][i] = a_of[g][i];
}

//: in_bounds refuted
KERNEL(one_too_far) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i <= N) c_of[g][i] = a_of[g][i < N ? i : 0];
}

//: in_bounds refuted
KERNEL(loaded_one_too_far) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[g][i] = a_of[g][i + 1];
}

//: in_bounds refuted
KERNEL(before_its_start) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[g][i] = a_of[g][i - 1];
}

// What lies behind one is not the next.
//: in_bounds refuted
KERNEL(the_next_one) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N && g + 1 < G) c_of[g + 1][i] = a_of[g][N + i];
}

//: in_bounds refuted
KERNEL(no_such_address) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[g][i] = a_of[g + 1][i];
}

// Blocks of two groups store to one.
//: race_free refuted
KERNEL(two_to_one) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[g / 2][i] = a_of[g][i] + g;
}

//: race_free refuted
KERNEL(two_threads_to_one) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[g][i / 2] = a_of[g][i];
}

// By an index that was loaded: in bounds, and two groups may have one.
//: race_free refuted
KERNEL(by_any_index) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[index[g]][i] = a_of[g][i] + g;
}

// And here no two have one.
//: proved
KERNEL(by_their_own_index) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) c_of[chosen[g]][i] = a_of[index[g]][i];
}

//: proved
KERNEL(all_of_a_batch) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (blockIdx.y || i >= N) return;
  for (int g = 0; g < G; g++) c_of[g][i] = a_of[g][i] * 2;
}

// A loop of which the last turn is one too many.
//: in_bounds refuted
KERNEL(one_more_than_the_batch) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (blockIdx.y || i >= N) return;
  for (int g = 0; g <= G; g++) c_of[g][i] = a_of[g][i] * 2;
}

//: proved
KERNEL(one_of_two) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  const float* a = i & 1 ? a_of[g] : a_of[G - 1 - g];
  if (i < N) c_of[g][i] = a[i];
}

//: in_bounds refuted
KERNEL(one_of_two_tensors) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  const float* a = i & 1 ? a_of[g] : page_of[g];
  if (i < N) c_of[g][i] = a[i];
}

//: proved
KERNEL(pages_of_a_group) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i >= N) return;
  float s = 0;
  for (int k = 0; k < G; k++) {
    const float* page = page_of[index[k]];
    for (int j = threadIdx.x; j < P; j += 64) s += page[j];
  }
  c_of[g][i] = s;
}

//: in_bounds refuted
KERNEL(pages_that_are_longer) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i >= N) return;
  float s = 0;
  for (int k = 0; k < G; k++) {
    const float* page = page_of[index[k]];
    for (int j = threadIdx.x; j <= P; j += 64) s += page[j];
  }
  c_of[g][i] = s;
}

// By a pointer that goes on from turn to turn.
//: proved
KERNEL(going_on) {
  int g = blockIdx.y;
  if (blockIdx.x) return;
  const float* a = a_of[g] + threadIdx.x;
  float* c = c_of[g] + threadIdx.x;
  for (int i = threadIdx.x; i < N; i += 64, a += 64, c += 64) *c = *a;
}

//: in_bounds refuted
KERNEL(going_too_far) {
  int g = blockIdx.y;
  if (blockIdx.x) return;
  const float* a = a_of[g] + threadIdx.x;
  float* c = c_of[g] + threadIdx.x;
  for (int i = threadIdx.x; i < N; i += 64, a += 65, c += 64) *c = *a;
}

// The tensor of addresses is only read.
//: read_only refuted
KERNEL(addresses_exchanged) {
  int g = blockIdx.x * 64 + threadIdx.x;
  if (g < G && !blockIdx.y) ((const float**)a_of)[g] = c_of[g];
}

// What is read is not stored to.
//: read_only refuted
KERNEL(stored_to_what_is_read) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N) ((float*)a_of[g])[i] = 0;
}

// An address is no index: which of two is less says nothing of their numbers.
//: race_free refuted
KERNEL(by_order_of_addresses) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i < N && g + 1 < G && (unsigned long long)a_of[g] < (unsigned long long)a_of[g + 1]) c_of[0][i] = g;
}

//: in_bounds unknown, race_free refuted
KERNEL(of_the_group_beside) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (g + 1 >= G) return;
  if (i < N) c_of[g][i] = c_of[g + 1][i] + 1;
}

// An element of two addresses at once.
//: proved
KERNEL(two_addresses_at_once) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i >= N || 2 * g + 2 > G) return;
  ulonglong2 both = ((const ulonglong2*)a_of)[g];
  c_of[2 * g][i] = ((const float*)both.x)[i];
  c_of[2 * g + 1][i] = ((const float*)both.y)[i];
}

//: in_bounds refuted
KERNEL(two_addresses_of_one) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i >= N || 2 * g >= G) return;
  ulonglong2 both = ((const ulonglong2*)a_of)[g];
  c_of[2 * g][i] = ((const float*)both.x)[i] + ((const float*)both.y)[i];
}

//: proved
KERNEL(only_where_there_is_one) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  const float* a = a_of[g];
  if (i < N) c_of[g][i] = a ? a[i] : 0;
}

// Which of two addresses is less is of these, not of where their tensors are taken to lie.
//: proved
KERNEL(chosen_by_order_of_addresses) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i == 0 && g == 0) o[a_of[g] < o ? N - 1 : 0] = 1;
}

// What is read may lie right behind o.
//: in_bounds unknown
KERNEL(chosen_by_address) {
  int i = blockIdx.x * 64 + threadIdx.x, g = blockIdx.y;
  if (i == 0 && g == 0) o[a_of[g] == o + 4 ? N : i] = 1;
}
