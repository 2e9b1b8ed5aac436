//@ the AMD branch is taken, before any include
#if !defined(__HIP_PLATFORM_AMD__) || !defined(__HIP_PLATFORM_HCC__) || defined(__HIP_PLATFORM_NVIDIA__)
#include <cuda_runtime.h>
#endif
#if !defined(__HIP__) || !defined(__HIPCC__) || !__HIP_DEVICE_COMPILE__ || defined(__CUDA_ARCH__) || defined(__NVCC__)
#error "not as hipcc"
#endif

//@ attributes, before any include
__constant__ float of_the_source[4];
static __host__ __device__ float twice_before(float x) { return 2 * x; }

//@ the version
#include <hip/hip_version.h>
#if HIP_VERSION < 60000000 || HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH != HIP_VERSION
#error "no version"
#endif

//@ the wave's size
#include <hip/hip_runtime.h>
#if __AMDGCN_WAVEFRONT_SIZE != __AMDGCN_WAVEFRONT_SIZE__
#error "two sizes"
#endif
extern "C" __global__ void wave_size(int* x) {
    __shared__ int of_each_wave[1024 / __AMDGCN_WAVEFRONT_SIZE];
    of_each_wave[threadIdx.x / warpSize] = 1;
    __syncthreads();
    x[threadIdx.x] = of_each_wave[0];
}

//@ what the device can do
#include <hip/hip_runtime.h>
#if !__HIP_ARCH_HAS_DOUBLES__ || !__HIP_ARCH_HAS_WARP_SHUFFLE__ || __HIP_ARCH_HAS_DYNAMIC_PARALLEL__
#error "not the table of HIP's porting guide"
#endif

//@ attributes
#include <hip/hip_runtime.h>
struct __align__(16) aligned { float x[3]; };
static_assert(sizeof(aligned) == 16 && alignof(aligned) == 16);
__device__ __noinline__ float apart(float x) { return x + 1; }
__device__ __forceinline__ float inside(const float* __restrict__ x) { return *x; }
__constant__ float coefficients[16];
__managed__ int managed;
__device__ int counter;
extern "C" __launch_bounds__(256, 2) __global__ void attributes(float* __restrict__ x) {
    x[threadIdx.x] = apart(inside(x)) + coefficients[threadIdx.x & 15] + managed + counter;
}

//@ names of the index triples
#include <hip/hip_runtime.h>
extern "C" __global__ void triples(unsigned* x) {
    dim3 block = blockDim, grid(gridDim);
    auto first = [](dim3 d) { return d.x + d.y * 2 + d.z * 3; };
    x[hipThreadIdx_x + hipBlockIdx_x * hipBlockDim_x] = block.x + grid.x + hipGridDim_x + first(threadIdx) + first(blockIdx);
    x[hipThreadIdx_y + hipBlockIdx_y * hipBlockDim_y] = hipGridDim_y + hipThreadIdx_z + hipBlockIdx_z + hipBlockDim_z;
}

//@ LDS of a size that the launch gives
#include <hip/hip_runtime.h>
extern "C" __global__ void dynamic_lds(float* x) {
    HIP_DYNAMIC_SHARED(float, tile)
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}

//@ placement new
#include <hip/hip_runtime.h>
#include <new>
struct Counter { int n; __device__ Counter(int n) : n(n) {} };
extern "C" __global__ void placement(int* x) {
    alignas(Counter) char room[sizeof(Counter)];
    x[threadIdx.x] = (new (room) Counter(x[threadIdx.x]))->n;
}
