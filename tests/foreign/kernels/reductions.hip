#include <hip/hip_runtime.h>

extern "C" __global__ void __launch_bounds__(256) reduce_tree(const float* x, float* o, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) o[blockIdx.x] = partial[0];
}

extern "C" __global__ void reduce_interleaved(const int* x, int* o, int n) {
    extern __shared__ int shared_ints[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    shared_ints[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0) shared_ints[t] += shared_ints[t + step];
        __syncthreads();
    }
    if (t == 0) o[blockIdx.x] = shared_ints[0];
}

extern "C" __global__ void __launch_bounds__(256) reduce_shuffle(const float* x, float* o, int n) {
    __shared__ float of_wave[8];
    int t = threadIdx.x, lane = t % warpSize, wave = t / warpSize, i = blockIdx.x * 256 + t;
    float sum = i < n ? x[i] : 0.0f;
    for (int delta = warpSize / 2; delta > 0; delta /= 2) sum += __shfl_down(sum, delta);
    if (lane == 0) of_wave[wave] = sum;
    __syncthreads();
    if (wave == 0) {
        sum = lane < 256 / warpSize ? of_wave[lane] : 0.0f;
        for (int delta = 4; delta > 0; delta /= 2) sum += __shfl_down(sum, delta);
        if (lane == 0) o[blockIdx.x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(128) row_max(const float* x, float* o, int columns) {
    __shared__ float best[128];
    const float* row = x + (size_t)blockIdx.x * columns;
    float most = -INFINITY;
    for (int k = threadIdx.x; k < columns; k += 128) most = fmaxf(most, row[k]);
    best[threadIdx.x] = most;
    __syncthreads();
    for (int half = 64; half > 0; half >>= 1) {
        if (threadIdx.x < half) best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) o[blockIdx.x] = best[0];
}

extern "C" __global__ void column_sum(const float* x, float* o, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    float sum = 0.0f;
    for (int row = 0; row < rows; ++row) sum += x[row * columns + column];
    o[column] = sum;
}

extern "C" __global__ void __launch_bounds__(256) dot_f64(const double* a, const double* b, double* o, int n) {
    __shared__ double partial[256];
    double sum = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) sum += a[i] * b[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *o = partial[0];
}

extern "C" __global__ void sum_by_atomics(const int* x, int* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    atomicAdd(o, sum);
}

extern "C" __global__ void sum_float_atomics(const float* x, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(o + i % 4, x[i]);
}

extern "C" __global__ void __launch_bounds__(64) argmax(const float* x, int* o, int n) {
    __shared__ float values[64];
    __shared__ int places[64];
    const float* row = x + blockIdx.x * n;
    float best = -INFINITY;
    int place = 0;
    for (int k = threadIdx.x; k < n; k += 64)
        if (row[k] > best) best = row[k], place = k;
    values[threadIdx.x] = best;
    places[threadIdx.x] = place;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            float other = values[threadIdx.x + half];
            int there = places[threadIdx.x + half];
            if (other > values[threadIdx.x] || (other == values[threadIdx.x] && there < places[threadIdx.x])) {
                values[threadIdx.x] = other;
                places[threadIdx.x] = there;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) o[blockIdx.x] = places[0];
}

extern "C" __global__ void count_positive(const float* x, unsigned* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long votes = __ballot(i < n && x[i] > 0.0f);
    if (threadIdx.x % warpSize == 0) atomicAdd(o, (unsigned)__popcll(votes));
}

extern "C" __global__ void butterfly_max(const float* x, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float most = i < n ? x[i] : -FLT_MAX;
    for (int mask = 16; mask > 0; mask /= 2) most = fmaxf(most, __shfl_xor(most, mask, 32));
    if (i < n) o[i] = most;
}
