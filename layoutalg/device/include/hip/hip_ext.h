// Launches with events before and after (ROCm/HIP, include/hip/hip_ext.h).
#pragma once

#include <hip/hip_runtime.h>

template <typename... Arguments, typename Kernel = void (*)(Arguments...)>
void hipExtLaunchKernelGGL(Kernel kernel, const dim3& grid, const dim3& block, uint32_t lds, hipStream_t stream,
                           hipEvent_t start, hipEvent_t stop, uint32_t flags, Arguments... arguments);
