// Brain floats: clang's __bf16. A conversion from float rounds to nearest even.
#pragma once

#include <hip/hip_runtime.h>

typedef __bf16 hip_bfloat16;
typedef __bf16 __hip_bfloat16;

LAYOUTALG_HIP __hip_bfloat16 __float2bfloat16(float x) { return (__hip_bfloat16)x; }
LAYOUTALG_HIP float __bfloat162float(__hip_bfloat16 x) { return (float)x; }
