#include <hip/hip_runtime.h>

extern "C" __global__ void copy_plain(const float* x, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = x[i];
}

extern "C" __global__ void copy_early_return(const float* x, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    o[i] = x[i];
}

extern "C" __global__ void copy_grid_stride(const float* __restrict__ x, float* __restrict__ o, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) o[i] = x[i];
}

extern "C" __global__ void __launch_bounds__(256) copy_float4(const float* x, float* o, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (4 * i + 3 < n) {
        reinterpret_cast<float4*>(o)[i] = reinterpret_cast<const float4*>(x)[i];
    } else {
        for (int k = 4 * i; k < n; ++k) o[k] = x[k];
    }
}

extern "C" __global__ void copy_strided_rows(const float* x, float* o, int rows, int columns, int pitch) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) o[row * columns + column] = x[row * pitch + column];
}

extern "C" __global__ void copy_batched(const float* x, float* o, int n, long long batch_stride) {
    const float* from = x + blockIdx.z * batch_stride;
    float* to = o + blockIdx.z * (long long)n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];
}

extern "C" __global__ void copy_index_64(const unsigned char* x, unsigned char* o, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = x[i];
}

extern "C" __global__ void reverse(const int* x, int* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[n - 1 - i] = x[i];
}

extern "C" __global__ void reverse_in_lds(int* x, int n) {
    __shared__ int tile[256];
    int i = threadIdx.x;
    if (i < n) tile[i] = x[i];
    __syncthreads();
    if (i < n) x[i] = tile[n - 1 - i];
}

extern "C" __global__ void fill(float* o, float value, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) o[i] = value;
}

extern "C" __global__ void concatenate(const float* a, const float* b, float* o, int rows, int left, int right) {
    int width = left + right;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * width) return;
    int row = i / width, column = i % width;
    o[i] = column < left ? a[row * left + column] : b[row * right + column - left];
}

extern "C" __global__ void pad_2d(const float* x, float* o, int h, int w, int top, int side) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    int height = h + 2 * top, width = w + 2 * side;
    if (row >= height || column >= width) return;
    int y = row - top, z = column - side;
    o[row * width + column] = y >= 0 && y < h && z >= 0 && z < w ? x[y * w + z] : 0.0f;
}
