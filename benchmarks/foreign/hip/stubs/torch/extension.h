// What vLLM's device code takes of PyTorch's headers: the names of two types.
#pragma once
#include <algorithm>
#include <climits>
#include <cstdint>

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

namespace c10 {
using Half = __half;
using BFloat16 = __hip_bfloat16;
}  // namespace c10

using cudaStream_t = hipStream_t;  // as PyTorch's hipify writes it
#define TORCH_CHECK(...)
