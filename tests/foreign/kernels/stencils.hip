#include <hip/hip_runtime.h>

#define RADIUS 3

extern "C" __global__ void __launch_bounds__(128) stencil_1d(const float* x, float* o, int n) {
    __shared__ float tile[128 + 2 * RADIUS];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + RADIUS;
    tile[t] = i < n ? x[i] : 0.0f;
    if (threadIdx.x < RADIUS) {
        int left = i - RADIUS, right = i + 128;
        tile[t - RADIUS] = left >= 0 && left < n ? x[left] : 0.0f;
        tile[t + 128] = right < n ? x[right] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[t + k];
    if (i < n) o[i] = sum;
}

extern "C" __global__ void jacobi_2d(const float* x, float* o, int h, int w) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= h || column >= w) return;
    int at = row * w + column;
    if (row == 0 || column == 0 || row == h - 1 || column == w - 1) {
        o[at] = x[at];
        return;
    }
    o[at] = 0.25f * (x[at - w] + x[at + w] + x[at - 1] + x[at + 1]);
}

__constant__ float weights_3x3[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

extern "C" __global__ void blur_3x3(const float* x, float* o, int h, int w) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= h || column >= w) return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            int y = min(max(row + dy, 0), h - 1), z = min(max(column + dx, 0), w - 1);
            sum += weights_3x3[3 * (dy + 1) + dx + 1] * x[y * w + z];
        }
    o[row * w + column] = sum * 0.0625f;
}

extern "C" __global__ void conv_1d(const float* x, const float* f, float* o, int n, int taps) {
    extern __shared__ float filter[];
    for (int k = threadIdx.x; k < taps; k += blockDim.x) filter[k] = f[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + taps > n) return;
    float sum = 0.0f;
    for (int k = 0; k < taps; ++k) sum += filter[k] * x[i + k];
    o[i] = sum;
}

extern "C" __global__ void conv_2d(const float* x, const float* f, float* o, int c, int h, int w, int k, int r) {
    int q = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.y, to = blockIdx.z;
    int height = h - r + 1, width = w - r + 1;
    if (q >= width || p >= height || to >= k) return;
    float sum = 0.0f;
    for (int from = 0; from < c; ++from)
        for (int y = 0; y < r; ++y)
            for (int z = 0; z < r; ++z) sum += x[(from * h + p + y) * w + q + z] * f[((to * c + from) * r + y) * r + z];
    o[(to * height + p) * width + q] = sum;
}

extern "C" __global__ void image_to_columns(const float* x, float* o, int h, int w, int r, int pad) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int height = h + 2 * pad - r + 1, width = w + 2 * pad - r + 1;
    if (i >= height * width * r * r) return;
    int tap = i / (height * width), place = i % (height * width);
    int y = place / width + tap / r - pad, z = place % width + tap % r - pad;
    o[i] = y >= 0 && y < h && z >= 0 && z < w ? x[y * w + z] : 0.0f;
}

extern "C" __global__ void max_pool_2x2(const float* x, float* o, int h, int w) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= w / 2 || row >= h / 2) return;
    const float2 above = *reinterpret_cast<const float2*>(x + 2 * row * w + 2 * column);
    const float2 below = *reinterpret_cast<const float2*>(x + (2 * row + 1) * w + 2 * column);
    o[row * (w / 2) + column] = fmaxf(fmaxf(above.x, above.y), fmaxf(below.x, below.y));
}

extern "C" __global__ void upsample_bilinear(const float* x, float* o, int h, int w) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (column >= 2 * w || row >= 2 * h) return;
    float y = fmaxf(0.5f * row - 0.25f, 0.0f), z = fmaxf(0.5f * column - 0.25f, 0.0f);
    int top = (int)floorf(y), left = (int)floorf(z);
    int bottom = min(top + 1, h - 1), right = min(left + 1, w - 1);
    float down = y - top, along = z - left;
    float above = x[top * w + left] * (1.0f - along) + x[top * w + right] * along;
    float below = x[bottom * w + left] * (1.0f - along) + x[bottom * w + right] * along;
    o[row * 2 * w + column] = above * (1.0f - down) + below * down;
}
