// What accesses cost waves of 64: LDS cycles and segments, known beforehand (own code): b is the block, t the lane.
#include <hip/hip_runtime.h>
#define KERNEL(name, ...) \
  extern "C" __global__ void name(const int* x, int* o) { \
    __shared__ int s[64 * 34]; int t = threadIdx.x, b = blockIdx.x; (void)s; __VA_ARGS__ }
// lanes in pairs; where the pairs begin in a dword says whether lane 0's neighbour lies in the next one
#define BYTES(first) auto* c = (unsigned char*)s; int a = first + 264 * (t >> 1) + (t & 1 ? 132 : t ? 3 : 0); \
  c[a] = t; __syncthreads(); o[b * 64 + t] = c[a];

//: proved
//: proved with claims = ["coalesced"]
KERNEL(rows, o[b * 64 + t] = x[b * 4096 + t];)
//: proved
//: coalesced refuted with claims = ["coalesced"]
KERNEL(column, o[b * 64 + t] = x[b * 4096 + t * 64];)
//: proved
//: coalesced unknown with claims = ["coalesced"]
KERNEL(begins_anywhere, o[b * 64 + t] = x[b * 3 + t];)
//: proved
//: bank_conflict_free refuted with claims = ["bank_conflict_free"]
KERNEL(conflicts, s[t * 32] = x[b * 4096 + t]; __syncthreads(); o[b * 64 + t] = s[(63 - t) * 32];)
//: proved
//: proved with claims = ["bank_conflict_free"]
KERNEL(padded, s[t * 33] = x[b * 4096 + t]; __syncthreads(); o[b * 64 + t] = s[(63 - t) * 33];)
//: proved
//: coalesced unknown with claims = ["coalesced"]
KERNEL(gathered, o[b * 64 + t] = x[x[b * 4096 + t] & 63];)
//: proved
//: proved with claims = ["bank_conflict_free"]
KERNEL(bytes_0, BYTES(0))
//: proved
//: bank_conflict_free refuted with claims = ["bank_conflict_free"]
KERNEL(bytes_1, BYTES(1))
//: initialised unknown
//: initialised unknown, bank_conflict_free unknown with claims = ["bank_conflict_free"]
KERNEL(bytes_anywhere, BYTES((b & 1)))
//: proved
KERNEL(two_addresses, auto* p = s + t * 8; p[0] = x[b * 4096 + t]; p[64 * 8] = t; __syncthreads(); o[b * 64 + t] =
  s[(63 - t) * 8] + s[(63 - t) * 8 + 512];)
//: proved
KERNEL(one_place, o[b * 64 + t] = x[b * 4096 + (t >> 6)];)
//: proved
//: proved with claims = ["coalesced"]
KERNEL(tail, if (t < b) o[b * 64 + t] = x[b * 4096 + t];)
//: proved
//: coalesced unknown with claims = ["coalesced"]
KERNEL(mixed_tail, if (t < b) o[b * 64 + (t * 17 & 63)] = x[b * 4096 + t];)
//: proved
//: coalesced refuted with claims = ["coalesced"]
KERNEL(where_loaded, if (x[b * 4096 + t * 64]) o[b * 64 + t] = 1;)
