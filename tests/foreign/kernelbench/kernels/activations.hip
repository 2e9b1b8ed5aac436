#include <hip/hip_runtime.h>

extern "C" __global__ void matrix_scalar(const float* a, float s, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] * s;
}

extern "C" __global__ void relu(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fmaxf(x[i], 0.0f);
}

extern "C" __global__ void relu_float4(const float4* __restrict__ x, float4* __restrict__ y, int quads) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        float4 v = x[i];
        y[i] = make_float4(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), fmaxf(v.w, 0.0f));
    }
}

extern "C" __global__ void leaky_relu(const float* x, float* y, float slope, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float v = x[i];
        y[i] = v > 0.0f ? v : slope * v;
    }
}

extern "C" __global__ void sigmoid(const float* x, float* y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.0f / (1.0f + expf(-x[i]));
}

extern "C" __global__ void tanh_by_exp(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float e = expf(2.0f * x[i]);
    y[i] = (e - 1.0f) / (e + 1.0f);
}

extern "C" __global__ void swish(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.0f + __expf(-x[i]));
}

extern "C" __global__ void selu(const float* x, float* y, int n) {
    const float alpha = 1.6732632423543772f, scale = 1.0507009873554805f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        y[i] = scale * (v > 0.0f ? v : alpha * (expf(v) - 1.0f));
    }
}

extern "C" __global__ void hard_sigmoid(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f;
}

extern "C" __global__ void softplus(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] > 20.0f ? x[i] : logf(1.0f + expf(x[i]));
}

extern "C" __global__ void softsign(const float* x, float* y, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        float v = x[row * columns + column];
        y[row * columns + column] = v / (1.0f + fabsf(v));
    }
}

extern "C" __global__ void elu(const float* x, float* y, float alpha, int n) {
    int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        float v = x[i];
        y[i] = v > 0.0f ? v : alpha * (expf(v) - 1.0f);
        i += stride;
    }
}

extern "C" __global__ void hard_tanh(const float* x, float* y, int n) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        float4 v = *reinterpret_cast<const float4*>(x + i);
        v.x = fminf(fmaxf(v.x, -1.0f), 1.0f);
        v.y = fminf(fmaxf(v.y, -1.0f), 1.0f);
        v.z = fminf(fmaxf(v.z, -1.0f), 1.0f);
        v.w = fminf(fmaxf(v.w, -1.0f), 1.0f);
        *reinterpret_cast<float4*>(y + i) = v;
    } else {
        for (int k = i; k < n; ++k) y[k] = fminf(fmaxf(x[k], -1.0f), 1.0f);
    }
}

extern "C" __global__ void new_gelu(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], inner = 0.7978845608028654f * (v + 0.044715f * v * v * v);
    y[i] = v - v / (1.0f + expf(2.0f * inner));
}
