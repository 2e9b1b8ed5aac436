// Reads of LDS whose value a choice drops, where nothing was stored; and where it is none (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(256) name(const float* x, float* o) { \
    __shared__ float s[32]; \
    int t = threadIdx.x; \
    if (t % 32 == 0) s[t / 32] = x[blockIdx.x * 256 + t]; \
    __syncthreads(); \
    float w = s[t % 32], v = 0; \
    __VA_ARGS__ \
    for (int m = 16; m > 0; m >>= 1) v += __shfl_xor(v, m); \
    if (t == 0) o[blockIdx.x] = v; }

//: proved
KERNEL(of_the_waves, v = t < 8 ? w : 0;)
//: proved
KERNEL(as_floats_say, v = t < blockDim.x / 32.f ? w : 0;)
//: initialised unknown, runs refuted
KERNEL(one_too_far, v = t < 9 ? w : 0;)
//: initialised unknown, runs refuted
KERNEL(as_floats_say_too_far, v = t < blockDim.x / 31.f ? w : 0;)
// lane 0 takes what lane 8 has, which drops it itself
//: initialised unknown, runs refuted
KERNEL(taken_by_another_lane, float u = __shfl_xor(w, 8); v = t < 8 ? w + u : 0;)
// a lane's own choice is not the one of the lane that it takes it from
//: initialised unknown, runs refuted
KERNEL(chosen_by_another_lane, float u = __shfl_xor(w, 8); v = t >= 8 && t < 16 ? 0 : u;)
// by what it is loaded another word is looked up, for nothing too
//: initialised unknown, runs refuted
KERNEL(where_to_look, float u = t < 8 ? w : x[blockIdx.x * 256 + (int(w) & 255)]; v = t < 8 ? w + u : 0;)
