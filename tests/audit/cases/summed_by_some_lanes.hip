// Sums across lanes of which some have what nothing wrote, added up by an atomic operation: of the others alone, or not
// (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void __launch_bounds__(256) name(const float* x, float* o) { \
    int t = threadIdx.x; \
    float v; \
    asm volatile("" : "=v"(v)); \
    if (t % 16 < 8) v = x[blockIdx.x * 256 + t]; \
    __VA_ARGS__ }
#define DOWN(k) v += __shfl_down(v, k);

//: proved
KERNEL(of_those_that_loaded, DOWN(4) DOWN(2) DOWN(1) if (t == 0) atomicAdd(o, v);)
//: proved
KERNEL(of_each_sixteen, DOWN(4) DOWN(2) DOWN(1) if (t % 16 == 0) atomicAdd(o + t / 16, v);)
// lane 1 adds what lane 8 has
//: defined refuted
KERNEL(of_one_too_many, DOWN(4) DOWN(2) DOWN(1) if (t == 1) atomicAdd(o, v);)
//: defined refuted
KERNEL(of_eight_too_many, DOWN(8) DOWN(4) DOWN(2) DOWN(1) if (t == 0) atomicAdd(o, v);)
//: defined refuted
KERNEL(by_every_eighth_lane, DOWN(4) DOWN(2) DOWN(1) if (t % 8 == 0) atomicAdd(o + t / 16, v);)
