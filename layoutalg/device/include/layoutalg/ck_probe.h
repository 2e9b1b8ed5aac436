// What a kernel of CK Tile says of its own launch: its views of memory, its grid, its block.
//
//   make_naive_tensor_view<address_space_enum::global>(p, make_tuple(m, n), make_tuple(stride, 1), number<8>{}, …)
//
// Where a header of CK writes this, what is compiled with this header tells first of what the view is: it stores a byte to
// `p`, and to LDS the element type, the vector, the lengths and the strides.  The code is followed, and never run
// (`layoutalg.ck.probe`).  Pipelines and epilogues do nothing in it: a kernel has made its views when it calls them.
// Not here: views of descriptors that are transformed (`make_tensor_view`), and what a pipeline makes for itself.
#pragma once

// What older headers of the library bring along, and CK counts on.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ck_tile/core.hpp"

// These have functions of one name for either side, which no function of both sides may have.
#if __has_include("ck_tile/core/utility/env.hpp")
#include "ck_tile/core/utility/env.hpp"
#endif
#if __has_include("ck_tile/ops/elementwise.hpp")
#include "ck_tile/ops/elementwise.hpp"
#endif
#if __has_include("ck_tile/ops/fmha/block/block_position_encoding.hpp")
#include "ck_tile/ops/fmha/block/block_position_encoding.hpp"
#endif

namespace ck_tile {
constexpr bool layoutalg_never() { return false; }
constexpr bool layoutalg_wave32() {
#if defined(__GFX9__)
  return false;
#else
  return true;
#endif
}

namespace layoutalg {
template <class T, class... All>
constexpr int place() {
  int found = 0, number = 0;
  ((++number, found = found == 0 && std::is_same_v<T, All> ? number : found), ...);
  return found;
}
/// The element type of a view, by its number in `probe.ELEMENTS`; bf16_t may be an unsigned short.
template <class T>
constexpr int element = place<std::remove_const_t<T>, double, float, half_t, bf16_t, fp8_t, bf8_t, std::int64_t, std::int32_t,
                              std::int16_t, std::int8_t, std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>();

#if defined(__HIP_DEVICE_COMPILE__)
extern __shared__ volatile int told[];
#endif

/// A place in the source: what it tells, 32 numbers at most; the first is 1 of a view, 2 of what is padded.
template <int site>
struct at {
  template <class... N>
  __device__ static void tell(const N&... n) {
#if defined(__HIP_DEVICE_COMPILE__)
    static_assert(sizeof...(N) <= 32);
    int place = site * 32;
    ((told[place++] = static_cast<int>(n)), ...);
#endif
  }
  template <class T, class L, class S, index_t... n>
  __device__ static void view(T* p, int vector, const L& lengths, const S& strides, std::integer_sequence<index_t, n...>) {
    *reinterpret_cast<volatile char*>(const_cast<std::remove_const_t<T>*>(p)) = 0;
    tell(1, element<T>, sizeof(T), vector, sizeof...(n), lengths.at(number<n>{})..., strides.at(number<n>{})...);
  }
  template <address_space_enum space = address_space_enum::generic, memory_operation_enum how = memory_operation_enum::set,
            amd_buffer_coherence_enum coherence = amd_buffer_coherence_enum::coherence_default, class T, class L, class S,
            index_t vector = -1, index_t stride = -1>
  __device__ static auto naive(T* p, const L& lengths, const S& strides, number<vector> = {}, number<stride> = {}) {
    if constexpr (space == address_space_enum::global)
      view(p, vector, lengths, strides, std::make_integer_sequence<index_t, L::size()>{});
    return make_naive_tensor_view<space, how, coherence>(p, lengths, strides, number<vector>{}, number<stride>{});
  }
  template <address_space_enum space = address_space_enum::generic,
            amd_buffer_coherence_enum coherence = amd_buffer_coherence_enum::coherence_default, class T, class L,
            index_t vector = -1>
  __device__ static auto packed(T* p, const L& lengths, number<vector> = {}) {
    const auto strides = container_reverse_exclusive_scan(lengths, multiplies{}, number<1>{});
    if constexpr (space == address_space_enum::global)
      view(p, vector, lengths, strides, std::make_integer_sequence<index_t, L::size()>{});
    return make_naive_tensor_view_packed<space, coherence>(p, lengths, number<vector>{});
  }
  template <class V, class L, class P, index_t... n>
  __device__ static void tiles(const V& view, const L& tile, const P&, std::integer_sequence<index_t, n...>) {
    const auto& whole = view.get_tensor_descriptor();
    tell(2, sizeof...(n), whole.get_length(number<n>{})..., tile.at(number<n>{})..., P::at(number<n>{})...);
  }
  template <class V, class L, class P>
  __device__ static auto pad(const V& view, const L& tile, P pads) {
    tiles(view, tile, pads, std::make_integer_sequence<index_t, P::size()>{});
    return pad_tensor_view(view, tile, pads);
  }
};

/// A pipeline or an epilogue that does nothing.
template <class P>
struct Nothing : P {
  template <class... X, class... A>
  __device__ auto operator()(A&&...) const { return 0; }
};
struct Callable { void operator()(); };
template <class P> struct Both : P, Callable {};
/// Whether it is called: then it is ambiguous beside what is, whatever its templates.
template <class P>
constexpr bool is_part() {
  if constexpr (std::is_class_v<P> && !std::is_final_v<P>)
    return !requires { &Both<P>::operator(); };
  else
    return false;
}
template <class K> struct without_parts { using type = K; };
template <template <class...> class K, class... P>
struct without_parts<K<P...>> {
  using type = K<std::conditional_t<is_part<P>(), Nothing<P>, P>...>;
};

/// The arguments of a function of the host's, kept together.
template <class F> struct signature;
template <class R, class... A>
struct signature<R (*)(A...)> {
  struct Arguments { std::tuple<remove_cvref_t<A>...> all; };
};

/// The threads of a block along each axis: as the kernel says, where that is constant; else none.
template <class K>
__device__ dim3 threads() {
  if constexpr (requires { dim3(K::BlockSize()); })
    return dim3(K::BlockSize());
  else if constexpr (requires { K::kBlockSize; })
    return dim3(K::kBlockSize);
  else
    return dim3(0, 0, 0);
}
template <class K>
__device__ int lds_bytes() {
  if constexpr (requires { K::GetSmemSize(); })
    return K::GetSmemSize();
  else
    return 0;
}
}  // namespace layoutalg
}  // namespace ck_tile

// Constant functions are of both sides where they name none.
#undef CK_TILE_HOST
#define CK_TILE_HOST inline constexpr
#define is_wave32() layoutalg_wave32()
#define EnvIsEnabled(...) layoutalg_never()
#define make_naive_tensor_view layoutalg::at<__COUNTER__>::naive
#define make_naive_tensor_view_packed layoutalg::at<__COUNTER__>::packed
#define pad_tensor_view layoutalg::at<__COUNTER__>::pad
