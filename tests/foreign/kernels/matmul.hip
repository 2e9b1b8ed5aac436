#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

#define TILE 16

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int l = 0; l < k; ++l) sum += a[row * k + l] * b[l * n + column];
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int l = 0; l < k; l += TILE) {
        left[ty][tx] = row < m && l + tx < k ? a[row * k + l + tx] : 0.0f;
        right[ty][tx] = l + ty < k && column < n ? b[(l + ty) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += left[ty][i] * right[i][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void matmul_double_buffered(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[2][TILE][TILE + 1], right[2][TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    left[0][ty][tx] = row < m && tx < k ? a[row * k + tx] : 0.0f;
    right[0][ty][tx] = ty < k && column < n ? b[ty * n + column] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int l = 0, now = 0; l < k; l += TILE, now ^= 1) {
        int next = l + TILE;
        if (next < k) {
            left[now ^ 1][ty][tx] = row < m && next + tx < k ? a[row * k + next + tx] : 0.0f;
            right[now ^ 1][ty][tx] = next + ty < k && column < n ? b[(next + ty) * n + column] : 0.0f;
        }
        for (int i = 0; i < TILE; ++i) sum += left[now][ty][i] * right[now][i][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
matmul_registers(const float* a, const float* b, float* c, int m, int n, int k, float alpha, float beta) {
    __shared__ float left[8][64], right[8][64];
    int t = threadIdx.x, top = blockIdx.y * 64, side = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int l = 0; l < k; l += 8) {
        for (int i = t; i < 512; i += 256) {
            int row = top + i / 8, column = side + i % 64;
            left[i % 8][i / 8] = row < m && l + i % 8 < k ? a[row * k + l + i % 8] : 0.0f;
            right[i / 64][i % 64] = l + i / 64 < k && column < n ? b[(l + i / 64) * n + column] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < 8; ++j)
            for (int y = 0; y < 4; ++y)
                for (int z = 0; z < 4; ++z) sum[y][z] += left[j][t / 16 * 4 + y] * right[j][t % 16 * 4 + z];
        __syncthreads();
    }
    for (int y = 0; y < 4; ++y)
        for (int z = 0; z < 4; ++z) {
            int row = top + t / 16 * 4 + y, column = side + t % 16 * 4 + z;
            if (row < m && column < n) c[row * n + column] = alpha * sum[y][z] + beta * c[row * n + column];
        }
}

extern "C" __global__ void matmul_f16(const __half* a, const __half* b, __half* c, int m, int n, int k) {
    __shared__ __half left[TILE][TILE], right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int l = 0; l < k; l += TILE) {
        left[ty][tx] = row < m && l + tx < k ? a[row * k + l + tx] : __float2half(0.0f);
        right[ty][tx] = l + ty < k && column < n ? b[(l + ty) * n + column] : __float2half(0.0f);
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += __half2float(left[ty][i]) * __half2float(right[i][tx]);
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = __float2half(sum);
}

extern "C" __global__ void matmul_i8(const signed char* a, const signed char* b, int* c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    int sum = 0;
    for (int l = 0; l < k; l += 4) {
        char4 p = *reinterpret_cast<const char4*>(a + row * k + l), q = *reinterpret_cast<const char4*>(b + column * k + l);
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    c[row * n + column] = sum;
}

struct Strides {
    long long a, b, c;
};

extern "C" __global__ void
matmul_batched(const float* a, const float* b, float* c, int m, int n, int k, Strides batch) {
    a += blockIdx.z * batch.a, b += blockIdx.z * batch.b, c += blockIdx.z * batch.c;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m * n) return;
    float sum = 0.0f;
    for (int l = 0; l < k; ++l) sum += a[i / n * k + l] * b[l * n + i % n];
    c[i] = sum;
}

extern "C" __global__ void matvec_wave(const float* a, const float* x, float* y, int m, int n) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= m) return;
    float sum = 0.0f;
    for (int k = lane; k < n; k += 32) sum += a[(size_t)row * n + k] * x[k];
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor(sum, mask, 32);
    if (lane == 0) y[row] = sum;
}

extern "C" __global__ void matmul_f64(const double* a, const double* b, double* c, int n) {
    __shared__ double left[8][8], right[8][9];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
    double sum = 0.0;
    for (int l = 0; l < n; l += 8) {
        left[ty][tx] = row < n && l + tx < n ? a[row * n + l + tx] : 0.0;
        right[ty][tx] = l + ty < n && column < n ? b[(l + ty) * n + column] : 0.0;
        __syncthreads();
        for (int i = 0; i < 8; ++i) sum = fma(left[ty][i], right[i][tx], sum);
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}
