// Each thread sums a row; equations near to what it computes are not proved (own code).
#include <hip/hip_runtime.h>
#define ONCE _Pragma("clang loop vectorize(disable) unroll(disable)")
#define KERNEL(name, first, turn, last) \
  extern "C" __global__ void name(const float* x, const float* w, float* o, int m, int k) { \
    int i = blockIdx.x * 64 + threadIdx.x; \
    if (i < m) { float s = 0; first ONCE for (int j = 0; j < k; j++) turn o[i] = last; } }

//: proved with o[i] = (sum[j] x[i, j]) / f32(K)
//: computes refuted with o[i] = (sum[j < K - 1] x[i, j]) / f32(K)
//: slow
//: computes refuted with o[i] = (sum[j] x[i, j]) / f32(M)
//: computes refuted with o[i] = f32(K) / (sum[j] x[i, j])
//: computes refuted with o[i] = (sum[j] x[i, j]) / f32(K + 1)
//: computes refuted with o[i] = (sum[j] x[0, j]) / f32(K)
//: computes refuted with o[i] = (max[j] x[i, j]) / f32(K)
KERNEL(mean, , s += x[i * k + j];, s / k)

//: proved with o[i] = w[i] * rsq((sum[j] x[i, j] * x[i, j]) + 1.0)
//: computes refuted with o[i] = w[i] * rsq(sum[j] x[i, j] * x[i, j])
//: computes refuted with o[i] = w[i] * sqrt((sum[j] x[i, j] * x[i, j]) + 1.0)
//: computes refuted with o[i] = rsq((sum[j] x[i, j] * x[i, j]) + 1.0)
//: computes refuted with o[i] = w[i] * rsq((sum[j] x[i, j]) + 1.0)
//: computes refuted with o[i] = w[i] * rsq((sum[j] 2.0 * x[i, j] * x[i, j]) + 1.0)
KERNEL(norm, , s += x[i * k + j] * x[i * k + j];, w[i] * rsqrtf(s + 1.0f))

//: proved with o[i] = sum[j] abs(x[i, j] - w[i])
//: computes refuted with o[i] = sum[j] x[i, j] - w[i]
//: computes refuted with o[i] = sum[j] abs(x[i, j] + w[i])
//: computes refuted with o[i] = abs(sum[j] x[i, j] - w[i])
//: computes refuted with o[i] = sum[j < K] abs(x[i, K - 1] - w[i])
//: computes refuted with o[i] = sum[j < K - 1] abs(x[i, j] - w[i])
KERNEL(distance, , s += fabsf(x[i * k + j] - w[i]);, s)

//: proved with o[i] = sum[j] (x[i, j] - w[i]) * (x[i, j] - w[i])
//: computes refuted with o[i] = sum[j] (x[i, j] - w[i]) * (x[i, j] + w[i])
//: computes refuted with o[i] = sum[j] x[i, j] * x[i, j] - w[i] * w[i]
//: computes refuted with o[i] = sum[j] (x[i, j] - w[0]) * (x[i, j] - w[i])
KERNEL(square, , { float d = x[i * k + j] - w[i]; s += d * d; }, s)

//: proved with o[i] = sum[j] where(x[i, j] < 1.0, 0.5 * x[i, j] * x[i, j], x[i, j] - 0.5)
//: computes unknown with o[i] = sum[j] where(x[i, j] <= 1.0, 0.5 * x[i, j] * x[i, j], x[i, j] - 0.5)
//: computes refuted with o[i] = sum[j] where(x[i, j] < 1.0, x[i, j] - 0.5, 0.5 * x[i, j] * x[i, j])
//: computes refuted with o[i] = sum[j] where(x[i, 0] < 1.0, 0.5 * x[i, j] * x[i, j], x[i, j] - 0.5)
KERNEL(chosen, , { float v = x[i * k + j]; s += v < 1.0f ? 0.5f * v * v : v - 0.5f; }, s)

//: proved with o[i] = log2(sum[j] exp2(x[i, j] - max[l] x[i, l])) + max[l] x[i, l]
//: computes refuted with o[i] = log2(sum[j] exp2(x[i, j] - min[l] x[i, l])) + max[l] x[i, l]
//: computes refuted with o[i] = log2(sum[j] exp2(x[i, j] - max[l < K - 1] x[i, l])) + max[l] x[i, l]
//: computes refuted with o[i] = log2(sum[j] exp2(x[i, j] - max[l] x[i, l])) + max[l] x[0, l]
//: computes refuted with o[i] = log2(sum[j] exp2(x[i, j])) + max[l] x[i, l]
KERNEL(exponentials, float most = -__builtin_inff(); ONCE for (int l = 0; l < k; l++) most = fmaxf(most, x[i * k +
  l]);, s += exp2f(x[i * k + j] - most);, log2f(s) + most)

//: proved with o[i] = sum[j] sum[r < 3] where(r < M, x[i, j] * w[r], 0)
//: computes refuted with o[i] = sum[j] sum[r < 2] where(r < M, x[i, j] * w[r], 0)
//: computes refuted with o[i] = sum[j] sum[r < 4] where(r < M, x[i, j] * w[r], 0)
//: computes refuted with o[i] = sum[j] sum[r < 3] where(r < M, x[i, j] * w[0], 0)
//: computes refuted with o[i] = sum[r < 3] where(r < M, x[i, 0] * w[r], 0)
//: computes refuted with o[i] = sum[j < K - 1] sum[r < 3] where(r < M, x[i, j] * w[r], 0)
KERNEL(two_indices, , for (int r = 0; r < 3; r++) s += x[i * k + j] * w[r];, s)
