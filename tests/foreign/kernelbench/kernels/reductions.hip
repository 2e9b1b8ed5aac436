#include <hip/hip_runtime.h>

#define THREADS 256

__device__ inline float warp_sum(float v) {
    for (int delta = warpSize / 2; delta > 0; delta >>= 1) v += __shfl_down(v, delta);
    return v;
}

extern "C" __global__ void softmax(const float* x, float* y, int dim) {
    __shared__ float shared[THREADS];
    int tid = threadIdx.x;
    const float* in = x + (size_t)blockIdx.x * dim;
    float* out = y + (size_t)blockIdx.x * dim;
    float largest = -INFINITY;
    for (int i = tid; i < dim; i += THREADS) largest = fmaxf(largest, in[i]);
    shared[tid] = largest;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) shared[tid] = fmaxf(shared[tid], shared[tid + s]);
        __syncthreads();
    }
    largest = shared[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = tid; i < dim; i += THREADS) {
        float e = expf(in[i] - largest);
        out[i] = e;
        sum += e;
    }
    shared[tid] = sum;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) shared[tid] += shared[tid + s];
        __syncthreads();
    }
    float total = shared[0];
    for (int i = tid; i < dim; i += THREADS) out[i] /= total;
}

extern "C" __global__ void log_softmax(const float* x, float* y, int rows, int dim) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* in = x + (size_t)row * dim;
    float largest = in[0], sum = 0.0f;
    for (int i = 1; i < dim; ++i) largest = fmaxf(largest, in[i]);
    for (int i = 0; i < dim; ++i) sum += expf(in[i] - largest);
    float shift = largest + logf(sum);
    for (int i = 0; i < dim; ++i) y[(size_t)row * dim + i] = in[i] - shift;
}

extern "C" __global__ void rms_norm(const float* x, float* y, int features, int inner, float eps) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= inner) return;
    size_t base = (size_t)blockIdx.y * features * inner + at;
    float squares = 0.0f;
    for (int f = 0; f < features; ++f) {
        float v = x[base + (size_t)f * inner];
        squares += v * v;
    }
    float rms = sqrtf(squares / features + eps);
    for (int f = 0; f < features; ++f) y[base + (size_t)f * inner] = x[base + (size_t)f * inner] / rms;
}

extern "C" __global__ void squares_of_blocks(const float* x, float* sums, int n) {
    __shared__ float partial[THREADS];
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) sum += x[i] * x[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

extern "C" __global__ void divide_by_norm(const float* x, const float* square, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / sqrtf(square[0]);
}

extern "C" __global__ void l1_norm(const float* x, float* y, int dim) {
    __shared__ float of_wave[THREADS / 32];
    const float* in = x + (size_t)blockIdx.x * dim;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < dim; i += blockDim.x) sum += fabsf(in[i]);
    sum = warp_sum(sum);
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    if (lane == 0) of_wave[wave] = sum;
    __syncthreads();
    if (wave == 0) {
        sum = lane < (int)(blockDim.x / warpSize) ? of_wave[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0) of_wave[0] = sum;
    }
    __syncthreads();
    float mean = of_wave[0] / dim;
    for (int i = threadIdx.x; i < dim; i += blockDim.x) y[(size_t)blockIdx.x * dim + i] = in[i] / mean;
}

extern "C" __global__ void l2_norm(const float* x, float* y, int rows, int dim) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = 0; i < dim; ++i) sum += x[row * dim + i] * x[row * dim + i];
    float norm = sqrtf(sum);
    for (int i = 0; i < dim; ++i) y[row * dim + i] = x[row * dim + i] / norm;
}

extern "C" __global__ void layer_norm_of_rows(const float* x, const float* weight, const float* bias, float* y, int dim,
                                              float eps) {
    __shared__ float sums[THREADS], squares[THREADS];
    int tid = threadIdx.x;
    const float* in = x + (size_t)blockIdx.x * dim;
    float sum = 0.0f, square = 0.0f;
    for (int i = tid; i < dim; i += THREADS) {
        sum += in[i];
        square += in[i] * in[i];
    }
    sums[tid] = sum;
    squares[tid] = square;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sums[tid] += sums[tid + s];
            squares[tid] += squares[tid + s];
        }
        __syncthreads();
    }
    float mean = sums[0] / dim, scale = rsqrtf(squares[0] / dim - mean * mean + eps);
    for (int i = tid; i < dim; i += THREADS)
        y[(size_t)blockIdx.x * dim + i] = (in[i] - mean) * scale * weight[i] + bias[i];
}

extern "C" __global__ void sum_over_dim(const float* x, float* y, int dim1, int dim2) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= dim2) return;
    float sum = 0.0f;
    for (int i = 0; i < dim1; ++i) sum += x[(blockIdx.y * dim1 + i) * dim2 + j];
    y[blockIdx.y * dim2 + j] = sum;
}

extern "C" __global__ void mean_over_dim(const float* x, float* y, int outer, int dim1, int dim2) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= outer * dim2) return;
    int b = at / dim2, j = at % dim2;
    float sum = 0.0f;
    for (int i = 0; i < dim1; ++i) sum += x[b * dim1 * dim2 + i * dim2 + j];
    y[at] = sum / dim1;
}

extern "C" __global__ void max_over_dim(const float* x, float* y, int dim1, int dim2) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
    if (j < dim2) {
        const float* column = x + (size_t)b * dim1 * dim2 + j;
        float most = column[0];
        for (int i = 1; i < dim1; ++i) most = fmaxf(most, column[(size_t)i * dim2]);
        y[b * dim2 + j] = most;
    }
}

extern "C" __global__ void min_over_last_dim(const float* x, float* y, int dim) {
    __shared__ float least[THREADS];
    float v = INFINITY;
    for (int i = threadIdx.x; i < dim; i += THREADS) v = fminf(v, x[blockIdx.x * dim + i]);
    least[threadIdx.x] = v;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) least[threadIdx.x] = fminf(least[threadIdx.x], least[threadIdx.x + s]);
        __syncthreads();
    }
    if (!threadIdx.x) y[blockIdx.x] = least[0];
}

extern "C" __global__ void argmax_over_dim(const float* x, int* y, int dim1, int dim2) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= dim2) return;
    const float* column = x + blockIdx.y * dim1 * dim2 + j;
    float most = column[0];
    int place = 0;
    for (int i = 1; i < dim1; ++i) {
        if (column[i * dim2] > most) {
            most = column[i * dim2];
            place = i;
        }
    }
    y[blockIdx.y * dim2 + j] = place;
}

extern "C" __global__ void argmin_over_last_dim(const float* x, int* y, int dim) {
    __shared__ float values[THREADS];
    __shared__ int places[THREADS];
    int tid = threadIdx.x, place = 0;
    float least = INFINITY;
    for (int i = tid; i < dim; i += THREADS) {
        float v = x[blockIdx.x * dim + i];
        if (v < least) {
            least = v;
            place = i;
        }
    }
    values[tid] = least;
    places[tid] = place;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) {
            float v = values[tid + s];
            if (v < values[tid] || (v == values[tid] && places[tid + s] < places[tid])) {
                values[tid] = v;
                places[tid] = places[tid + s];
            }
        }
        __syncthreads();
    }
    if (tid == 0) y[blockIdx.x] = places[0];
}
