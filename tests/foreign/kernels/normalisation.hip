#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

__device__ inline float block_sum(float value, float* scratch) {
    int t = threadIdx.x;
    scratch[t] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) scratch[t] += scratch[t + half];
        __syncthreads();
    }
    float sum = scratch[0];
    __syncthreads();
    return sum;
}

__device__ inline float wave_max(float value) {
    for (int delta = warpSize / 2; delta > 0; delta /= 2) value = fmaxf(value, __shfl_xor(value, delta));
    return value;
}

__device__ inline float wave_sum(float value) {
    for (int delta = warpSize / 2; delta > 0; delta /= 2) value += __shfl_xor(value, delta);
    return value;
}

extern "C" __global__ void softmax_row(const float* x, float* o, int columns) {
    extern __shared__ float reduction[];
    const float* row = x + (size_t)blockIdx.x * columns;
    float most = -INFINITY;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) most = fmaxf(most, row[k]);
    reduction[threadIdx.x] = most;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) reduction[threadIdx.x] = fmaxf(reduction[threadIdx.x], reduction[threadIdx.x + half]);
        __syncthreads();
    }
    most = reduction[0];
    __syncthreads();
    float sum = 0.0f;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += expf(row[k] - most);
    sum = block_sum(sum, reduction);
    for (int k = threadIdx.x; k < columns; k += blockDim.x)
        o[(size_t)blockIdx.x * columns + k] = expf(row[k] - most) / sum;
}

extern "C" __global__ void softmax_wave(const float* x, float* o, int rows, int columns) {
    int row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    float most = -INFINITY, sum = 0.0f;
    for (int k = lane; k < columns; k += warpSize) most = fmaxf(most, x[row * columns + k]);
    most = wave_max(most);
    for (int k = lane; k < columns; k += warpSize) sum += __expf(x[row * columns + k] - most);
    sum = wave_sum(sum);
    for (int k = lane; k < columns; k += warpSize) o[row * columns + k] = __expf(x[row * columns + k] - most) / sum;
}

extern "C" __global__ void __launch_bounds__(256)
layer_norm(const float* x, const float* gain, const float* bias, float* o, int columns, float epsilon) {
    __shared__ float scratch[256];
    const float* row = x + blockIdx.x * columns;
    float sum = 0.0f, squares = 0.0f;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += row[k];
    float mean = block_sum(sum, scratch) / columns;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) squares += (row[k] - mean) * (row[k] - mean);
    float scale = rsqrtf(block_sum(squares, scratch) / columns + epsilon);
    for (int k = threadIdx.x; k < columns; k += blockDim.x)
        o[blockIdx.x * columns + k] = (row[k] - mean) * scale * gain[k] + bias[k];
}

extern "C" __global__ void rms_norm_f16(const __half* x, const __half* gain, __half* o, int columns, float epsilon) {
    int lane = threadIdx.x;
    const __half* row = x + blockIdx.x * columns;
    float squares = 0.0f;
    for (int k = lane; k < columns; k += warpSize) squares += __half2float(row[k]) * __half2float(row[k]);
    float scale = 1.0f / sqrtf(wave_sum(squares) / columns + epsilon);
    for (int k = lane; k < columns; k += warpSize)
        o[blockIdx.x * columns + k] = __float2half(__half2float(row[k]) * scale * __half2float(gain[k]));
}

extern "C" __global__ void log_sum_exp(const float* x, float* o, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float most = -INFINITY, sum = 0.0f;
    for (int k = 0; k < columns; ++k) {
        float v = x[row * columns + k];
        if (v > most) {
            sum *= expf(most - v);
            most = v;
        }
        sum += expf(v - most);
    }
    o[row] = most + logf(sum);
}
