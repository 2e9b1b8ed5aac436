#include <hip/hip_runtime.h>

extern "C" __global__ void gather(const float* x, const int* index, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = x[index[i]];
}

extern "C" __global__ void scatter(const float* x, const int* index, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[index[i]] = x[i];
}

extern "C" __global__ void scatter_add(const float* x, const int* index, float* o, int n, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * columns) atomicAdd(&o[index[i / columns] * columns + i % columns], x[i]);
}

extern "C" __global__ void embedding(const long long* tokens, const float4* table, float4* o, int width, int words) {
    long long token = tokens[blockIdx.x];
    for (int k = threadIdx.x; k < width; k += blockDim.x)
        o[blockIdx.x * width + k] = token >= 0 && token < words ? table[token * width + k] : make_float4(0, 0, 0, 0);
}

extern "C" __global__ void
sparse_matvec(const int* starts, const int* columns, const float* values, const float* x, float* y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

extern "C" __global__ void binary_search(const int* sorted, const int* keys, int* o, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < keys[i]) low = middle + 1;
        else high = middle;
    }
    o[i] = low;
}

extern "C" __global__ void compact(const int* x, int* o, unsigned* count, int n) {
    __shared__ unsigned places[64];
    int t = threadIdx.x, i = t;
    bool keep = i < n && x[i] > 0;
    places[t] = keep;
    __syncthreads();
    unsigned before = 0, all = 0;
    for (int k = 0; k < 64; ++k) {
        before += k < t ? places[k] : 0;
        all += places[k];
    }
    if (keep) o[before] = x[i];
    if (t == 0) *count = all;
}

extern "C" __global__ void bitonic_sort(int* x, int n) {
    __shared__ int keys[256];
    int t = threadIdx.x;
    keys[t] = t < n ? x[t] : INT_MAX;
    for (int size = 2; size <= 256; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            int other = t ^ step;
            if (other > t) {
                bool up = (t & size) == 0;
                int p = keys[t], q = keys[other];
                if ((p > q) == up) keys[t] = q, keys[other] = p;
            }
        }
    __syncthreads();
    if (t < n) x[t] = keys[t];
}

extern "C" __global__ void triangle(const float* x, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = 0;
    if (i >= n * (n + 1) / 2) return;
    while ((row + 1) * (row + 2) / 2 <= i) ++row;
    o[i] = x[row * n + i - row * (row + 1) / 2];
}

extern "C" __global__ void key_value_append(const float* k, float* cache, const int* lengths, int heads, int width, int most) {
    int sequence = blockIdx.x, head = blockIdx.y;
    int place = lengths[sequence];
    if (place >= most) return;
    for (int d = threadIdx.x; d < width; d += blockDim.x)
        cache[((sequence * (long)most + place) * heads + head) * width + d] = k[(sequence * heads + head) * width + d];
}
