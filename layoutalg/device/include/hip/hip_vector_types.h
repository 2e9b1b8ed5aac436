// Short vectors, as HIP has them: float4 is HIP_vector_type<float, 4>, a class with members x, y, z, w.
//
// | of one, two, four elements | the class holds clang's own vector, `data`, aligned to its size |
// |---|---|
// | of three                   | three elements in a row, aligned as one of them |
//
// Operators go element by element, a scalar beside a vector stands for each of its elements (cast to their type first),
// and == is true where all elements are equal (HIP, hip_vector_types.h; "Vector types" in HIP's C++ language
// extensions). Assigning operators of integers with a scalar (v %= 3) are taken here too.
#pragma once

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define LAYOUTALG_HIP_HOST static inline __host__ __device__ __attribute__((always_inline))
#define LAYOUTALG_HIP_MEMBER __host__ __device__ constexpr __attribute__((always_inline))

// A template's parameter that lets it be one only where the condition holds.
template <bool>
struct layoutalg_hip_if {};
template <>
struct layoutalg_hip_if<true> {
    using type = int;
};
#define LAYOUTALG_HIP_IF(...) typename layoutalg_hip_if<(__VA_ARGS__)>::type = 0

template <typename T, unsigned n>
struct HIP_vector_base;

#define LAYOUTALG_HIP_VECTOR_BASE(COUNT, NATIVE, ...) \
    template <typename T>                             \
    struct HIP_vector_base<T, COUNT> {                \
        NATIVE;                                       \
        union {                                       \
            Native_vec_ data;                         \
            struct {                                  \
                T __VA_ARGS__;                        \
            };                                        \
        };                                            \
    };
#define LAYOUTALG_HIP_NATIVE(COUNT) using Native_vec_ = T __attribute__((ext_vector_type(COUNT)))
#define LAYOUTALG_HIP_THREE                                                              \
    struct Native_vec_ {                                                                 \
        T d[3];                                                                          \
        LAYOUTALG_HIP_MEMBER T& operator[](unsigned i) noexcept { return d[i]; }         \
        LAYOUTALG_HIP_MEMBER T operator[](unsigned i) const noexcept { return d[i]; }    \
    }
LAYOUTALG_HIP_VECTOR_BASE(1, LAYOUTALG_HIP_NATIVE(1), x)
LAYOUTALG_HIP_VECTOR_BASE(2, LAYOUTALG_HIP_NATIVE(2), x, y)
LAYOUTALG_HIP_VECTOR_BASE(3, LAYOUTALG_HIP_THREE, x, y, z)
LAYOUTALG_HIP_VECTOR_BASE(4, LAYOUTALG_HIP_NATIVE(4), x, y, z, w)

#define LAYOUTALG_HIP_ANY(T) (sizeof(T) > 0)

#define LAYOUTALG_HIP_VECTOR_ASSIGN(OP, OF)                                                       \
    template <typename U = T, LAYOUTALG_HIP_IF(OF(U))>                                            \
    LAYOUTALG_HIP_MEMBER HIP_vector_type& operator OP(const HIP_vector_type& y) noexcept {        \
        if constexpr (n == 3)                                                                     \
            for (unsigned i = 0; i < n; i++) this->data[i] OP y.data[i];                          \
        else                                                                                      \
            this->data OP y.data;                                                                 \
        return *this;                                                                             \
    }                                                                                             \
    template <typename U, LAYOUTALG_HIP_IF(OF(T) && __is_convertible(U, T))>                      \
    LAYOUTALG_HIP_MEMBER HIP_vector_type& operator OP(U y) noexcept {                             \
        return *this OP HIP_vector_type{y};                                                       \
    }

template <typename T, unsigned n>
struct HIP_vector_type : HIP_vector_base<T, n> {
    using value_type = T;
    using typename HIP_vector_base<T, n>::Native_vec_;

