#include <hip/hip_runtime.h>

extern "C" __global__ void histogram_global(const unsigned char* x, unsigned* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i]], 1u);
}

extern "C" __global__ void histogram_lds(const unsigned char* x, unsigned* bins, int n) {
    __shared__ unsigned local[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) local[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[x[i]], 1u);
    __syncthreads();
    for (int k = threadIdx.x; k < 256; k += blockDim.x) atomicAdd(&bins[k], local[k]);
}

extern "C" __global__ void histogram_uchar4(const uchar4* x, unsigned* bins, int quads) {
    extern __shared__ unsigned counts[];
    for (int k = threadIdx.x; k < 64; k += blockDim.x) counts[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < quads) {
        uchar4 v = x[i];
        atomicAdd(&counts[v.x >> 2], 1u);
        atomicAdd(&counts[v.y >> 2], 1u);
        atomicAdd(&counts[v.z >> 2], 1u);
        atomicAdd(&counts[v.w >> 2], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        if (counts[k]) atomicAdd(&bins[k], counts[k]);
}

extern "C" __global__ void atomic_extremes(const int* x, int* low, unsigned* high, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(&low[i % 8], x[i]);
    atomicMax(&high[i % 8], (unsigned)x[i]);
}

extern "C" __global__ void atomic_bits(const unsigned* x, unsigned* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicOr(&o[0], x[i]);
    atomicAnd(&o[1], x[i]);
    atomicXor(&o[2], x[i]);
    atomicSub(&o[3], x[i]);
}

extern "C" __global__ void atomic_max_float(const float* x, float* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* address = (int*)o;
    int old = *address, assumed;
    do {
        assumed = old;
        old = atomicCAS(address, assumed, __float_as_int(fmaxf(x[i], __int_as_float(assumed))));
    } while (old != assumed);
}

extern "C" __global__ void atomic_sum_u64(const unsigned* x, unsigned long long* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(o, (unsigned long long)x[i] * x[i]);
}

extern "C" __global__ void last_block_sums(const int* x, int* partial, unsigned* ticket, int* o, int n) {
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sum, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        int total = 0;
        for (int k = 0; k < gridDim.x; ++k) total += partial[k];
        *o = total;
    }
}
