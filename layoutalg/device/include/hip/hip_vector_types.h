// Short vectors, as HIP lays them out: two and four elements are aligned to their size, three are not.
//
// Those of one, two and four are clang's own vectors, which have x, y, z, w and element-wise operators as HIP's have.
// A vector of three is a plain struct, since clang's would have the size of four.
#pragma once

#define LAYOUTALG_HIP_VECTORS(NAME, T)                                              \
    struct NAME##1 { T x; };                                                        \
    typedef T NAME##2 __attribute__((ext_vector_type(2)));                          \
    struct NAME##3 { T x, y, z; };                                                  \
    typedef T NAME##4 __attribute__((ext_vector_type(4)));                          \
    LAYOUTALG_HIP_BOTH NAME##1 make_##NAME##1(T x) { return {x}; }                  \
    LAYOUTALG_HIP_BOTH NAME##2 make_##NAME##2(T x, T y) { return NAME##2{x, y}; }   \
    LAYOUTALG_HIP_BOTH NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }  \
    LAYOUTALG_HIP_BOTH NAME##4 make_##NAME##4(T x, T y, T z, T w) { return NAME##4{x, y, z, w}; }

LAYOUTALG_HIP_VECTORS(char, signed char)
LAYOUTALG_HIP_VECTORS(uchar, unsigned char)
LAYOUTALG_HIP_VECTORS(short, short)
LAYOUTALG_HIP_VECTORS(ushort, unsigned short)
LAYOUTALG_HIP_VECTORS(int, int)
LAYOUTALG_HIP_VECTORS(uint, unsigned)
LAYOUTALG_HIP_VECTORS(long, long)
LAYOUTALG_HIP_VECTORS(ulong, unsigned long)
LAYOUTALG_HIP_VECTORS(longlong, long long)
LAYOUTALG_HIP_VECTORS(ulonglong, unsigned long long)
LAYOUTALG_HIP_VECTORS(float, float)
LAYOUTALG_HIP_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