    HIP_vector_type() = default;
    template <typename U, LAYOUTALG_HIP_IF(__is_convertible(U, T))>
    explicit LAYOUTALG_HIP_MEMBER HIP_vector_type(U x) noexcept : HIP_vector_base<T, n>{filled(static_cast<T>(x))} {}
    template <typename... Us, LAYOUTALG_HIP_IF(n > 1 && sizeof...(Us) == n)>
    LAYOUTALG_HIP_MEMBER HIP_vector_type(Us... xs) noexcept
        : HIP_vector_base<T, n>{Native_vec_{static_cast<T>(xs)...}} {}

    LAYOUTALG_HIP_VECTOR_ASSIGN(+=, LAYOUTALG_HIP_ANY)
    LAYOUTALG_HIP_VECTOR_ASSIGN(-=, LAYOUTALG_HIP_ANY)
    LAYOUTALG_HIP_VECTOR_ASSIGN(*=, LAYOUTALG_HIP_ANY)
    LAYOUTALG_HIP_VECTOR_ASSIGN(/=, LAYOUTALG_HIP_ANY)
    LAYOUTALG_HIP_VECTOR_ASSIGN(%=, __is_integral)
    LAYOUTALG_HIP_VECTOR_ASSIGN(^=, __is_integral)
    LAYOUTALG_HIP_VECTOR_ASSIGN(|=, __is_integral)
    LAYOUTALG_HIP_VECTOR_ASSIGN(&=, __is_integral)
    LAYOUTALG_HIP_VECTOR_ASSIGN(>>=, __is_integral)
    LAYOUTALG_HIP_VECTOR_ASSIGN(<<=, __is_integral)

    LAYOUTALG_HIP_MEMBER HIP_vector_type& operator++() noexcept { return *this += HIP_vector_type{1}; }
    LAYOUTALG_HIP_MEMBER HIP_vector_type& operator--() noexcept { return *this -= HIP_vector_type{1}; }
    LAYOUTALG_HIP_MEMBER HIP_vector_type operator++(int) noexcept {
        HIP_vector_type before(*this);
        ++*this;
        return before;
    }
    LAYOUTALG_HIP_MEMBER HIP_vector_type operator--(int) noexcept {
        HIP_vector_type before(*this);
        --*this;
        return before;
    }
    template <typename U = T, LAYOUTALG_HIP_IF(__is_signed(U))>
    LAYOUTALG_HIP_MEMBER HIP_vector_type operator-() const noexcept {
        HIP_vector_type out(*this);
        for (unsigned i = 0; i < n; i++) out.data[i] = -out.data[i];
        return out;
    }
    template <typename U = T, LAYOUTALG_HIP_IF(__is_integral(U))>
    LAYOUTALG_HIP_MEMBER HIP_vector_type operator~() const noexcept {
        HIP_vector_type out(*this);
        for (unsigned i = 0; i < n; i++) out.data[i] = ~out.data[i];
        return out;
    }

   private:
    static LAYOUTALG_HIP_MEMBER Native_vec_ filled(T x) noexcept {
        if constexpr (n == 1) return Native_vec_{x};
        if constexpr (n == 2) return Native_vec_{x, x};
        if constexpr (n == 3) return Native_vec_{x, x, x};
        if constexpr (n == 4) return Native_vec_{x, x, x, x};
    }
};

#define LAYOUTALG_HIP_VECTOR_BINARY(OP, OF)                                                                  \
    template <typename T, unsigned n, LAYOUTALG_HIP_IF(OF(T))>                                               \
    LAYOUTALG_HIP_BOTH HIP_vector_type<T, n> operator OP(const HIP_vector_type<T, n>& x,                     \
                                                         const HIP_vector_type<T, n>& y) noexcept {          \
        return HIP_vector_type<T, n>(x) OP##= y;                                                            \
    }                                                                                                        \
    template <typename T, unsigned n, typename U, LAYOUTALG_HIP_IF(OF(T) && __is_convertible(U, T))>         \
    LAYOUTALG_HIP_BOTH HIP_vector_type<T, n> operator OP(const HIP_vector_type<T, n>& x, U y) noexcept {     \
        return HIP_vector_type<T, n>(x) OP##= HIP_vector_type<T, n>{y};                                     \
    }                                                                                                        \
    template <typename T, unsigned n, typename U, LAYOUTALG_HIP_IF(OF(T) && __is_convertible(U, T))>         \
    LAYOUTALG_HIP_BOTH HIP_vector_type<T, n> operator OP(U x, const HIP_vector_type<T, n>& y) noexcept {     \
        return HIP_vector_type<T, n>{x} OP##= y;                                                            \
    }
