// Two tiles in turns: while one is read the other is on its way, over a barrier that does not wait for it (own code).
using lds_ptr = __attribute__((address_space(3))) void*;
using global_ptr = __attribute__((address_space(1))) void*;
#define BRING(k, to) __builtin_amdgcn_global_load_lds((global_ptr)(in + (k) * 256 + t), (lds_ptr)(to), 4, 0, 0);
#define WAIT(n) asm volatile("s_waitcnt vmcnt(" #n ")" ::: "memory");
#define MEET asm volatile("s_waitcnt lgkmcnt(0)\ns_barrier" ::: "memory");
#define READ(found, at) asm volatile("ds_read_b32 %0, %1\ns_waitcnt lgkmcnt(0)" : "=v"(found) : "v"(at) : "memory");
#define KERNEL(name, first, second, third) \
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(256, 256))) \
void name(const unsigned* in, unsigned* out) { \
  __attribute__((shared)) unsigned tile[512]; \
  unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \
  unsigned wave = __builtin_amdgcn_readfirstlane(t / 64), sum = 0, found; in += b * 1024; out += b * 256; \
  BRING(0, tile + wave * 64) BRING(1, tile + 256 + wave * 64) \
  first MEET READ(found, 4 * (255 - t)) sum = found; \
  MEET BRING(2, tile + wave * 64) \
  second MEET READ(found, 4 * (511 - t)) sum += found; \
  third MEET READ(found, 4 * (255 - t)) sum += found; \
  out[t] = sum; \
  if (t == 999) tile[t] = 0; }

//: proved with o[b, i] = x[b, 0, 255 - i] + x[b, 1, 255 - i] + x[b, 2, 255 - i]
KERNEL(turns, WAIT(1), WAIT(1), WAIT(0))
//: slow
//: race_free refuted, initialised unknown
KERNEL(early, WAIT(1), WAIT(2), WAIT(0))
//: followed unknown, runs refuted
KERNEL(never, WAIT(1), WAIT(1), WAIT(1))
//: race_free refuted, initialised unknown
KERNEL(first_late, WAIT(2), WAIT(1), WAIT(0))
