// Operators, pairs, the bits of keys, buffers in twos and iterators: what the primitives are called with.
#pragma once

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#define LAYOUTALG_CUB __host__ __device__ __forceinline__

namespace hipcub {

#define LAYOUTALG_OPERATOR(NAME, RESULT)                                             \
    struct NAME {                                                                     \
        template <typename T, typename U>                                             \
        LAYOUTALG_CUB constexpr auto operator()(const T& a, const U& b) const {       \
            return RESULT;                                                            \
        }                                                                             \
    };
LAYOUTALG_OPERATOR(Equality, a == b)
LAYOUTALG_OPERATOR(Inequality, a != b)
LAYOUTALG_OPERATOR(Sum, a + b)
LAYOUTALG_OPERATOR(Difference, a - b)
LAYOUTALG_OPERATOR(Division, a / b)
LAYOUTALG_OPERATOR(Max, a < b ? b : a)
LAYOUTALG_OPERATOR(Min, a < b ? a : b)
#undef LAYOUTALG_OPERATOR
template <typename To>
struct CastOp {
    template <typename T> LAYOUTALG_CUB To operator()(const T& x) const { return (To)x; }
};

struct NullType {};

template <typename K, typename V>
struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    LAYOUTALG_CUB KeyValuePair() {}
    LAYOUTALG_CUB KeyValuePair(K key, V value) : key(key), value(value) {}
    LAYOUTALG_CUB bool operator!=(const KeyValuePair& other) const { return key != other.key || value != other.value; }
};

// Of two that are alike the one with the lesser key.
struct ArgMax {
    template <typename K, typename V>
    LAYOUTALG_CUB KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};
struct ArgMin {
    template <typename K, typename V>
    LAYOUTALG_CUB KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
        return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
    }
};

// A key's bits as an unsigned number of the same order (−0 before 0): TwiddleIn makes it, TwiddleOut takes it back.
template <int BYTES> struct layoutalg_bits;
template <> struct layoutalg_bits<1> { typedef unsigned char type; };
template <> struct layoutalg_bits<2> { typedef unsigned short type; };
template <> struct layoutalg_bits<4> { typedef unsigned type; };
template <> struct layoutalg_bits<8> { typedef unsigned long long type; };
template <typename T>
struct Traits {
    typedef typename layoutalg_bits<sizeof(T)>::type UnsignedBits;
    static constexpr bool SIGNED = __is_signed(T), FLOATING = __is_floating_point(T);
    static constexpr UnsignedBits TOP = UnsignedBits(1) << (sizeof(T) * 8 - 1);
    static LAYOUTALG_CUB UnsignedBits TwiddleIn(UnsignedBits key) {
        return FLOATING ? key ^ (key & TOP ? UnsignedBits(-1) : TOP) : SIGNED ? key ^ TOP : key;
    }
    static LAYOUTALG_CUB UnsignedBits TwiddleOut(UnsignedBits key) {
        return FLOATING ? key ^ (key & TOP ? TOP : UnsignedBits(-1)) : SIGNED ? key ^ TOP : key;
    }
};

template <typename T>
struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;
    LAYOUTALG_CUB DoubleBuffer() {}
    LAYOUTALG_CUB DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
    LAYOUTALG_CUB T* Current() { return d_buffers[selector]; }
    LAYOUTALG_CUB T* Alternate() { return d_buffers[selector ^ 1]; }
};

template <typename T, typename Offset = ptrdiff_t>
struct CountingInputIterator {
    typedef T value_type;
    T first;
    LAYOUTALG_CUB CountingInputIterator(const T& first) : first(first) {}
    LAYOUTALG_CUB T operator*() const { return first; }
    LAYOUTALG_CUB T operator[](Offset at) const { return first + (T)at; }
    LAYOUTALG_CUB CountingInputIterator operator+(Offset by) const { return first + (T)by; }
};
template <typename T, typename Offset = ptrdiff_t>
struct ConstantInputIterator {
    typedef T value_type;
    T value;
    LAYOUTALG_CUB ConstantInputIterator(T value, Offset = 0) : value(value) {}
    LAYOUTALG_CUB T operator*() const { return value; }
    LAYOUTALG_CUB T operator[](Offset) const { return value; }
    LAYOUTALG_CUB ConstantInputIterator operator+(Offset) const { return *this; }
};
template <typename T, typename Function, typename Iterator, typename Offset = ptrdiff_t>
struct TransformInputIterator {
    typedef T value_type;
    Iterator of;
    Function function;
    LAYOUTALG_CUB TransformInputIterator(Iterator of, Function function) : of(of), function(function) {}
    LAYOUTALG_CUB T operator*() const { return function(*of); }
    LAYOUTALG_CUB T operator[](Offset at) const { return function(of[at]); }
    LAYOUTALG_CUB TransformInputIterator operator+(Offset by) const { return {of + by, function}; }
};
template <typename Offset = ptrdiff_t>
struct DiscardOutputIterator {
    struct nothing {
        template <typename T> LAYOUTALG_CUB nothing& operator=(const T&) { return *this; }
    };
    LAYOUTALG_CUB DiscardOutputIterator(Offset = 0) {}
    LAYOUTALG_CUB nothing operator*() const { return {}; }
    LAYOUTALG_CUB nothing operator[](Offset) const { return {}; }
    LAYOUTALG_CUB DiscardOutputIterator operator+(Offset) const { return {}; }
};

// Room in LDS for so many of a type that may have constructors.
template <typename T, int MANY>
struct layoutalg_room {
    alignas(T) unsigned char bytes[MANY * sizeof(T)];
    __device__ __forceinline__ T& operator[](int at) { return reinterpret_cast<T*>(bytes)[at]; }
};

// The thread's number in a block of these sides, x fastest.
template <int Y, int Z>
__device__ __forceinline__ int layoutalg_thread() {
    int thread = threadIdx.x;
    if constexpr (Y > 1 || Z > 1) thread += (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x;
    return thread;
}

}  // namespace hipcub
