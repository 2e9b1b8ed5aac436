// A scalar load, and a store to what it loads.
#include <hip/hip_runtime.h>
#define KERNEL(NAME) extern "C" __global__ void __launch_bounds__(64) NAME(int* head, int* o)
#define HERE int b = blockIdx.x, h; if (threadIdx.x) return
#define LOAD asm volatile("s_load_b32 %0, %1, 0x0" : "=&s"(h) : "s"(head + b) : "memory")
#if !__GFX11__
#undef LOAD
#define LOAD asm volatile("s_load_dword %0, %1, 0x0" : "=&s"(h) : "s"(head + b) : "memory")
#endif
#define WAIT asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" : "+s"(h) :: "memory")

//: proved with o[i] = head[i]
KERNEL(by_a_compiler) { HERE; h = head[b]; head[b] = 5; o[b] = h; }

//: proved with o[i] = head[i]
KERNEL(waited_for) { HERE; LOAD; WAIT; head[b] = 5; o[b] = h; }

//: race_free unknown, computes unknown with o[i] = head[i]
KERNEL(waited_for_behind_the_store) { HERE; LOAD; head[b] = 5; WAIT; o[b] = h; }

//: race_free unknown
KERNEL(waited_for_on_one_way) { HERE; LOAD; if (b & 1) WAIT; head[b] = 5; WAIT; o[b] = h; }

//: race_free unknown
KERNEL(before_an_atomic) { HERE; LOAD; atomicAdd(&head[b], 5); WAIT; o[b] = h; }
