#include <hip/hip_runtime.h>

extern "C" __global__ void max_pool_1d(const float* x, float* y, int length, int out, int kernel, int stride, int pad) {
    int o = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (o >= out) return;
    float most = -INFINITY;
    for (int k = 0; k < kernel; ++k) {
        int i = o * stride - pad + k;
        if (i >= 0 && i < length) most = fmaxf(most, x[row * length + i]);
    }
    y[row * out + o] = most;
}

extern "C" __global__ void max_pool_2d(const float* x, float* y, int height, int width, int out_height, int out_width) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= out_width || row >= out_height) return;
    const float* image = x + (size_t)blockIdx.z * height * width;
    float most = -INFINITY;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int r = 2 * row - 1 + i, c = 2 * column - 1 + j;
            if (r >= 0 && r < height && c >= 0 && c < width) most = fmaxf(most, image[r * width + c]);
        }
    y[((size_t)blockIdx.z * out_height + row) * out_width + column] = most;
}

extern "C" __global__ void average_pool_1d(const float* x, float* y, int length, int out) {
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o < out) {
        const float* row = x + blockIdx.y * length;
        float sum = 0.0f;
        for (int k = 0; k < 8; ++k) {
            int i = o + k - 4;
            if (i >= 0 && i < length) sum += row[i];
        }
        y[blockIdx.y * out + o] = sum / 8.0f;
    }
}

extern "C" __global__ void average_pool_2d(const float* x, float* y, int H, int W, int n) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    int OH = H / 3, OW = W / 3, column = at % OW, row = at / OW % OH, image = at / (OW * OH);
    const float* top = x + ((size_t)image * H + 3 * row) * W + 3 * column;
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += top[i * W + j];
    y[at] = sum / 9.0f;
}

extern "C" __global__ void conv_standard_1d(const float* x, const float* w, float* y, int channels, int length, int out,
                                            int filters) {
    int o = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y, b = blockIdx.z;
    if (o >= out) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; ++c)
        for (int k = 0; k < 3; ++k) sum += x[(b * channels + c) * length + o + k] * w[(f * channels + c) * 3 + k];
    y[(b * filters + f) * out + o] = sum;
}

extern "C" __global__ void conv_depthwise_2d(const float* x, const float* w, float* y, int channels, int H, int W) {
    __shared__ float taps[9];
    int t = threadIdx.y * blockDim.x + threadIdx.x, c = blockIdx.z % channels;
    if (t < 9) taps[t] = w[c * 9 + t];
    __syncthreads();
    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (column >= W - 2 || row >= H - 2) return;
    const float* image = x + (size_t)blockIdx.z * H * W;
    float sum = 0.0f;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += image[(row + i) * W + column + j] * taps[i * 3 + j];
    y[((size_t)blockIdx.z * (H - 2) + row) * (W - 2) + column] = sum;
}

extern "C" __global__ void conv_pointwise_2d(const float* x, const float* w, float* y, int channels, int filters,
                                             int pixels) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y, b = blockIdx.z;
    if (p >= pixels) return;
    float sum = 0.0f;
    for (int c = 0; c < channels; ++c) sum += w[f * channels + c] * x[((size_t)b * channels + c) * pixels + p];
    y[((size_t)b * filters + f) * pixels + p] = sum;
}

extern "C" __global__ void cumulative_sum(const float* x, float* y, int rows, int length) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < length; ++i) {
        sum += x[(size_t)row * length + i];
        y[(size_t)row * length + i] = sum;
    }
}

extern "C" __global__ void cumulative_sum_reverse(const float* x, float* y, int length) {
    __shared__ float scan[256];
    const float* in = x + (size_t)blockIdx.x * length;
    float carry = 0.0f;
    int t = threadIdx.x;
    for (int base = 0; base < length; base += 256) {
        int i = length - 1 - (base + t);
        scan[t] = i >= 0 ? in[i] : 0.0f;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            float v = t >= d ? scan[t - d] : 0.0f;
            __syncthreads();
            scan[t] += v;
            __syncthreads();
        }
        if (i >= 0) y[(size_t)blockIdx.x * length + i] = carry + scan[t];
        carry += scan[255];
        __syncthreads();
    }
}

extern "C" __global__ void masked_cumulative_sum(const float* x, const unsigned char* mask, float* y, int rows,
                                                 int length) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int i = 0; i < length; ++i) {
            if (mask[row * length + i]) sum += x[row * length + i];
            y[row * length + i] = sum;
        }
    }
}