LAYOUTALG_HIP_VECTOR_BINARY(+, LAYOUTALG_HIP_ANY)
LAYOUTALG_HIP_VECTOR_BINARY(-, LAYOUTALG_HIP_ANY)
LAYOUTALG_HIP_VECTOR_BINARY(*, LAYOUTALG_HIP_ANY)
LAYOUTALG_HIP_VECTOR_BINARY(/, LAYOUTALG_HIP_ANY)
LAYOUTALG_HIP_VECTOR_BINARY(%, __is_integral)
LAYOUTALG_HIP_VECTOR_BINARY(^, __is_integral)
LAYOUTALG_HIP_VECTOR_BINARY(|, __is_integral)
LAYOUTALG_HIP_VECTOR_BINARY(&, __is_integral)
LAYOUTALG_HIP_VECTOR_BINARY(>>, __is_integral)
LAYOUTALG_HIP_VECTOR_BINARY(<<, __is_integral)

template <typename T, unsigned n>
LAYOUTALG_HIP_BOTH bool operator==(const HIP_vector_type<T, n>& x, const HIP_vector_type<T, n>& y) noexcept {
    bool same = true;
    for (unsigned i = 0; i < n; i++) same &= x.data[i] == y.data[i];
    return same;
}
template <typename T, unsigned n, typename U, LAYOUTALG_HIP_IF(__is_convertible(U, T))>
LAYOUTALG_HIP_BOTH bool operator==(const HIP_vector_type<T, n>& x, U y) noexcept {
    return x == HIP_vector_type<T, n>{y};
}
template <typename T, unsigned n, typename U, LAYOUTALG_HIP_IF(__is_convertible(U, T))>
LAYOUTALG_HIP_BOTH bool operator==(U x, const HIP_vector_type<T, n>& y) noexcept {
    return HIP_vector_type<T, n>{x} == y;
}
template <typename T, unsigned n>
LAYOUTALG_HIP_BOTH bool operator!=(const HIP_vector_type<T, n>& x, const HIP_vector_type<T, n>& y) noexcept {
    return !(x == y);
}
template <typename T, unsigned n, typename U, LAYOUTALG_HIP_IF(__is_convertible(U, T))>
LAYOUTALG_HIP_BOTH bool operator!=(const HIP_vector_type<T, n>& x, U y) noexcept {
    return !(x == y);
}
template <typename T, unsigned n, typename U, LAYOUTALG_HIP_IF(__is_convertible(U, T))>
LAYOUTALG_HIP_BOTH bool operator!=(U x, const HIP_vector_type<T, n>& y) noexcept {
    return !(x == y);
}

#define LAYOUTALG_HIP_VECTORS(NAME, T)                                                  \
    using NAME##1 = HIP_vector_type<T, 1>;                                              \
    using NAME##2 = HIP_vector_type<T, 2>;                                              \
    using NAME##3 = HIP_vector_type<T, 3>;                                              \
    using NAME##4 = HIP_vector_type<T, 4>;                                              \
    LAYOUTALG_HIP_BOTH NAME##1 make_##NAME##1(T x) { return NAME##1(x); }               \
    LAYOUTALG_HIP_BOTH NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }              \
    LAYOUTALG_HIP_BOTH NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }      \
    LAYOUTALG_HIP_BOTH NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

LAYOUTALG_HIP_VECTORS(char, char)
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
