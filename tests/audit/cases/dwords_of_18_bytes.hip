// Blocks of a half and sixteen bytes, as quantised weights have them: the compiler loads dwords at every second byte (own code).
#include <hip/hip_runtime.h>
struct block { _Float16 d; unsigned char qs[16]; };

//: proved
extern "C" __global__ void sums(const block* x, float* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  unsigned word[4];
  __builtin_memcpy(word, x[i].qs, 16);
  o[i] = (float)x[i].d * (float)(word[0] ^ word[1] ^ word[2] ^ word[3]);
}

// the stores of two threads share their first and last two bytes
//: race_free refuted
extern "C" __global__ void meet(block* x, float* o, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  unsigned word[5] = {(unsigned)i, 1u, 2u, 3u, (unsigned)i};
  if (i + 1 < n) __builtin_memcpy((char*)x + 18 * i, word, 20);
  o[i] = 1.0f;
}
