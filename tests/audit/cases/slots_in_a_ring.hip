// LDS whose slot is counted up and wraps, as compilers of pipelined loops do it, and each small mistake.
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o, int n) { \
    __shared__ int s[768]; int t = threadIdx.x, a = 0, w = 0, r = 0; __VA_ARGS__ o[t] = a; }
#define NEXT(c, slots) c = c + 1 < slots ? c + 1 : 0;
#define TURNS _Pragma("unroll 1") for (int i = 0; i < n; ++i)
#define STORE(c) s[c * 256 + t] = x[i * 256 + t];
#define READ(c) a += s[c * 256 + (t ^ 64)];

//: proved
KERNEL(one_counter, TURNS { STORE(w) __syncthreads(); READ(w) NEXT(w, 3) })
//: proved
KERNEL(read_behind, TURNS { STORE(w) __syncthreads(); READ(r) NEXT(w, 3) NEXT(r, 3) })
//: proved
KERNEL(downwards, w = 2; TURNS { STORE(w) __syncthreads(); READ(w) w = w > 0 ? w - 1 : 2; })
//: proved
KERNEL(in_twos, TURNS { s[w * 128 + (t & 127)] = i; __syncthreads(); a += s[w * 128 + (t & 127 ^ 64)]; w = w < 4 ? w + 2 : 0; })
//: race_free refuted
KERNEL(one_slot, TURNS { STORE(w) __syncthreads(); READ(w) NEXT(w, 1) })
//: lds_in_bounds refuted
KERNEL(a_slot_more, TURNS { STORE(w) __syncthreads(); READ(w) NEXT(w, 4) })
//: proved
KERNEL(a_stage_before, s[t] = x[t]; w = 1; __syncthreads(); TURNS { STORE(w) READ(r) __syncthreads(); NEXT(w, 3) NEXT(r, 3) })
//: race_free refuted, initialised unknown
KERNEL(read_ahead, r = 1; TURNS { STORE(w) __syncthreads(); READ(r) NEXT(w, 3) NEXT(r, 3) })
//: race_free refuted
KERNEL(rings_of_two_lengths, TURNS { STORE(w) __syncthreads(); READ(r) NEXT(w, 3) NEXT(r, 2) })
//: race_free refuted, initialised unknown
KERNEL(no_barrier, TURNS { STORE(w) READ(w) NEXT(w, 3) })
