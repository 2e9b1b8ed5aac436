// What a tensor that a kernel stores to holds when it begins is what a load finds that no store comes before.
#include <hip/hip_runtime.h>

#define KERNEL(NAME) extern "C" __global__ void NAME(int* head, int* next, int* seat, int* sum, const float* x, float* o, const int* y, int N, int B)

//: proved
KERNEL(taken_and_renewed) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  int h = head[b];
  o[b] = x[h];
  head[b] = h + 1;
}

// The load of another thread's element stands before the barrier behind which that thread stores.
//: proved
KERNEL(neighbour_taken_before) {
  int b = blockIdx.x * 64 + threadIdx.x, other = b ^ 1;
  if (other < B) o[other] = x[head[other]];
  __syncthreads();
  if (b < B) head[b] = N;
}

//: in_bounds refuted
KERNEL(neighbour_taken_behind) {
  int b = blockIdx.x * 64 + threadIdx.x, other = b ^ 1;
  if (b < B) head[b] = N;
  __syncthreads();
  if (other < B) o[other] = x[head[other]];
}

// Which of two threads is first nobody knows.
//: in_bounds unknown, race_free unknown
KERNEL(neighbour_taken_beside) {
  int b = blockIdx.x * 64 + threadIdx.x, other = b ^ 1;
  if (other < B) o[other] = x[head[other]];
  if (b < B) head[b] = 0;
}

// In the second turn it finds what it has stored in the first.
//: in_bounds refuted
KERNEL(taken_in_turns) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  volatile int* mine = head + b;
  float s = 0;
  for (int k = 0; k < N; k++) {
    s += x[*mine];
    *mine = N + k;
  }
  o[b] = s;
}

// Each turn has an element of its own.
//: proved
KERNEL(own_in_each_turn) {
  int t = threadIdx.x;
  if (blockIdx.x) return;
  float s = 0;
  for (int k = t; k < B; k += 64) {
    s += x[head[k]];
    head[k] = N;
  }
  if (t < B) o[t] = s;
}

//: in_bounds refuted
KERNEL(behind_an_atomic) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  atomicAdd(&head[b], N);
  o[b] = x[*(volatile int*)&head[b]];
}

// An atomic operation behind the load changes nothing of what that has found.
//: proved
KERNEL(before_an_atomic) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  int h = *(volatile int*)&head[b];
  atomicAdd(&head[b], 1);
  o[b] = x[h];
}

// A store to an element that another thread loads in another block.
//: in_bounds unknown, race_free refuted
KERNEL(of_another_block) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  o[b] = x[head[b]];
  head[B - 1 - b] = N;
}

// In whichever order: what is stored is one of those that are there.
//: proved
KERNEL(kept_in_range) {
  if (blockIdx.x || threadIdx.x) return;
  for (int k = 0; k < N; k++) next[k] = next[next[next[k]]];
}

//: in_bounds refuted
KERNEL(broken_by_one) {
  if (blockIdx.x || threadIdx.x) return;
  for (int k = 0; k < N; k++) next[k] = next[next[next[k]]] + 1;
}

// Half of an element is no element.
//: in_bounds refuted
KERNEL(broken_by_half) {
  if (blockIdx.x || threadIdx.x) return;
  for (int k = 0; k < N; k++) {
    ((volatile short*)next)[2 * k + 1] = 1;
    o[0] = x[next[k]];
  }
}

// Each begins with its own number: no two threads have one.
//: proved
KERNEL(seats_by_number) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  int s = seat[b];
  o[s] = 1;
  seat[b] = 0;
}

//: in_bounds unknown, race_free refuted
KERNEL(seats_taken_twice) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b < B) seat[b] = 0;
  __syncthreads();
  if (b < B) o[*(volatile int*)&seat[b]] = b;
}

//: proved with sum[i] = y[i]
//: computes refuted with sum[i] = y[i] + 1
KERNEL(sums_from_nothing) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b < B) sum[b] += y[b];
}

// What goes wrong at one of a hundred thousand numbers.
//: in_bounds refuted
KERNEL(wrong_at_one_number) {
  int b = blockIdx.x * 64 + threadIdx.x;
  if (b >= B) return;
  int h = head[b];
  head[b] = 0;
  o[b] = x[h == 54321 ? N : h];
}
