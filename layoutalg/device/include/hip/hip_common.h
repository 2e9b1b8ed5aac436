// What every header of HIP stands on: the platform's macros, the attributes of functions and variables, `threadIdx` …
//
// The macros are those that HIP's headers define for AMD (ROCm/clr, hipamd/include/hip/amd_detail/host_defines.h and
// amd_hip_runtime.h). `__HIP__`, `__HIPCC__` and `__HIP_DEVICE_COMPILE__` come from clang (clang/docs/HIPSupport.rst,
// "Predefined Macros"), `__HIP_PLATFORM_AMD__` from the command line, as from HIP's CMake target `hip::host`, so that a
// source may ask for it before its first include.
#pragma once

#if !defined(__AMDGCN__)
#error "hip/hip_runtime.h of layoutalg is for AMD targets: name one, such as gfx942"
#endif

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "layoutalg_device.h"

#define __forceinline__ inline __attribute__((always_inline))
#define __align__(BYTES) __attribute__((aligned(BYTES)))
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#define LAYOUTALG_HIP static inline __device__ __attribute__((always_inline))
#define LAYOUTALG_HIP_BOTH static inline __host__ __device__ constexpr __attribute__((always_inline))
// What is declared only to be refused, by name, where a kernel uses it.
#define LAYOUTALG_HIP_REFUSED(WHY) __attribute__((unavailable("layoutalg: " WHY)))

// Lanes of a wave. clang 22 has dropped both names (clang/docs/AMDGPUSupport.rst called them deprecated); which builtins
// it has still tells.
#if !defined(__AMDGCN_WAVEFRONT_SIZE__)
#if __has_builtin(__builtin_amdgcn_ballot_w32)
#define __AMDGCN_WAVEFRONT_SIZE__ 32
#else
#define __AMDGCN_WAVEFRONT_SIZE__ 64
#endif
#endif
#if !defined(__AMDGCN_WAVEFRONT_SIZE)
#define __AMDGCN_WAVEFRONT_SIZE __AMDGCN_WAVEFRONT_SIZE__
#endif

// What the device can do, as HIP's porting guide asks for it ("Table of Architecture Properties").
#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__ 1
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ 1
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__ 1
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ 1
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__ 1
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__ 1
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__ 1
#define __HIP_ARCH_HAS_DOUBLES__ 1
#define __HIP_ARCH_HAS_WARP_VOTE__ 1
#define __HIP_ARCH_HAS_WARP_BALLOT__ 1
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ 1
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ 0
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__ 1
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__ 0
#define __HIP_ARCH_HAS_SURFACE_FUNCS__ 0
#define __HIP_ARCH_HAS_3DGRID__ 1
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__ 0

// HIP's names of the index triples, and of LDS whose size the launch gives.
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define HIP_DYNAMIC_SHARED(TYPE, NAME) extern __shared__ TYPE NAME[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
