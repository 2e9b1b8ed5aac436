// C[m][n] = sum over k of A[m][k] · B[n][k], f16 in, f32 out, by the target's matrix instruction, with a loop over k.
// M, N are multiples of 32 (MFMA) or 16 (WMMA), K of 16. One wave a tile.
#if defined(LAYOUTALG_DEVICE)
#include "layoutalg_device.h"
#else
#include <hip/hip_runtime.h>
#endif

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef _Float16 half16 __attribute__((ext_vector_type(16)));
typedef float float8v __attribute__((ext_vector_type(8)));
typedef float float16v __attribute__((ext_vector_type(16)));

#if defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
extern "C" __global__ void __launch_bounds__(64) contraction(const _Float16* A, const _Float16* B, float* C, int N, int K) {
    __shared__ _Float16 a[32 * 16], b[32 * 16];
    const int lane = threadIdx.x, row = lane % 32, half = lane / 32;
    const long m0 = blockIdx.y * 32, n0 = blockIdx.x * 32;
    float16v sum = {};
    for (int k = 0; k < K; k += 16) {
        *(half8*)(a + row * 16 + half * 8) = *(const half8*)(A + (m0 + row) * K + k + half * 8);
        *(half8*)(b + row * 16 + half * 8) = *(const half8*)(B + (n0 + row) * K + k + half * 8);
        __syncthreads();
        for (int j = 0; j < 16; j += 8)
            sum = __builtin_amdgcn_mfma_f32_32x32x8f16(*(const half4*)(a + row * 16 + j + half * 4),
                                                       *(const half4*)(b + row * 16 + j + half * 4), sum, 0, 0, 0);
        __syncthreads();
    }
    for (int r = 0; r < 16; ++r) C[(m0 + 8 * (r / 4) + 4 * half + r % 4) * N + n0 + row] = sum[r];
}
#elif defined(__gfx1100__)
extern "C" __global__ void __launch_bounds__(32) contraction(const _Float16* A, const _Float16* B, float* C, int N, int K) {
    const int lane = threadIdx.x, row = lane % 16, half = lane / 16;
    const long m0 = blockIdx.y * 16, n0 = blockIdx.x * 16;
    float8v sum = {};
    for (int k = 0; k < K; k += 16)
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(*(const half16*)(A + (m0 + row) * K + k),
                                                         *(const half16*)(B + (n0 + row) * K + k), sum);
    for (int r = 0; r < 8; ++r) C[(m0 + 2 * r + half) * N + n0 + row] = sum[r];
}
#elif defined(__gfx1201__)
extern "C" __global__ void __launch_bounds__(32) contraction(const _Float16* A, const _Float16* B, float* C, int N, int K) {
    const int lane = threadIdx.x, row = lane % 16, half = lane / 16;
    const long m0 = blockIdx.y * 16, n0 = blockIdx.x * 16;
    float8v sum = {};
    for (int k = 0; k < K; k += 16)
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(*(const half8*)(A + (m0 + row) * K + k + 8 * half),
                                                               *(const half8*)(B + (n0 + row) * K + k + 8 * half), sum);
    for (int r = 0; r < 8; ++r) C[(m0 + 8 * half + r) * N + n0 + row] = sum[r];
}
#endif
