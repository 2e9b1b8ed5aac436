// The part of HIP's device side that plain kernels use, so that they compile where no ROCm is.
//
// A kernel written for hipcc, `#include <hip/hip_runtime.h>` and all, compiles for AMD targets with any clang.
//
// | file | holds |
// |---|---|
// | layoutalg_device.h | index triples, __global__ …, __launch_bounds__, __syncthreads |
// | hip/hip_vector_types.h | float4, int2, uchar4 …, make_float4 …, dim3 |
// | hip/hip_lanes.h | warpSize, __shfl…, __ballot, bit counts, fences |
// | hip/hip_atomics.h | atomicAdd … |
// | hip/hip_math.h | sqrtf, expf, fmaxf … |
// | hip/hip_fp16.h, hip/hip_bfloat16.h | __half, __hip_bfloat16 |
// | hip/hip_runtime_api.h, hip/hip_version.h | what headers such as CK's name of the host's side |
//
// What it cannot represent: programs of the host (its calls are declared, no more), printf, textures, and each function
// of AMD's device library that is not one of a few instructions (tanhf, sinf, powf …): those are declared, so a kernel
// that calls one does not link, and the linker names it.
#pragma once

#if !defined(__AMDGCN__)
#error "hip/hip_runtime.h of layoutalg is for AMD targets: name one, such as gfx942"
#endif

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "layoutalg_device.h"

#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define LAYOUTALG_HIP static inline __device__ __attribute__((always_inline))
#define LAYOUTALG_HIP_BOTH static inline __host__ __device__ constexpr __attribute__((always_inline))

#include <hip/hip_version.h>

#include <hip/hip_runtime_api.h>

#include <hip/hip_vector_types.h>

#include <hip/hip_lanes.h>

#include <hip/hip_atomics.h>

#include <hip/hip_math.h>

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

// A launch from the host, `kernel<<<grid, block>>>(...)`, is read as calls of these.
extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = nullptr);
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);

// The C library's copies, on the device.
LAYOUTALG_HIP void* memcpy(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }
LAYOUTALG_HIP void* memset(void* to, int value, size_t bytes) { return __builtin_memset(to, value, bytes); }

// What a kernel prints goes nowhere here: one that does is not linked. A claim that fails stops the wave.
__device__ int printf(const char*, ...);
#if !defined(assert)
#if defined(NDEBUG)
#define assert(claim) ((void)0)
#else
#define assert(claim) ((claim) ? (void)0 : __builtin_trap())
#endif
#endif
