// Functions of several instructions: proved where a kernel has a compiler's own, and never where it has another (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, written) \
  extern "C" __global__ void name(const float* x, const float* y, float* o, int n) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < n) { float a = x[i], b = y[i]; o[i] = written; } }

//: proved with o[i] = x[i] / y[i]
//: slow
//: computes refuted on gfx942 with o[i] = y[i] / x[i]
//: computes unknown on gfx942 with o[i] = x[i] / (y[i] + 0.0)
KERNEL(quotient, a / b)
//: proved with o[i] = sqrt(x[i])
//: computes refuted on gfx942 with o[i] = sqrt(y[i])
//: computes unknown on gfx942 with o[i] = 1.0 / rsq(x[i])
KERNEL(root, sqrtf(a))
//: proved with o[i] = sqrt(x[i])
KERNEL(root_by_instruction, __builtin_amdgcn_sqrtf(a))
//: proved with o[i] = 1.0 / (1.0 + exp(-x[i]))
KERNEL(logistic, 1.0f / (1.0f + expf(-a)))
//: proved with o[i] = exp(x[i] - y[i])
KERNEL(exponential_of_a_difference, expf(a - b))
//: proved with o[i] = log(x[i]) / 3.0
KERNEL(logarithm_by_three, logf(a) / 3.0f)
//: proved with o[i] = x[i] / (1.0 + exp2(y[i])) - y[i]
KERNEL(quotient_of_a_power, a / (1.0f + exp2f(b)) - b)
//: proved on gfx942 with o[i] = where(x[i] > y[i], x[i] / y[i], y[i] / x[i])
KERNEL(greater_by_less, a > b ? a / b : b / a)
//: computes unknown on gfx942 with o[i] = x[i] / y[i]
KERNEL(product_with_a_reciprocal, a * (1.0f / b))
//: computes unknown on gfx942 with o[i] = x[i] / y[i]
KERNEL(product_with_an_instructions_reciprocal, a * __builtin_amdgcn_rcpf(b))
//: computes refuted on gfx942 with o[i] = x[i] / y[i]
KERNEL(quotient_of_another_sign, -a / b)
//: computes unknown on gfx942 with o[i] = exp(x[i])
KERNEL(rough_exponential, __expf(a))
//: computes refuted on gfx942 with o[i] = exp2(x[i])
KERNEL(exponential, expf(a))
//: computes refuted on gfx942 with o[i] = exp(x[i])
KERNEL(power_of_two, exp2f(a))
//: computes refuted on gfx942 with o[i] = exp(x[i])
KERNEL(exponential_of_another_sign, expf(-a))
//: computes refuted on gfx942 with o[i] = 1.0 / (1.0 + exp(-x[i]))
KERNEL(logistic_of_another_sign, 1.0f / (1.0f + expf(a)))
//: computes refuted on gfx942 with o[i] = log2(x[i])
KERNEL(logarithm, logf(a))
//: computes unknown on gfx942 with o[i] = x[i] * x[i] / y[i]
KERNEL(quotient_in_double, (float)((double)a * a / b))
//: computes refuted on gfx942 with o[i] = x[i] / y[i]
KERNEL(quotient_but_of_one, i == 77 ? a : a / b)
