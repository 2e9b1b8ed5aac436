// What looks as if it was there when the kernel began, and was stored by then; with kernels beside where it was not.
#include <hip/hip_runtime.h>

#define KERNEL(NAME) extern "C" __global__ void NAME(int* head, unsigned char* byte, long long* wide, unsigned* count, const float* x, float* o, const int* y, int N, int B)

// The last block finds what the others have left behind their tickets.
//: in_bounds refuted, race_free unknown
KERNEL(behind_the_last_ticket) {
  int b = blockIdx.x, t = threadIdx.x;
  if (t == 0) {
    head[b] = N;
    __threadfence();
    bool last = atomicAdd(count, 1u) == gridDim.x - 1;
    __threadfence();
    if (last)
      for (int k = 0; k < (int)gridDim.x && k < B; k++)
        if (k != b) o[k] = x[head[k]];
  }
}

//: in_bounds refuted on gfx942
//: in_bounds refuted, race_free unknown on gfx1201
KERNEL(stored_in_the_turn_before) {
  int b = blockIdx.x * 128 + threadIdx.x, other = b ^ 64;
  float s = 0;
  for (int k = 0; k < N; k++) {
    if (other < B) s += x[*(volatile int*)&head[other]];
    __syncthreads();
    if (b < B) head[b] = N;
    __syncthreads();
  }
  if (b < B) o[b] = s;
}

// Each of two loops within a loop by itself is right.
//: in_bounds refuted
KERNEL(stored_by_the_loop_behind) {
  if (blockIdx.x || threadIdx.x) return;
  float s = 0;
  for (int r = 0; r < N; r++) {
    for (int k = 0; k < B; k++) s += x[*(volatile int*)&head[k]];
    for (int k = 0; k < B; k++) head[k] = N;
  }
  o[0] = s;
}

//: in_bounds refuted
KERNEL(stored_ahead) {
  if (blockIdx.x || threadIdx.x) return;
  float s = 0;
  for (int k = 0; k + 1 < B; k++) {
    s += x[*(volatile int*)&head[k]];
    head[k + 1] = N;
  }
  o[0] = s;
}

//: proved
KERNEL(stored_behind) {
  if (blockIdx.x || threadIdx.x) return;
  float s = 0;
  for (int k = 0; k + 1 < B; k++) {
    s += x[*(volatile int*)&head[k + 1]];
    head[k] = N;
  }
  o[0] = s;
}

//: ends refuted, in_bounds refuted
KERNEL(behind_a_flag) {
  int b = blockIdx.x;
  if (threadIdx.x || b + 1 >= B) return;
  head[b] = N;
  __threadfence();
  __hip_atomic_store(count + b, 1u, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_load(count + b + 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT));
  o[b] = x[*(volatile int*)&head[b + 1]];
}

// Loads by the scalar unit.
//: in_bounds refuted
KERNEL(of_the_block_behind) {
  int b = blockIdx.x;
  if (b >= B) return;
  if (threadIdx.x == 0) head[b] = N;
  __syncthreads();
  float v = x[*(volatile int*)&head[b]];
  if (threadIdx.x == 0) o[b] = v;
}

//: proved
KERNEL(bytes_kept) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  int s = 0;
  for (int k = 0; k < N; k++) {
    unsigned v = *(volatile unsigned char*)&byte[b];
    s += y[v];
    *(volatile unsigned char*)&byte[b] = v / 2 + (k & 1 ? 0 : y[v] & 7);
  }
  o[b] = s;
}

//: in_bounds refuted
KERNEL(bytes_cut) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  int s = 0;
  for (int k = 0; k < N; k++) {
    unsigned v = *(volatile unsigned char*)&byte[b];
    s += y[v];
    *(volatile unsigned char*)&byte[b] = v - 1;
  }
  o[b] = s;
}

// Four bytes at once, of which one is too great.
//: in_bounds refuted
KERNEL(bytes_of_a_word) {
  int b = blockIdx.x * 128 + threadIdx.x;
  bool whole = 4 * b + 3 < B;
  if (whole) *(unsigned*)(byte + 4 * b) = 0x1110400f;
  __syncthreads();
  if (whole) o[b] = y[*(volatile unsigned char*)&byte[4 * b + 1]];
}

//: proved
KERNEL(bytes_of_a_word_kept) {
  int b = blockIdx.x * 128 + threadIdx.x;
  bool whole = 4 * b + 3 < B;
  if (whole) *(unsigned*)(byte + 4 * b) = 0x0f0e0300;
  __syncthreads();
  if (whole) o[b] = y[*(volatile unsigned char*)&byte[4 * b + 1]];
}

//: proved
KERNEL(of_eight_bytes_kept) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  float s = 0;
  for (int k = 0; k < N; k++) {
    long long v = *(volatile long long*)&wide[b];
    s += x[v];
    *(volatile long long*)&wide[b] = v ? v - 1 : 0;
  }
  o[b] = s;
}

//: in_bounds refuted
KERNEL(of_eight_bytes_below) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  float s = 0;
  for (int k = 0; k < N; k++) {
    long long v = *(volatile long long*)&wide[b];
    s += x[v];
    *(volatile long long*)&wide[b] = v - 1;
  }
  o[b] = s;
}

// The upper half alone.
//: in_bounds refuted
KERNEL(half_of_eight_bytes) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  float s = 0;
  for (int k = 0; k < N; k++) {
    s += x[*(volatile long long*)&wide[b]];
    ((volatile int*)wide)[2 * b + 1] = 1;
  }
  o[b] = s;
}

// Kept by the plain stores, and not by the atomic ones.
//: in_bounds unknown
KERNEL(updated_beside) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  float s = 0;
  for (int k = 0; k < N; k++) {
    s += x[*(volatile int*)&head[b]];
    *(volatile int*)&head[b] = 0;
    atomicAdd(&head[b], k);
  }
  o[b] = s;
}

// What is stored is within limits only where it is stored for.
//: proved
KERNEL(kept_by_a_guard) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  float s = 0;
  for (int k = 0; k < B; k++) {
    s += x[*(volatile int*)&head[b]];
    int w = y[k];
    if (w >= 0 && w < N) *(volatile int*)&head[b] = w;
  }
  o[b] = s;
}

//: in_bounds refuted
KERNEL(not_kept_by_half_a_guard) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b >= B) return;
  float s = 0;
  for (int k = 0; k < B; k++) {
    s += x[*(volatile int*)&head[b]];
    int w = y[k];
    if (w < N) *(volatile int*)&head[b] = w;
  }
  o[b] = s;
}

// An index that was loaded from what another wave has stored to decides how far the loop goes.
//: in_bounds refuted
KERNEL(length_that_was_stored) {
  int b = blockIdx.x * 128 + threadIdx.x;
  if (b < B) head[b] = N + 1;
  __syncthreads();
  int n = *(volatile int*)&head[b ^ 64];
  float s = 0;
  for (int k = 0; k <= n; k++) s += x[k];
  if (b < B) o[b] = s;
}
