#include <hip/hip_runtime.h>

extern "C" __global__ void count_bits(const unsigned* x, int* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = __popc(x[i]) + 64 * __clz(x[i]) + 4096 * __ffs(x[i]);
}

extern "C" __global__ void reverse_bits(const unsigned* x, unsigned* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = __brev(x[i]) ^ (x[i] << 7 | x[i] >> 25);
}

extern "C" __global__ void hash_words(const unsigned* x, unsigned* o, unsigned seed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = x[i] ^ seed;
    v ^= v >> 16;
    v *= 0x85ebca6bu;
    v ^= v >> 13;
    v *= 0xc2b2ae35u;
    o[i] = v ^ v >> 16;
}

extern "C" __global__ void xorshift(unsigned long long* state, float* o, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long s = state[i];
    for (int k = 0; k < rounds; ++k) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
    }
    state[i] = s;
    o[i] = (unsigned)(s >> 40) * 0x1p-24f;
}

__device__ inline unsigned spread(unsigned v) {
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

extern "C" __global__ void morton(const ushort2* x, unsigned* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = spread(x[i].x) | spread(x[i].y) << 1;
}

extern "C" __global__ void divide_integers(const int* a, const int* b, int* quotient, int* remainder, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
}

extern "C" __global__ void multiply_high(const unsigned* a, const unsigned* b, unsigned* o, int* s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    o[i] = __umulhi(a[i], b[i]);
    s[i] = __mulhi((int)a[i], (int)b[i]);
}

extern "C" __global__ void arithmetic_64(const long long* a, const long long* b, long long* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = a[i] * b[i] + (a[i] >> 5) - (b[i] ^ a[i]);
}

extern "C" __global__ void checksum(const unsigned char* x, unsigned* o, int rows, int length) {
    __shared__ unsigned table[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned v = k;
        for (int j = 0; j < 8; ++j) v = v & 1 ? v >> 1 ^ 0xedb88320u : v >> 1;
        table[k] = v;
    }
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    unsigned sum = ~0u;
    for (int k = 0; k < length; ++k) sum = table[(sum ^ x[row * length + k]) & 255] ^ sum >> 8;
    o[row] = ~sum;
}

extern "C" __global__ void collatz(const unsigned* x, int* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned v = x[i];
    int steps = 0;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        ++steps;
    }
    o[i] = steps;
}

extern "C" __global__ void pack_votes(const float* x, unsigned long long* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long votes = __ballot(i < n && x[i] < 0.0f);
    if (warpSize == 32 && i % 64 == 32) votes <<= 32;
    if (i % warpSize == 0 && i < n) atomicOr(&o[i / 64], votes);
}
