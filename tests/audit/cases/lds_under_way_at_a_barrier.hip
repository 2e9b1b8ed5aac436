// A store to LDS, or a read, is under way over a barrier: until a wait of its wave it is in each epoch (own code).
using lds = __attribute__((address_space(3))) int*;
#if defined(__GFX12__)
#define WAIT(n) asm volatile("s_wait_dscnt " #n ::: "memory");
#define MEET asm volatile("s_barrier_signal -1\ns_barrier_wait -1" ::: "memory");
#define WITHIN(wait) asm volatile("s_barrier_signal -1\n" wait "\ns_barrier_wait -1" ::: "memory");
#define FOR_ALL "s_wait_dscnt 0"
#else
#define WAIT(n) asm volatile("s_waitcnt lgkmcnt(" #n ")" ::: "memory");
#define MEET asm volatile("s_barrier" ::: "memory");
#define WITHIN(wait) asm volatile("s_barrier\n" wait ::: "memory");
#define FOR_ALL "s_waitcnt lgkmcnt(0)"
#endif
#define STORE(at, what) asm volatile("ds_store_b32 %0, %1" :: "v"((lds)(tile + (at))), "v"(what) : "memory");
#if !defined(__GFX12__)
#undef STORE
#define STORE(at, what) asm volatile("ds_write_b32 %0, %1" :: "v"((lds)(tile + (at))), "v"(what) : "memory");
#define READ(found, at) asm volatile("ds_read_b32 %0, %1" : "=&v"(found) : "v"((lds)(tile + (at))) : "memory");
#else
#define READ(found, at) asm volatile("ds_load_b32 %0, %1" : "=&v"(found) : "v"((lds)(tile + (at))) : "memory");
#endif
#define HAVE(found) asm volatile("" : "+v"(found));
#define KERNEL(name, ...) \
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(128, 128))) \
void name(const int* x, int* o) { \
  __attribute__((shared)) int tile[512]; \
  int t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(), v = x[b * 128 + t], w = 0, u = 0; \
  asm volatile("" : "+v"(v)); \
  __VA_ARGS__ \
  o[b * 128 + t] = w; }

//: proved with o[b, i] = x[b, 127 - i]
KERNEL(stored, STORE(t, v) MEET WAIT(0) MEET READ(w, 127 - t) WAIT(0) HAVE(w))
//: race_free refuted, initialised unknown
KERNEL(read_before_the_wait, STORE(t, v) MEET READ(w, 127 - t) WAIT(0) HAVE(w) MEET)
//: race_free refuted, initialised unknown
KERNEL(read_behind_the_wait, STORE(t, v) MEET WAIT(0) READ(w, 127 - t) WAIT(0) HAVE(w) MEET)
//: race_free refuted
KERNEL(overwritten, STORE(t, v) MEET STORE(127 - t, 0) WAIT(0) MEET READ(w, t) WAIT(0) HAVE(w))

// Two stores, of which the older one is waited for alone.
//: proved with o[b, i] = x[b, 127 - i]
KERNEL(two, STORE(t, v) STORE(t + 128, v) MEET WAIT(1) MEET READ(w, 127 - t) WAIT(0) HAVE(w))
//: race_free refuted, initialised unknown
KERNEL(one_too_few, STORE(t + 128, v) STORE(t, v) MEET WAIT(1) MEET READ(w, 127 - t) WAIT(0) HAVE(w))

// Over two barriers.
//: proved with o[b, i] = x[b, 127 - i]
KERNEL(over_two, STORE(t, v) MEET MEET WAIT(0) MEET READ(w, 127 - t) WAIT(0) HAVE(w))
//: race_free refuted, initialised unknown
KERNEL(over_two_too_soon, STORE(t, v) MEET MEET READ(w, 127 - t) WAIT(0) HAVE(w))

