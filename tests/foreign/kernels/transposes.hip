#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

#define TILE 32

extern "C" __global__ void transpose_naive(const float* x, float* o, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) o[column * rows + row] = x[row * columns + column];
}

extern "C" __global__ void transpose_unpadded(const float* x, float* o, int rows, int columns) {
    __shared__ float tile[TILE][TILE];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (row + k < rows && column < columns) tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * columns + column];
    __syncthreads();
    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (row + k < columns && column < rows) o[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_padded(const float* x, float* o, int rows, int columns) {
    __shared__ float tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (row + k < rows && column < columns) tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * columns + column];
    __syncthreads();
    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += 8)
        if (row + k < columns && column < rows) o[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}

extern "C" __global__ void transpose_f16(const __half* x, __half* o, int rows, int columns) {
    __shared__ __half tile[64][66];
    int left = blockIdx.x * 64, top = blockIdx.y * 64;
    for (int k = threadIdx.x; k < 64 * 64; k += 256) {
        int row = k / 64, column = k % 64;
        if (top + row < rows && left + column < columns) tile[row][column] = x[(top + row) * columns + left + column];
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 64 * 64; k += 256) {
        int row = k / 64, column = k % 64;
        if (left + row < columns && top + column < rows) o[(left + row) * rows + top + column] = tile[column][row];
    }
}

template <typename T>
__global__ void transpose_batched(const T* x, T* o, int rows, int columns) {
    __shared__ T tile[16][17];
    x += (size_t)blockIdx.z * rows * columns;
    o += (size_t)blockIdx.z * rows * columns;
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
    __syncthreads();
    column = blockIdx.y * 16 + threadIdx.x, row = blockIdx.x * 16 + threadIdx.y;
    if (row < columns && column < rows) o[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void transpose_batched<double>(const double*, double*, int, int);

extern "C" __global__ void transpose_strided(const float* x, float* o, int rows, int columns, int from, int to) {
    __shared__ float tile[16 * 17];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    if (row < rows && column < columns) tile[ty * 17 + tx] = x[row * from + column];
    __syncthreads();
    row = blockIdx.x * 16 + ty, column = blockIdx.y * 16 + tx;
    if (row < columns && column < rows) o[row * to + column] = tile[tx * 17 + ty];
}

extern "C" __global__ void permute_0213(const float* x, float* o, int b, int m, int n, int c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b * m * n * c) return;
    int l = i % c, k = i / c % m, j = i / (c * m) % n, h = i / (c * m * n);
    o[i] = x[((h * m + k) * n + j) * c + l];
}
