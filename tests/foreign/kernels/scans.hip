#include <hip/hip_runtime.h>

extern "C" __global__ void __launch_bounds__(256) scan_hillis_steele(const int* x, int* o, int n) {
    __shared__ int buffer[2][256];
    int t = threadIdx.x, from = 0;
    buffer[0][t] = t < n ? x[t] : 0;
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (t < n) o[t] = buffer[from][t];
}

extern "C" __global__ void __launch_bounds__(128) scan_blelloch(const int* x, int* o, int n) {
    __shared__ int tree[256];
    int t = threadIdx.x;
    tree[2 * t] = 2 * t < n ? x[2 * t] : 0;
    tree[2 * t + 1] = 2 * t + 1 < n ? x[2 * t + 1] : 0;
    int step = 1;
    for (int active = 128; active > 0; active /= 2, step *= 2) {
        __syncthreads();
        if (t < active) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) tree[255] = 0;
    for (int active = 1; active < 256; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
            int old = tree[left];
            tree[left] = tree[right];
            tree[right] += old;
        }
    }
    __syncthreads();
    if (2 * t < n) o[2 * t] = tree[2 * t];
    if (2 * t + 1 < n) o[2 * t + 1] = tree[2 * t + 1];
}

extern "C" __global__ void scan_wave(const int* x, int* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int sum = i < n ? x[i] : 0;
    for (int delta = 1; delta < 32; delta *= 2) {
        int other = __shfl_up(sum, delta, 32);
        if (lane >= delta) sum += other;
    }
    if (i < n) o[i] = sum;
}

extern "C" __global__ void __launch_bounds__(256) scan_blocks(const float* x, float* o, float* sums, int n) {
    __shared__ float tile[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    tile[t] = i < n ? x[i] : 0.0f;
    for (int step = 1; step < 256; step <<= 1) {
        __syncthreads();
        float other = t >= step ? tile[t - step] : 0.0f;
        __syncthreads();
        tile[t] += other;
    }
    if (i < n) o[i] = tile[t];
    if (t == 255) sums[blockIdx.x] = tile[t];
}

extern "C" __global__ void add_offsets(float* o, const float* sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || blockIdx.x == 0) return;
    float before = 0.0f;
    for (int k = 0; k < blockIdx.x; ++k) before += sums[k];
    o[i] += before;
}
