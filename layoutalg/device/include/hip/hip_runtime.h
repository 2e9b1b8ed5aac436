// HIP as programs include it, so that they compile where no ROCm is: kernels whole, the host's side as declarations.
//
// A program written for hipcc, `#include <hip/hip_runtime.h>`, `main` and all, compiles for AMD targets with any clang;
// of the host's code nothing is compiled, but the kernels that it launches are instantiated by it.
//
// | file | holds |
// |---|---|
// | layoutalg_device.h | index triples, __global__ …, __launch_bounds__, __syncthreads |
// | hip/hip_common.h, hip/hip_version.h | the platform's macros, __constant__, __forceinline__ … |
// | hip/driver_types.h, hip/hip_runtime_api.h | hipMalloc, hipStream_t …: what the host calls |
// | hip/hip_vector_types.h | float4, int2, uchar4 …, make_float4 …, dim3 |
// | hip/hip_integer.h, hip/hip_conversions.h | __popc, __byte_perm …, __float2int_rn … |
// | hip/hip_lanes.h | warpSize, __shfl…, __ballot, fences |
// | hip/hip_atomics.h | atomicAdd … |
// | hip/hip_math.h | sqrtf, expf, fmaxf …; hip/hip_ocml.h those of AMD's device library |
// | hip/hip_control.h | clock64, abort, assert, printf |
// | hip/hip_refused.h | what no kernel here can have: textures, memory from the heap |
// | hip/hip_cooperative_groups.h, hipcub/hipcub.hpp, rocprim/rocprim.hpp | groups; block and wave primitives |
// | hip/hip_fp16.h, hip/hip_bf16.h, hip/hip_bfloat16.h, hip/hip_fp8.h | numbers of 16 and 8 bits |
// | hip/hip_complex.h, hip/library_types.h | complex numbers; the types that libraries are told |
//
// What it cannot represent: the names of hip/hip_refused.h, and what a kernel prints.
#pragma once

#include <hip/hip_common.h>
#include <hip/hip_version.h>

#include <float.h>
// Those of C that HIP's header brings along, where the build gives the C library's.
#if __has_include(<stdlib.h>)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#include <hip/hip_vector_types.h>

#include <hip/hip_runtime_api.h>

#include <hip/hip_integer.h>

#include <hip/hip_conversions.h>

#include <hip/hip_lanes.h>

#include <hip/hip_atomics.h>

#include <hip/hip_math.h>

#include <hip/hip_control.h>

#include <hip/hip_refused.h>

// A triple is a dim3 too.
#define LAYOUTALG_AS_DIM3(NAME) \
    __device__ __attribute__((always_inline)) inline layoutalg_##NAME##_t::operator dim3() const { return dim3(x, y, z); }
LAYOUTALG_AS_DIM3(threadIdx)
LAYOUTALG_AS_DIM3(blockIdx)
LAYOUTALG_AS_DIM3(blockDim)
LAYOUTALG_AS_DIM3(gridDim)

// Launches by name, which are `<<<>>>` (ROCm/clr, hipamd/include/hip/amd_detail/amd_hip_runtime.h).
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(NAME) NAME
#if defined(HIP_TEMPLATE_KERNEL_LAUNCH)
template <typename... Arguments, typename Kernel = void (*)(Arguments...)>
void hipLaunchKernelGGL(Kernel kernel, const dim3& grid, const dim3& block, uint32_t lds, hipStream_t stream,
                        Arguments... arguments) {
    kernel<<<grid, block, lds, stream>>>(arguments...);
}
#else
#define hipLaunchKernelGGLInternal(KERNEL, GRID, BLOCK, LDS, STREAM, ...) \
    do { KERNEL<<<(GRID), (BLOCK), (LDS), (STREAM)>>>(__VA_ARGS__); } while (0)
#define hipLaunchKernelGGL(KERNEL, ...) hipLaunchKernelGGLInternal((KERNEL), __VA_ARGS__)
#endif

// An object at a place that is there, which <new> has for the host alone.
__device__ inline void* operator new(size_t, void* place) noexcept { return place; }
__device__ inline void* operator new[](size_t, void* place) noexcept { return place; }
__device__ inline void operator delete(void*, void*) noexcept {}
__device__ inline void operator delete[](void*, void*) noexcept {}

// What HIP's headers have of their own in the place of <type_traits>.
namespace __hip_internal {
template <class A, class B>
struct is_same {
  static constexpr bool value = false;
};
template <class A>
struct is_same<A, A> {
  static constexpr bool value = true;
};
}  // namespace __hip_internal

// The C library's copies, on the device.
LAYOUTALG_HIP void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
LAYOUTALG_HIP void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }
