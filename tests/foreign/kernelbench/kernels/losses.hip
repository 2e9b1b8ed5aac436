#include <hip/hip_runtime.h>

__device__ inline float block_total(float v, float* scratch) {
    scratch[threadIdx.x] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) scratch[threadIdx.x] += scratch[threadIdx.x + s];
        __syncthreads();
    }
    return scratch[0];
}

extern "C" __global__ void __launch_bounds__(256)
mean_squared_error(const float* p, const float* t, float* loss, int n) {
    __shared__ float scratch[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) {
        float d = p[i] - t[i];
        sum += d * d;
    }
    sum = block_total(sum, scratch);
    if (threadIdx.x == 0) loss[0] = sum / n;
}

extern "C" __global__ void cross_entropy(const float* logits, const int* target, float* loss, int batch, int classes) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    const float* row = logits + (size_t)b * classes;
    float most = row[0], sum = 0.0f;
    for (int c = 1; c < classes; ++c) most = fmaxf(most, row[c]);
    for (int c = 0; c < classes; ++c) sum += expf(row[c] - most);
    loss[b] = logf(sum) + most - row[target[b]];
}

extern "C" __global__ void huber_loss(const float* p, const float* t, float* sums, int n) {
    __shared__ float scratch[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float v = 0.0f;
    if (i < n) {
        float d = fabsf(p[i] - t[i]);
        v = d < 1.0f ? 0.5f * d * d : d - 0.5f;
    }
    v = block_total(v, scratch);
    if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

extern "C" __global__ void cosine_similarity_loss(const float* p, const float* t, float* loss, int dim) {
    __shared__ float a[128], b[128], c[128];
    float ab = 0.0f, aa = 0.0f, bb = 0.0f;
    for (int i = threadIdx.x; i < dim; i += 128) {
        float u = p[(size_t)blockIdx.x * dim + i], v = t[(size_t)blockIdx.x * dim + i];
        ab += u * v;
        aa += u * u;
        bb += v * v;
    }
    ab = block_total(ab, a);
    aa = block_total(aa, b);
    bb = block_total(bb, c);
    if (threadIdx.x == 0) loss[blockIdx.x] = 1.0f - ab / fmaxf(sqrtf(aa) * sqrtf(bb), 1e-8f);
}

extern "C" __global__ void triplet_margin_loss(const float* anchor, const float* positive, const float* negative,
                                               float* loss, int batch, int dim, float margin) {
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    float near = 0.0f, far = 0.0f;
    for (int i = 0; i < dim; ++i) {
        float a = anchor[b * dim + i], p = a - positive[b * dim + i], n = a - negative[b * dim + i];
        near += p * p;
        far += n * n;
    }
    loss[b] = fmaxf(sqrtf(near) - sqrtf(far) + margin, 0.0f);
}

extern "C" __global__ void hinge_loss(const float* p, const float* t, float* losses, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * columns) losses[i] = fmaxf(1.0f - p[i] * t[i % columns], 0.0f);
}
