// out[j, i] = in[i, j] for any M and N: a 64x64 tile in LDS, padded by one column, edges guarded. In f32 and in f16.
#if defined(LAYOUTALG_DEVICE)
#include "layoutalg_device.h"
#else
#include <hip/hip_runtime.h>
#endif

#define LDS_TRANSPOSE(NAME, TYPE)                                                                       \
    extern "C" __global__ void __launch_bounds__(256)                                                   \
    NAME(const TYPE* __restrict__ in, TYPE* __restrict__ out, int M, int N) {                           \
        __shared__ TYPE tile[64 * 65];                                                                  \
        const int row = threadIdx.x / 64, column = threadIdx.x % 64;                                    \
        for (int k = 0; k < 64; k += 4) {                                                               \
            const int i = blockIdx.y * 64 + k + row, j = blockIdx.x * 64 + column;                      \
            if (i < M && j < N) tile[(k + row) * 65 + column] = in[i * N + j];                          \
        }                                                                                               \
        __syncthreads();                                                                                \
        for (int k = 0; k < 64; k += 4) {                                                               \
            const int j = blockIdx.x * 64 + k + row, i = blockIdx.y * 64 + column;                      \
            if (i < M && j < N) out[j * M + i] = tile[column * 65 + k + row];                           \
        }                                                                                               \
    }

LDS_TRANSPOSE(lds_transpose_f32, float)
LDS_TRANSPOSE(lds_transpose_f16, _Float16)
