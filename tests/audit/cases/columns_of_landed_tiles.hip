// 32 rows of 16 halves come straight to LDS, and go turned round in fours of rows to registers and back (own code).
using lds_ptr = __attribute__((address_space(3))) void*;
using global_ptr = __attribute__((address_space(1))) void*;
typedef short h4 __attribute__((ext_vector_type(4)));
typedef short h8 __attribute__((ext_vector_type(8)));
using row = __attribute__((address_space(3))) h4*;
#define KERNEL(name, own, active) \
extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64))) \
void name(const h8* in, h4* out) { \
  __attribute__((shared)) h8 tile[64]; \
  unsigned t = __builtin_amdgcn_workitem_id_x(), b = __builtin_amdgcn_workgroup_id_x(); \
  __builtin_amdgcn_global_load_lds((global_ptr)(in + b * 64 + t), (lds_ptr)tile, 16, 0, 0); \
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); \
  __builtin_amdgcn_s_barrier(); \
  for (int h = 0; h < 2; ++h) { \
    unsigned q = 2 * (t / 16) + h, j = t % 16; \
    if (active) out[(b * 8 + q) * 16 + j] = __builtin_amdgcn_ds_read_tr16_b64_v4i16((row)tile + 16 * q + (own)); } }

//: proved with o[b, q, j, e] = x[b, q, e, j]
KERNEL(columns, j, true)

//: followed unknown, computes unknown with o[b, q, j, e] = x[b, q, e, j]
KERNEL(some_lanes, j, t < 40)
//: slow
//: computes refuted with o[b, q, j, e] = x[b, q, e, j]
KERNEL(other_rows, j ^ 4, true)
