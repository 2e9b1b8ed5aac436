// One device header for three kinds of machine: the same HIP source is compiled
//   for AMD GPUs     (clang -x hip):   thread numbers and the barrier are amdgcn builtins,
//   for NVIDIA GPUs  (clang -x cuda):  they are NVPTX builtins,
//   for the CPU      (clang++):        see layoutalg_cpu.h, a fiber for each thread.
// It needs no ROCm, no CUDA toolkit and no C++ library. It offers exactly what emitted kernels use: the four
// index triples, __global__, __device__, __shared__, __launch_bounds__ and __syncthreads().
#pragma once

#if defined(__AMDGCN__) || defined(__NVPTX__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
struct dim3;  // HIP's; a header that has it says what a triple is as one
#define LAYOUTALG_PROPERTY(FIELD, VALUE)                                        \
    __declspec(property(get = layoutalg_##FIELD)) unsigned FIELD;               \
    static inline __device__ __attribute__((always_inline)) unsigned layoutalg_##FIELD() { return VALUE; }
#define LAYOUTALG_TRIPLE(NAME, X, Y, Z)                                         \
    struct layoutalg_##NAME##_t {                                               \
        LAYOUTALG_PROPERTY(x, X) LAYOUTALG_PROPERTY(y, Y) LAYOUTALG_PROPERTY(z, Z) \
        __device__ operator dim3() const;                                       \
    };                                                                          \
    extern const __device__ layoutalg_##NAME##_t NAME;

#if defined(__AMDGCN__)

// Grid and block sizes are hidden kernel arguments (code object version 5, AMDGPUUsage "hidden_block_count_x",
// "hidden_group_size_x"): three 32-bit block counts at byte 0, three 16-bit group sizes at byte 12.
#define LAYOUTALG_HIDDEN(TYPE, BYTE) \
    (*(const __attribute__((address_space(4))) TYPE*)((const __attribute__((address_space(4))) char*)__builtin_amdgcn_implicitarg_ptr() + (BYTE)))
LAYOUTALG_TRIPLE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
LAYOUTALG_TRIPLE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
LAYOUTALG_TRIPLE(gridDim, LAYOUTALG_HIDDEN(unsigned, 0), LAYOUTALG_HIDDEN(unsigned, 4), LAYOUTALG_HIDDEN(unsigned, 8))
LAYOUTALG_TRIPLE(blockDim, LAYOUTALG_HIDDEN(unsigned short, 12), LAYOUTALG_HIDDEN(unsigned short, 14), LAYOUTALG_HIDDEN(unsigned short, 16))

// As HIP defines it: (threads) or (threads, least waves on an execution unit).
#define LAYOUTALG_BOUNDS_1(THREADS) __attribute__((amdgpu_flat_work_group_size(1, THREADS)))
#define LAYOUTALG_BOUNDS_2(THREADS, WAVES) LAYOUTALG_BOUNDS_1(THREADS) __attribute__((amdgpu_waves_per_eu(WAVES)))
#define LAYOUTALG_BOUNDS(_1, _2, CHOSEN, ...) CHOSEN
#define __launch_bounds__(...) LAYOUTALG_BOUNDS(__VA_ARGS__, LAYOUTALG_BOUNDS_2, LAYOUTALG_BOUNDS_1, 0)(__VA_ARGS__)

// The fences are HIP's own. LLVM may leave LDS writes under way at the barrier (it takes LDS operations as done in one
// order that all waves see); the wait makes them done, which is what the machine code is proved against.
static inline __device__ __attribute__((always_inline, convergent)) void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
#if defined(__GFX9__)
    __builtin_amdgcn_s_waitcnt(0xC07F);  // lgkmcnt(0), no wait for the other counters
#elif defined(__GFX11__)
    __builtin_amdgcn_s_waitcnt(0xFC07);
#endif
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#else  // NVIDIA

LAYOUTALG_TRIPLE(threadIdx, __nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z())
LAYOUTALG_TRIPLE(blockIdx, __nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z())
LAYOUTALG_TRIPLE(gridDim, __nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(), __nvvm_read_ptx_sreg_nctaid_z())
LAYOUTALG_TRIPLE(blockDim, __nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z())

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

// __syncthreads() is a builtin of clang here.

#endif

#else  // the CPU
#include "layoutalg_cpu.h"
#endif
