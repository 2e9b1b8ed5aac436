// out[j, i] = in[i, j]: 8x8 threads, 4x4 elements in registers each, 16-byte loads and stores. M and K are multiples of 32.
#if defined(LAYOUTALG_DEVICE)
#include "layoutalg_device.h"
#else
#include <hip/hip_runtime.h>
#endif
typedef float float4_t __attribute__((ext_vector_type(4)));

extern "C" __global__ void __launch_bounds__(64)
register_transpose(const float* __restrict__ in, float* __restrict__ out, int M, int K) {
    const int i = blockIdx.y * 32 + threadIdx.y * 4;
    const int j = blockIdx.x * 32 + threadIdx.x * 4;
    float4_t rows[4], columns[4];
    for (int r = 0; r < 4; ++r) rows[r] = *(const float4_t*)(in + (i + r) * K + j);
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) columns[c][r] = rows[r][c];
    for (int c = 0; c < 4; ++c) *(float4_t*)(out + (j + c) * M + i) = columns[c];
}
