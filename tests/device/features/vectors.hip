//@ vectors: sizes and alignments
#include <hip/hip_runtime.h>
static_assert(sizeof(float1) == 4 && sizeof(float2) == 8 && alignof(float2) == 8 && sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4 && sizeof(uchar3) == 3 && sizeof(uchar4) == 4 && alignof(uchar4) == 4);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16 && sizeof(longlong2) == 16 && sizeof(ulong4) == 32);
static_assert(sizeof(uint) == 4 && sizeof(ushort) == 2 && sizeof(uchar) == 1 && sizeof(ulong) == 8);
extern "C" __global__ void vector_sizes(uchar* a, ushort* b, uint* c, ulong* d) { a[0] = b[0] + c[0] + d[0]; }

//@ vectors: every type is made
#include <hip/hip_runtime.h>
#define VECTORS_MADE(NAME) \
    s += make_##NAME##1(1).x + make_##NAME##2(1, 2).y + make_##NAME##3(1, 2, 3).z + make_##NAME##4(1, 2, 3, 4).w;
extern "C" __global__ void vectors_made(float* x) {
    float s = 0;
    VECTORS_MADE(char) VECTORS_MADE(uchar) VECTORS_MADE(short) VECTORS_MADE(ushort) VECTORS_MADE(int) VECTORS_MADE(uint)
    VECTORS_MADE(long) VECTORS_MADE(ulong) VECTORS_MADE(longlong) VECTORS_MADE(ulonglong) VECTORS_MADE(float) VECTORS_MADE(double)
    x[0] = s;
}

//@ vectors: braces, constructors and constants
#include <hip/hip_runtime.h>
__constant__ float4 vector_table[3] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {0, 0, 0, 1}};
extern "C" __global__ void vectors_from(float4* x, int2* y) {
    constexpr int4 corner = make_int4(1, 2, 3, 4);
    float4 v = {1.0f, 2, 3.0, 4u}, zero = {}, same(2.0f), each = float4(1, 2, 3, 4);
    float2 pairs[2] = {{1, 2}, make_float2(3, 4)};
    x[threadIdx.x] = threadIdx.x & 1 ? v : vector_table[threadIdx.x % 3];
    x[64 + threadIdx.x] = same + each * pairs[1].y - zero;
    *y = int2{(int)corner.data[1], 3};
}

//@ vectors: members by address and reference
#include <hip/hip_runtime.h>
__device__ void vector_member(float& x) { x += 1; }
extern "C" __global__ void vector_members(float4* x, int3* y) {
    vector_member(x->y);
    float* z = &x->z;
    *z *= 2;
    (&x->x)[3] = 5;
    atomicAdd(&x->w, 1.0f);
    atomicAdd(&y->z, 3);
}

//@ vectors: operators between them and with numbers
#include <hip/hip_runtime.h>
extern "C" __global__ void vector_operators(float4* x, float3* y, uint4* u, char4* c, double2* d) {
    float4 a = x[0], b = x[1];
    a += b; a -= 1; a *= 2.0; a /= b;
    x[2] = -(a + b) * 0.5f / 3 + 1.0f - 2 * b++;
    y[0] = (y[1] - y[2]) * y[3] + 1;
    u[0] = ((u[1] & 3u) | (u[2] ^ u[3])) % 7 << 1 >> u[4];
    u[5] = ~u[6];
    u[7] %= u[8];
    c[0] = c[1] + c[2];
    d[0] = 2.0 * d[1] + d[2];
    if (a == b || u[1] != u[2] || c[1] == 3) x[3] = a;
}

//@ vectors: functions that a program brings for them
#include <hip/hip_runtime.h>
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
inline __host__ __device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
template <typename T> struct vector_rank;
template <typename T, unsigned n> struct vector_rank<HIP_vector_type<T, n>> { static constexpr unsigned value = n; };
static_assert(vector_rank<uchar3>::value == 3 && __is_same(float4::value_type, float));
extern "C" __global__ void vector_functions(float3* x, float4* y) {
    x[0] = (x[1] + x[2]) * 3.0f;
    y->x = dot(y[1], y[2]) + y[1].data[2];
}

//@ vectors: in LDS, in unions, as arguments
#include <hip/hip_runtime.h>
union vector_words { float4 v; float f[4]; };
struct vector_item { float3 at; uchar4 colour; };
extern "C" __global__ void vectors_held(float4 scale, vector_item item, float4* x) {
    __shared__ float4 tile[64];
    tile[threadIdx.x] = *reinterpret_cast<const float4*>(&x[threadIdx.x]) * scale;
    __syncthreads();
    vector_words w{tile[63 - threadIdx.x]};
    w.f[1] += item.at.z + item.colour.w;
    x[threadIdx.x] = w.v;
}