// A read, until its wait.
//: proved with o[b, i] = x[b, 127 - i]
KERNEL(read, STORE(t, v) WAIT(0) MEET READ(w, 127 - t) MEET WAIT(0) HAVE(w) MEET STORE(t, 0))
//: race_free refuted
KERNEL(overwritten_while_read, STORE(t, v) WAIT(0) MEET READ(w, 127 - t) MEET STORE(t, 0) WAIT(0) HAVE(w))

// Its own wave's accesses are in order, also over a barrier.
//: proved with o[b, i] = x[b, i ^ 1]
KERNEL(of_its_wave, STORE(t, v) MEET READ(w, t ^ 1) WAIT(0) HAVE(w))

// Between the two parts of a barrier a wait comes too late for waves that have passed it.
//: race_free refuted, initialised unknown
KERNEL(waited_within, STORE(t, v) WITHIN(FOR_ALL) READ(w, 127 - t) WAIT(0) HAVE(w))

// In turns: each turn's store is under way over the barrier at its end.
//: proved
KERNEL(turns, for (int k = 0; k < 4; ++k) {
  STORE(t + k % 2 * 128, v + k) MEET WAIT(0) MEET READ(u, 127 - t + k % 2 * 128) WAIT(0) HAVE(u) w += u; })
//: race_free refuted, initialised unknown
KERNEL(turns_too_soon, for (int k = 0; k < 4; ++k) {
  STORE(t + k % 2 * 128, v + k) MEET READ(u, 127 - t + k % 2 * 128) WAIT(0) HAVE(u) w += u; })
//: proved
KERNEL(many_turns, for (int k = 0; k < (b & 7); ++k) {
  STORE(t + k % 2 * 128, v + k) MEET WAIT(0) MEET READ(u, 127 - t + k % 2 * 128) WAIT(0) HAVE(u) w += u; })

// Waited for at the head of the next turn, and behind the loop.
//: proved
KERNEL(turns_over, for (int k = 0; k < 4; ++k) {
  WAIT(0) MEET if (k) { READ(u, 127 - t + (k + 1) % 2 * 128) WAIT(0) HAVE(u) w += u; }
  STORE(t + k % 2 * 128, v + k) MEET })
//: race_free refuted, initialised unknown
KERNEL(turns_over_too_soon, for (int k = 0; k < 4; ++k) {
  MEET if (k) { READ(u, 127 - t + (k + 1) % 2 * 128) WAIT(0) HAVE(u) w += u; }
  STORE(t + k % 2 * 128, v + k) MEET })

// One of two ways waits; and all store the same in one turn, not in the next one.
//: race_free refuted, initialised unknown
KERNEL(one_way, STORE(t, v) MEET if (b & 1) { WAIT(0) } MEET READ(w, 127 - t) WAIT(0) HAVE(w))
//: race_free refuted
KERNEL(same_values, for (int k = 0; k < 2; ++k) { STORE(t & 63, k) MEET } WAIT(0) MEET READ(w, t & 63) WAIT(0) HAVE(w))

// Ways that meet: on the one a read comes behind, so that a count of 1 is a wait for the store there alone.
//: proved
KERNEL(counted_on_both, STORE(t, v) READ(u, t) WAIT(1) MEET READ(w, 127 - t) WAIT(0) HAVE(u) HAVE(w))
//: race_free refuted, initialised unknown
KERNEL(counted_on_one, STORE(t, v) if (t < 5) { READ(u, t) } WAIT(1) MEET READ(w, 127 - t) WAIT(0) HAVE(u) HAVE(w))

// A wave that waits reads what another one stored, which did not.
//: proved
KERNEL(all_wait, int c = __builtin_amdgcn_readfirstlane(v); STORE(t, v) if (c > 4) { WAIT(0) } MEET WAIT(0) MEET
  if (c > 4) { READ(w, 127 - t) WAIT(0) HAVE(w) })
//: slow
//: race_free refuted, initialised unknown
KERNEL(some_wait, int c = __builtin_amdgcn_readfirstlane(v); STORE(t, v) if (c > 4) { WAIT(0) } MEET
  if (c > 4) { READ(w, 127 - t) WAIT(0) HAVE(w) } WAIT(0))
