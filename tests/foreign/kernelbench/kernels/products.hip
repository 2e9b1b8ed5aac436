#include <hip/hip_runtime.h>

#define TILE 16

extern "C" __global__ void square_product(const float* A, const float* B, float* C, int N) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.0f;
    for (int t = 0; t < (N + TILE - 1) / TILE; ++t) {
        int k = t * TILE + threadIdx.x, l = t * TILE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = (row < N && k < N) ? A[row * N + k] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (l < N && col < N) ? B[l * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < N && col < N) C[row * N + col] = acc;
}

extern "C" __global__ void standard_product(const float* A, const float* B, float* C, int M, int K, int N) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++) sum += A[row * K + k] * B[k * N + col];
        C[row * N + col] = sum;
    }
}

extern "C" __global__ void batched_product(const float* A, const float* B, float* C, int m, int k, int n) {
    __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
    const float *left = A + (size_t)blockIdx.z * m * k, *right = B + (size_t)blockIdx.z * k * n;
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int l = 0; l < k; l += TILE) {
        a[ty][tx] = row < m && l + tx < k ? left[row * k + l + tx] : 0.0f;
        b[ty][tx] = l + ty < k && col < n ? right[(l + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) C[(size_t)blockIdx.z * m * n + row * n + col] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
matrix_vector(const float* A, const float* x, float* y, int K) {
    __shared__ float partial[256];
    const float* row = A + (size_t)blockIdx.x * K;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += 256) sum += row[k] * x[k];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}

extern "C" __global__ void large_k_product(const float* A, const float* B, float* C, int M, int K, int N) {
    __shared__ float sums[256];
    int row = blockIdx.y, col = blockIdx.x;
    float sum = 0.0f;
    for (int k = threadIdx.x; k < K; k += blockDim.x) sum += A[row * K + k] * B[k * N + col];
    sums[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 128) sums[threadIdx.x] += sums[threadIdx.x + 128];
    __syncthreads();
    if (threadIdx.x < 64) sums[threadIdx.x] += sums[threadIdx.x + 64];
    __syncthreads();
    if (threadIdx.x < 32) sums[threadIdx.x] += sums[threadIdx.x + 32];
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int k = 0; k < 32; ++k) total += sums[k];
        C[row * N + col] = total;
    }
}

extern "C" __global__ void small_k_product(const float* A, const float* B, float* C, int M, int N) {
    __shared__ float Bs[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 32 + tx, row = blockIdx.y * 8 + ty;
    for (int k = ty; k < 32; k += 8) Bs[k][tx] = col < N ? B[k * N + col] : 0.0f;
    __syncthreads();
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < 32; ++k) sum += A[row * 32 + k] * Bs[k][tx];
    C[row * N + col] = sum;
}

extern "C" __global__ void irregular_product(const float* A, const float* B, float* C, int M, int K, int N) {
    __shared__ float As[2][TILE][TILE + 1], Bs[2][TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    int tiles = (K + TILE - 1) / TILE;
    float sum = 0.0f;
    for (int t = 0; t < tiles; ++t) {
        int now = t & 1, k = t * TILE;
        As[now][ty][tx] = row < M && k + tx < K ? A[row * K + k + tx] : 0.0f;
        Bs[now][ty][tx] = k + ty < K && col < N ? B[(k + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum = fmaf(As[now][ty][i], Bs[now][i][tx], sum);
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" __global__ void tensor_product_3d(const float* A, const float* B, float* C, int M, int K, int L) {
    int l = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y, n = blockIdx.z;
    if (l >= L) return;
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[(n * M + m) * K + k] * B[k * L + l];
    C[(n * M + m) * L + l] = sum;
}

extern "C" __global__ void diagonal_product(const float* d, const float* B, float* C, int N, int M) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < N && col < M) C[row * M + col] = d[row] * B[row * M + col];
}

extern "C" __global__ void upper_triangular_product(const float* A, const float* B, float* C, int N) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= N || col >= N) return;
    float sum = 0.0f;
    for (int k = row; k <= col; ++k) sum += A[row * N + k] * B[k * N + col];
    C[row * N + col] = sum;
}

extern "C" __global__ void transposed_a_product(const float* A, const float* B, float* C, int M, int K, int N) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int l = 0; l < K; l += TILE) {
        As[ty][tx] = l + ty < K && blockIdx.y * TILE + tx < M ? A[(l + ty) * M + blockIdx.y * TILE + tx] : 0.0f;
        Bs[ty][tx] = l + ty < K && col < N ? B[(l + ty) * N + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += As[i][ty] * Bs[i][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}

extern "C" __global__ void transposed_b_product(const float* A, const float* B, float* C, int M, int K, int N) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || col >= N) return;
    float sum = 0.0f;
    int k = 0;
    for (; k + 4 <= K; k += 4)
        sum += A[row * K + k] * B[col * K + k] + A[row * K + k + 1] * B[col * K + k + 1] +
               A[row * K + k + 2] * B[col * K + k + 2] + A[row * K + k + 3] * B[col * K + k + 3];
    for (; k < K; ++k) sum += A[row * K + k] * B[col * K + k];
    C[row * N + col] = sum;
}

extern "C" __global__ void transposed_both_product(const float* A, const float* B, float* C, int M, int K, int N) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < M && col < N) {
        float sum = 0.0f;
        for (int k = 0; k < K; ++k) sum += A[k * M + row] * B[col * K + k];
        C[row * N + col] = sum;
    }
}
