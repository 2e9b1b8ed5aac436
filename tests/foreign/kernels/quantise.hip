#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

extern "C" __global__ void quantise_i8(const float* x, signed char* o, float scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = rintf(x[i] * scale);
    o[i] = (signed char)fminf(fmaxf(v, -128.0f), 127.0f);
}

extern "C" __global__ void dequantise_i8(const signed char* x, const float* scales, __half* o, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) o[i] = __float2half(x[i] * scales[i / columns]);
}

extern "C" __global__ void __launch_bounds__(64) quantise_rows(const float* x, signed char* o, float* scales, int columns) {
    __shared__ float most[64];
    int t = threadIdx.x;
    const float* row = x + blockIdx.x * columns;
    float greatest = 0.0f;
    for (int k = t; k < columns; k += 64) greatest = fmaxf(greatest, fabsf(row[k]));
    most[t] = greatest;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) most[t] = fmaxf(most[t], most[t + half]);
        __syncthreads();
    }
    float scale = most[0] / 127.0f;
    if (t == 0) scales[blockIdx.x] = scale;
    for (int k = t; k < columns; k += 64)
        o[blockIdx.x * columns + k] = scale > 0.0f ? (signed char)__float2int_rn(row[k] / scale) : 0;
}

extern "C" __global__ void pack_u4(const unsigned char* x, unsigned char* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    unsigned low = x[2 * i] & 15, high = 2 * i + 1 < n ? x[2 * i + 1] & 15 : 0;
    o[i] = low | high << 4;
}

extern "C" __global__ void unpack_u4(const unsigned* x, float* o, const float* scale, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    unsigned v = x[i];
    float by = *scale;
    float4 first = make_float4((v & 15) - 8.0f, (v >> 4 & 15) - 8.0f, (v >> 8 & 15) - 8.0f, (v >> 12 & 15) - 8.0f);
    float4 second = make_float4((v >> 16 & 15) - 8.0f, (v >> 20 & 15) - 8.0f, (v >> 24 & 15) - 8.0f, (v >> 28) - 8.0f);
    reinterpret_cast<float4*>(o)[2 * i] = first * by;
    reinterpret_cast<float4*>(o)[2 * i + 1] = second * by;
}

extern "C" __global__ void float_to_half(const float4* x, __half2* o, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 v = x[i];
    o[2 * i] = __floats2half2_rn(v.x, v.y);
    o[2 * i + 1] = __floats2half2_rn(v.z, v.w);
}

extern "C" __global__ void float_to_int(const float* x, int* o, unsigned* u, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    o[i] = __float2int_rd(x[i]);
    u[i] = (unsigned)fabsf(truncf(x[i]));
}

extern "C" __global__ void grey_of_colour(const uchar4* x, unsigned char* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = x[i];
    o[i] = (p.x * 77 + p.y * 150 + p.z * 29 + 128) >> 8;
}
