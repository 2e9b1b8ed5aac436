#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

// One wave of a block computes a tile; rows of a are m × k, rows of b are n × k (transposed), c is m × n.

typedef float floatx4 __attribute__((ext_vector_type(4)));
typedef float floatx8 __attribute__((ext_vector_type(8)));
typedef float floatx16 __attribute__((ext_vector_type(16)));
typedef int intx4 __attribute__((ext_vector_type(4)));
typedef double doublex4 __attribute__((ext_vector_type(4)));
typedef _Float16 halfx4 __attribute__((ext_vector_type(4)));
typedef _Float16 halfx8 __attribute__((ext_vector_type(8)));
typedef _Float16 halfx16 __attribute__((ext_vector_type(16)));
typedef short shortx4 __attribute__((ext_vector_type(4)));

#if defined(__GFX9__)

extern "C" __global__ void __launch_bounds__(64) mfma_f16_16x16(const __half* a, const __half* b, float* c, int n, int k) {
    int lane = threadIdx.x, row = lane % 16, quad = lane / 16;
    const __half* left = a + (blockIdx.y * 16 + row) * k + 4 * quad;
    const __half* right = b + (blockIdx.x * 16 + row) * k + 4 * quad;
    floatx4 sum = {};
    for (int l = 0; l < k; l += 16)
        sum = __builtin_amdgcn_mfma_f32_16x16x16f16(*(const halfx4*)(left + l), *(const halfx4*)(right + l), sum, 0, 0, 0);
    for (int i = 0; i < 4; ++i) c[(blockIdx.y * 16 + 4 * quad + i) * n + blockIdx.x * 16 + row] = sum[i];
}

extern "C" __global__ void __launch_bounds__(64) mfma_f32_32x32(const float* a, const float* b, float* c, int n, int k) {
    int lane = threadIdx.x, row = lane % 32, half = lane / 32;
    floatx16 sum = {};
    for (int l = 0; l < k; l += 2)
        sum = __builtin_amdgcn_mfma_f32_32x32x2f32(
            a[(blockIdx.y * 32 + row) * k + l + half], b[(blockIdx.x * 32 + row) * k + l + half], sum, 0, 0, 0);
    for (int i = 0; i < 16; ++i)
        c[(blockIdx.y * 32 + i / 4 * 8 + 4 * half + i % 4) * n + blockIdx.x * 32 + row] = sum[i];
}

extern "C" __global__ void __launch_bounds__(64) mfma_bf16_32x32(const short* a, const short* b, float* c, int n, int k) {
    int lane = threadIdx.x, row = lane % 32, half = lane / 32;
    const short* left = a + (blockIdx.y * 32 + row) * k + 4 * half;
    const short* right = b + (blockIdx.x * 32 + row) * k + 4 * half;
    floatx16 sum = {};
    for (int l = 0; l < k; l += 8)
        sum = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(
            *(const shortx4*)(left + l), *(const shortx4*)(right + l), sum, 0, 0, 0);
    for (int i = 0; i < 16; ++i)
        c[(blockIdx.y * 32 + i / 4 * 8 + 4 * half + i % 4) * n + blockIdx.x * 32 + row] = sum[i];
}

extern "C" __global__ void __launch_bounds__(64)
mfma_i8_16x16(const signed char* a, const signed char* b, int* c, int n, int k) {
    int lane = threadIdx.x, row = lane % 16, quad = lane / 16;
    intx4 sum = {};
#if defined(__gfx90a__)
    for (int l = 0; l < k; l += 16)
        sum = __builtin_amdgcn_mfma_i32_16x16x16i8(
            *(const int*)(a + (blockIdx.y * 16 + row) * k + l + 4 * quad),
            *(const int*)(b + (blockIdx.x * 16 + row) * k + l + 4 * quad), sum, 0, 0, 0);
#else
    for (int l = 0; l < k; l += 32)
        sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(
            *(const long*)(a + (blockIdx.y * 16 + row) * k + l + 8 * quad),
            *(const long*)(b + (blockIdx.x * 16 + row) * k + l + 8 * quad), sum, 0, 0, 0);
#endif
    for (int i = 0; i < 4; ++i) c[(blockIdx.y * 16 + 4 * quad + i) * n + blockIdx.x * 16 + row] = sum[i];
}

extern "C" __global__ void __launch_bounds__(64) mfma_f64_16x16(const double* a, const double* b, double* c, int n, int k) {
    int lane = threadIdx.x, row = lane % 16, quad = lane / 16;
    doublex4 sum = {};
    for (int l = 0; l < k; l += 4)
        sum = __builtin_amdgcn_mfma_f64_16x16x4f64(
            a[(blockIdx.y * 16 + row) * k + l + quad], b[(blockIdx.x * 16 + row) * k + l + quad], sum, 0, 0, 0);
    for (int i = 0; i < 4; ++i) c[(blockIdx.y * 16 + 4 * i + quad) * n + blockIdx.x * 16 + row] = sum[i];
}

extern "C" __global__ void __launch_bounds__(256)
mfma_f16_through_lds(const __half* a, const __half* b, float* c, int m, int n, int k) {
    __shared__ __half left[64][20], right[64][20];
    int t = threadIdx.x, lane = t % 64, wave = t / 64, row = lane % 16, quad = lane / 16;
    int top = blockIdx.y * 64, side = blockIdx.x * 64;
    floatx4 sum[4] = {};
    for (int l = 0; l < k; l += 16) {
        for (int i = t; i < 64 * 16; i += 256) {
            int y = i / 16, z = i % 16;
            left[y][z] = top + y < m && l + z < k ? a[(top + y) * k + l + z] : __float2half(0.0f);
            right[y][z] = side + y < n && l + z < k ? b[(side + y) * k + l + z] : __float2half(0.0f);
        }
        __syncthreads();
        halfx4 p = *(const halfx4*)&left[16 * wave + row][4 * quad];
        for (int j = 0; j < 4; ++j)
            sum[j] = __builtin_amdgcn_mfma_f32_16x16x16f16(p, *(const halfx4*)&right[16 * j + row][4 * quad], sum[j], 0, 0, 0);
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            int y = top + 16 * wave + 4 * quad + i, z = side + 16 * j + row;
            if (y < m && z < n) c[y * n + z] = sum[j][i];
        }
}

#else

extern "C" __global__ void __launch_bounds__(32) wmma_f16_16x16(const __half* a, const __half* b, float* c, int n, int k) {
    int lane = threadIdx.x, row = lane % 16, half = lane / 16;
    floatx8 sum = {};
    for (int l = 0; l < k; l += 16) {
        const __half* left = a + (blockIdx.y * 16 + row) * k + l;
        const __half* right = b + (blockIdx.x * 16 + row) * k + l;
#if defined(__GFX12__)
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(
            *(const halfx8*)(left + 8 * half), *(const halfx8*)(right + 8 * half), sum);
#else
        sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(*(const halfx16*)left, *(const halfx16*)right, sum);
#endif
    }
    for (int i = 0; i < 8; ++i) {
#if defined(__GFX12__)
        int y = 8 * half + i;
#else
        int y = 2 * i + half;
#endif
        c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + row] = sum[i];
    }
}

#endif
