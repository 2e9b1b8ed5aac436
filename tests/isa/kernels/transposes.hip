// Transpositions of an M × N matrix (row-major, densely stored), each for any M, N ≥ 1.
#if defined(LAYOUTALG_DEVICE)
#include "layoutalg_device.h"
#else
#include <hip/hip_runtime.h>
#endif

// out[n][m] = in[m][n]; 8 × 8 threads, each transposes 4 × 4 elements in its registers with 16-byte accesses.
// M and N are multiples of 32.
typedef float float4v __attribute__((ext_vector_type(4)));
extern "C" __global__ void __launch_bounds__(64) transpose_registers(const float* in, float* out, int M, int N) {
    const int m = (blockIdx.y * 8 + threadIdx.y) * 4;
    const int n = (blockIdx.x * 8 + threadIdx.x) * 4;
    float4v rows[4];
    for (int i = 0; i < 4; ++i) rows[i] = *(const float4v*)(in + (long)(m + i) * N + n);
    for (int j = 0; j < 4; ++j) {
        float4v column = {rows[0][j], rows[1][j], rows[2][j], rows[3][j]};
        *(float4v*)(out + (long)(n + j) * M + m) = column;
    }
}

// A 64 × 64 tile through LDS, 256 threads, guarded at the edges; element (r, c) of the tile lies at r·64 + (c ^ r).
template <typename T> static __device__ __attribute__((always_inline)) void transpose_xor(const T* in, T* out, int M, int N) {
    __shared__ T tile[64 * 64];
    const int lane = threadIdx.x % 64, row = threadIdx.x / 64;
    for (int i = 0; i < 16; ++i) {
        const int r = i * 4 + row, m = blockIdx.y * 64 + r, n = blockIdx.x * 64 + lane;
        if (m < M && n < N) tile[r * 64 + (lane ^ r)] = in[(long)m * N + n];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
        const int c = i * 4 + row, n = blockIdx.x * 64 + c, m = blockIdx.y * 64 + lane;
        if (m < M && n < N) out[(long)n * M + m] = tile[lane * 64 + (c ^ lane)];
    }
}
extern "C" __global__ void __launch_bounds__(256) transpose_xor_f32(const float* in, float* out, int M, int N) {
    transpose_xor(in, out, M, N);
}
extern "C" __global__ void __launch_bounds__(256) transpose_xor_f16(const _Float16* in, _Float16* out, int M, int N) {
    transpose_xor(in, out, M, N);
}

// The same with rows of 65 elements.
template <typename T> static __device__ __attribute__((always_inline)) void transpose_padded(const T* in, T* out, int M, int N) {
    __shared__ T tile[64][65];
    const int lane = threadIdx.x % 64, row = threadIdx.x / 64;
    for (int i = 0; i < 16; ++i) {
        const int r = i * 4 + row, m = blockIdx.y * 64 + r, n = blockIdx.x * 64 + lane;
        if (m < M && n < N) tile[r][lane] = in[(long)m * N + n];
    }
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
        const int c = i * 4 + row, n = blockIdx.x * 64 + c, m = blockIdx.y * 64 + lane;
        if (m < M && n < N) out[(long)n * M + m] = tile[lane][c];
    }
}
extern "C" __global__ void __launch_bounds__(256) transpose_padded_f32(const float* in, float* out, int M, int N) {
    transpose_padded(in, out, M, N);
}
extern "C" __global__ void __launch_bounds__(256) transpose_padded_f16(const _Float16* in, _Float16* out, int M, int N) {
    transpose_padded(in, out, M, N);
}
