// A product whose tiles are loaded two turns ahead: registers hold one, LDS another, and what the matrix core takes of
// LDS is read a turn before (own code). A is 32 x K of each block of two waves, B 16 x K, by rows; a turn is 16 of K.
typedef _Float16 h2 __attribute__((ext_vector_type(2)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
#define BARRIER __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#define LOAD(turn) next_a = *(const h4*)(a + (32 * g + t / 4) * K + 16 * (turn) + t % 4 * 4); \
  next_b = *(const h2*)(b + (16 * g + t / 8) * K + 16 * (turn) + t % 8 * 2)
#define HAND_ON left[t] = next_a; right[t] = next_b
#define READ one = left[(16 * w + l % 16) * 4 + l / 16]; other = ((h4*)right)[l % 16 * 4 + l / 16]
#define MULTIPLY sum = __builtin_amdgcn_mfma_f32_16x16x16f16(LEFT, RIGHT, sum, 0, 0, 0)
#define KERNEL(name, from, ahead, between, element) \
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(128, 128))) \
void name(const _Float16* a, const _Float16* b, float* c, int n) { \
  __attribute__((shared)) h4 left[128]; __attribute__((shared)) h2 right[128]; \
  unsigned t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x(), w = t / 64, l = t % 64; \
  unsigned long K = 16ul * n; \
  h4 next_a, one, other; h2 next_b; f4 sum = {0, 0, 0, 0}; \
  LOAD(0); HAND_ON; LOAD(1); BARRIER; READ; \
  for (int i = from; i + 2 < n; ++i) { between; HAND_ON; LOAD(i + ahead); MULTIPLY; BARRIER; READ; } \
  BARRIER; HAND_ON; MULTIPLY; BARRIER; READ; MULTIPLY; \
  for (int e = 0; e < 4; ++e) c[(32 * g + 16 * w + 4 * (l / 16) + e) * 16 + l % 16] = sum[element]; }
#define LEFT one
#define RIGHT other
//: proved with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, j, k])
//: slow
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, i % 16, k])
KERNEL(product, 0, 2, BARRIER, e)
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, j, k])
KERNEL(a_turn_too_few, 1, 2, BARRIER, e)
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, j, k])
KERNEL(one_tile_twice, 0, 1, BARRIER, e)
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, j, k])
KERNEL(two_elements_changed_over, 0, 2, BARRIER, e ^ 1)
//: race_free refuted, computes unknown with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, j, k])
KERNEL(no_barrier_before_the_next, 0, 2, , e)
#undef LEFT
#undef RIGHT
#define LEFT other
#define RIGHT one
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, i, k]) * f32(b[g, j, k])
KERNEL(operands_changed_over, 0, 2, BARRIER, e)
