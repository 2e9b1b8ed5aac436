// A sum that a loop carries is a number of one type: its bits as another one's are another number.

#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void in_f16(const float* x, _Float16* o, int M, int K) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= M) return;
  _Float16 total = 0;
  for (int j = 0; j < K; ++j) total = (_Float16)((float)total + x[i * K + j]);
  o[i] = total;
}

//: computes refuted
extern "C" __global__ void bits_as_f32(const float* x, _Float16* o, int M, int K) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= M) return;
  unsigned total = 0;
  for (int j = 0; j < K; ++j) {
    float sum = __uint_as_float(total) + x[i * K + j];
    total = __builtin_bit_cast(unsigned short, (_Float16)sum);
  }
  o[i] = __builtin_bit_cast(_Float16, (unsigned short)total);
}
