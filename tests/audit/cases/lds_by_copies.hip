// Copies from memory to LDS, and who may read them: published faults of HipKittens' GEMMs in least form.
#include <hip/hip_runtime.h>
#include <stdint.h>
#define KERNEL(name) extern "C" __global__ __launch_bounds__(512) void name(const uint32_t* x, uint32_t* o)
#define BARRIER asm volatile("s_barrier" ::: "memory")
#define ARRIVED asm volatile("s_waitcnt vmcnt(0)" ::: "memory")
#define COPY __shared__ uint32_t tile[512]; uint32_t t = threadIdx.x, wave = __builtin_amdgcn_readfirstlane(t / 64); \
  const uint32_t* p = x + blockIdx.x * 512 + t; \
  uint32_t base = __builtin_amdgcn_readfirstlane((uint32_t)(uintptr_t)tile + wave * 256); \
  asm volatile("s_mov_b32 m0, %0\n\ts_nop 0\n\tglobal_load_lds_dword %1, off" :: "s"(base), "v"(p) : "memory")
#define READ READ_AT((t + 256) & 511)
#define READ_AT(at) uint32_t r, a = (uint32_t)(uintptr_t)tile + (at) * 4; \
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(a) : "memory")
#define STORE o[blockIdx.x * 512 + t] = r

//: proved
KERNEL(waited_for) { COPY; ARRIVED; BARRIER; READ; STORE; }

// HipKittens #40: a read was moved up, and no wait for the copy with it.

//: unproved
KERNEL(not_waited_for) { COPY; BARRIER; READ; ARRIVED; STORE; }

//: unproved
KERNEL(waited_for_behind_the_barrier) { COPY; BARRIER; ARRIVED; READ; STORE; }

// Half of the waves are a barrier ahead of the others (ping-pong), which makes good what comes before and behind.

//: proved
KERNEL(rounds) { COPY; if (wave >= 4) BARRIER; ARRIVED; BARRIER; BARRIER; READ; BARRIER; if (wave < 4) BARRIER; STORE; }

// One barrier left out of all waves: a low wave reads what a high wave's copy may still bring.

//: unproved
KERNEL(rounds_off_by_one) { COPY; if (wave >= 4) BARRIER; ARRIVED; BARRIER; READ; BARRIER; if (wave < 4) BARRIER; STORE; }

// A wave's own copy is in no order with what the wave reads, either, up to its wait.

//: proved with computes = ["o[i] = x[i]"]
KERNEL(own_waited_for) { COPY; ARRIVED; READ_AT(t); STORE; }

//: race_free refuted, initialised unknown
KERNEL(own_not_waited_for) { COPY; READ_AT(t); ARRIVED; STORE; }
