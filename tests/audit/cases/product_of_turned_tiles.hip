// A product whose operands LDS has turned round: loads that transpose, the matrix core, and the sum over k (own code).
// Both operands lie as K x 16 in memory; a lane wants eight k of one column, and gets four of a load.
typedef short h4 __attribute__((ext_vector_type(4)));
typedef short h8 __attribute__((ext_vector_type(8)));
typedef _Float16 f8 __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
using row = __attribute__((address_space(3))) h4*;
static __attribute__((device)) inline f8 operand(h4* tile, unsigned t, unsigned turned) {
  unsigned at = (8 * (t / 16) + t % 16 / 4) * 4 + t % 4;
  h4 low = __builtin_amdgcn_ds_read_tr16_b64_v4i16((row)(tile + (at ^ turned)));
  h4 high = __builtin_amdgcn_ds_read_tr16_b64_v4i16((row)(tile + (at + 16 ^ turned)));
  return __builtin_bit_cast(f8, __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
}
#define KERNEL(name, left_turned, right_turned) \
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) \
void name(const h8* a, const h8* b, float* c) { \
  __attribute__((shared)) h8 left[64]; __attribute__((shared)) h8 right[64]; \
  unsigned t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x(); \
  left[t] = a[g * 64 + t]; right[t] = b[g * 64 + t]; \
  __builtin_amdgcn_s_waitcnt(0); __builtin_amdgcn_s_barrier(); \
  f4 sum = {0, 0, 0, 0}; \
  sum = __builtin_amdgcn_mfma_f32_16x16x32_f16( \
      operand((h4*)left, t, left_turned), operand((h4*)right, t, right_turned), sum, 0, 0, 0); \
  for (int e = 0; e < 4; ++e) c[g * 256 + (4 * (t / 16) + e) * 16 + t % 16] = sum[e]; }
//: proved
//: slow
//: proved with c[g, i, j] = sum[k] f32(a[g, k, i]) * f32(b[g, k, j])
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, k, i]) * f32(b[g, k, i])
KERNEL(product, 0, 0)
// both operands may be read in another order of k
//: proved with c[g, i, j] = sum[k] f32(a[g, k, i]) * f32(b[g, k, j])
KERNEL(another_order, 16, 16)
//: computes refuted with c[g, i, j] = sum[k] f32(a[g, k, i]) * f32(b[g, k, j])
KERNEL(two_orders, 16, 0)
