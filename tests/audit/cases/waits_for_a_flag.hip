// Waves and blocks that wait for each other by a word: right, and with the word stored before what it stands for.
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(128) void name(unsigned* o, unsigned* flag, const unsigned* x)
#define SET(word, order, scope) __hip_atomic_store(word, 1u, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope)
#define TURN(word, order, scope) while (__hip_atomic_load(word, __ATOMIC_##order, __HIP_MEMORY_SCOPE_##scope) == 0)

//: slow
//: ends unknown, race_free unknown
KERNEL(block_waits) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) {
    o[t] = x[t] + 1;
    __syncthreads();
    if (t == 0) SET(flag, RELEASE, AGENT);
  } else {
    TURN(flag, ACQUIRE, AGENT);
    o[blockIdx.x * 128 + t] = o[t];
  }
}

//: ends unknown, race_free unknown
KERNEL(block_is_told_too_soon) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == 0) {
    if (t == 0) SET(flag, RELEASE, AGENT);
    o[t] = x[t] + 1;
  } else {
    TURN(flag, ACQUIRE, AGENT);
    o[blockIdx.x * 128 + t] = o[t];
  }
}

//: followed unknown, ends unknown, race_free unknown, initialised unknown
KERNEL(wave_waits) {
  __shared__ unsigned data[64], word;
  unsigned t = threadIdx.x, lane = t & 63;
  if (t == 0) word = 0;
  __syncthreads();
  if (t < 64) {
    data[lane] = x[lane];
    SET(&word, RELEASE, WORKGROUP);
  } else {
    TURN(&word, ACQUIRE, WORKGROUP);
    o[blockIdx.x * 64 + lane] = data[lane];
  }
}

//: followed unknown, ends unknown, race_free unknown, initialised unknown
KERNEL(wave_is_told_too_soon) {
  __shared__ unsigned data[64], word;
  unsigned t = threadIdx.x, lane = t & 63;
  if (t == 0) word = 0;
  __syncthreads();
  if (t < 64) {
    SET(&word, RELEASE, WORKGROUP);
    data[lane] = x[lane];
  } else {
    TURN(&word, ACQUIRE, WORKGROUP);
    o[blockIdx.x * 64 + lane] = data[lane];
  }
}

//: race_free unknown, initialised unknown
KERNEL(last_wave) {
  __shared__ unsigned part[2], ticket;
  unsigned t = threadIdx.x, wave = t / 64;
  if (t == 0) ticket = 0;
  __syncthreads();
  if (t % 64 == 0) {
    part[wave] = x[blockIdx.x * 2 + wave];
    unsigned n = __hip_atomic_fetch_add(&ticket, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
    if (n == 1) o[blockIdx.x] = part[0] + part[1];
  }
}

//: race_free unknown, initialised unknown
KERNEL(last_wave_too_soon) {
  __shared__ unsigned part[2], ticket;
  unsigned t = threadIdx.x, wave = t / 64;
  if (t == 0) ticket = 0;
  __syncthreads();
  if (t % 64 == 0) {
    unsigned n = __hip_atomic_fetch_add(&ticket, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
    part[wave] = x[blockIdx.x * 2 + wave];
    if (n == 1) o[blockIdx.x] = part[0] + part[1];
  }
}
