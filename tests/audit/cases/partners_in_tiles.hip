// The lane that HIP's shuffles name in a tile of 32: a partner in the tile, or the lane itself (own code).
#include <hip/hip_runtime.h>

//: proved
extern "C" __global__ void deviations(const float* x, float* o, int rows, int columns) {
  int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0, square = 0;
  for (int i = lane; i < columns; i += 32) sum += x[row * columns + i];
  for (int step = 16; step; step /= 2) sum += __shfl_xor(sum, step, 32);
  float mean = sum / columns;
  for (int i = lane; i < columns; i += 32) square += (x[row * columns + i] - mean) * (x[row * columns + i] - mean);
  for (int step = 16; step; step /= 2) square += __shfl_xor(square, step, 32);
  for (int i = lane; i < columns; i += 32) o[row * columns + i] = (x[row * columns + i] - mean) * square;
}

//: proved
extern "C" __global__ void exchanged(const float* x, float* o, int rows, int columns) {
  __shared__ float found[256];
  int t = threadIdx.x, row = blockIdx.x * 8 + t / 32, partner = t ^ 16;
  found[partner < t / 32 * 32 + 32 ? partner : 0] = t;
  __syncthreads();
  if (row < rows && t % 32 == 0) o[row * columns] = found[t];
}

// The partner is in the next tile, so half of all go to place 0.
//: race_free refuted, initialised unknown
extern "C" __global__ void of_the_next_tile(const float* x, float* o, int rows, int columns) {
  __shared__ float found[256];
  int t = threadIdx.x, row = blockIdx.x * 8 + t / 32, partner = t ^ 32;
  found[partner < t / 32 * 32 + 32 ? partner : 0] = t;
  __syncthreads();
  if (row < rows && t % 32 == 0) o[row * columns] = found[t];
}

// The tile ends in its middle, so half of all go to place 0.
//: race_free refuted
extern "C" __global__ void of_half_a_tile(const float* x, float* o, int rows, int columns) {
  __shared__ float found[256];
  int t = threadIdx.x, row = blockIdx.x * 8 + t / 32, partner = t ^ 16;
  found[partner < t / 32 * 32 + 16 ? partner : 0] = t;
  __syncthreads();
  if (row < rows && t % 32 == 0) o[row * columns] = found[t];
}
