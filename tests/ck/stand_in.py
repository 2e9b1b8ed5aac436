"""Headers of CK Tile's names, as small as they go, and an own kernel over them."""

from pathlib import Path

CORE = """
#pragma once
#include <hip/hip_runtime.h>
#include <tuple>
#define CK_TILE_HOST inline __host__
#define CK_TILE_DEVICE inline __device__
#define CK_TILE_HOST_DEVICE inline __host__ __device__
namespace ck_tile {
using index_t = int;
using half_t = _Float16;
using bf16_t = unsigned short;
using fp8_t = _BitInt(8);
using bf8_t = unsigned _BitInt(8);
template <class T> using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <index_t n> struct number {
  static constexpr index_t value = n;
  constexpr operator index_t() const { return n; }
};
template <class... T> struct tuple {
  std::tuple<T...> all;
  static constexpr index_t size() { return sizeof...(T); }
  template <index_t n> constexpr auto at(number<n>) const { return std::get<n>(all); }
};
template <class... T> CK_TILE_HOST_DEVICE constexpr auto make_tuple(T... t) {
  return tuple<T...>{std::tuple<T...>(t...)};
}
template <bool... v> struct pads {
  static constexpr index_t size() { return sizeof...(v); }
  template <index_t n> static constexpr bool at(number<n>) { return std::get<n>(std::make_tuple(v...)); }
};
enum class address_space_enum { generic, global, lds };
enum class memory_operation_enum { set };
enum class amd_buffer_coherence_enum { coherence_default };
struct multiplies {};
template <class T, class L, class S> struct view {
  T* p; L lengths; S strides;
  CK_TILE_HOST_DEVICE const view& get_tensor_descriptor() const { return *this; }
  template <index_t n> CK_TILE_HOST_DEVICE constexpr auto get_length(number<n> at) const { return lengths.at(at); }
};
template <address_space_enum, memory_operation_enum = memory_operation_enum::set,
          amd_buffer_coherence_enum = amd_buffer_coherence_enum::coherence_default, class T, class L, class S,
          index_t v, index_t w>
CK_TILE_HOST_DEVICE auto make_naive_tensor_view(T* p, const L& lengths, const S& strides, number<v>, number<w>) {
  return view<T, L, S>{p, lengths, strides};
}
template <class V, class L, class P> CK_TILE_HOST_DEVICE V pad_tensor_view(const V& view, const L&, P) { return view; }
CK_TILE_HOST bool is_wave32() { return hipGetDeviceCount(nullptr) == hipSuccess; }
}
"""
ROWS = """
#pragma once
#include "ck_tile/core.hpp"
namespace ck_tile {
struct NoMask {};
struct Copy {
  template <class V, class W> CK_TILE_DEVICE void operator()(const V& from, const W& to) const {
    const auto* x = from.p + blockIdx.x * from.strides.at(number<0>{});
    auto* y = to.p + blockIdx.x * to.strides.at(number<0>{});
    if (int i = threadIdx.x * 4; i < from.lengths.at(number<1>{}))
      for (int k = 0; k < 4; k++) y[i + k] = x[i + k];
  }
};
template <class Pipeline_> struct Rows {
  using Pipeline = Pipeline_;
  struct Kargs : NoMask {
    const void* x;
    const int* lengths;
    void* y;
    index_t m, n, x_stride, y_stride, x_batch, y_batch;
  };
  CK_TILE_HOST static constexpr auto GridSize(index_t m_, index_t batches_) { return dim3(m_, batches_); }
  CK_TILE_HOST static dim3 BlockSize() { return is_wave32() ? dim3(32) : dim3(64); }
  CK_TILE_DEVICE void operator()(Kargs k) const {
    if (k.lengths != nullptr) k.m = k.lengths[blockIdx.y];
    const auto x = make_naive_tensor_view<address_space_enum::global>(
        static_cast<const half_t*>(k.x) + static_cast<long>(blockIdx.y) * k.x_batch, make_tuple(k.m, k.n),
        make_tuple(k.x_stride, number<1>{}), number<4>{}, number<1>{});
    const auto y = make_naive_tensor_view<address_space_enum::global>(
        static_cast<half_t*>(k.y) + static_cast<long>(blockIdx.y) * k.y_batch, make_tuple(k.m, k.n),
        make_tuple(k.y_stride, number<1>{}), number<4>{}, number<1>{});
    Pipeline{}(pad_tensor_view(x, make_tuple(number<1>{}, number<256>{}), pads<false, true>{}), y);
  }
};
}
"""
OWN = """
#include "ck_tile/core.hpp"
#include "ck_tile/ops/rows.hpp"
using Kernel = ck_tile::Rows<ck_tile::Copy>;
extern "C" __global__ void __launch_bounds__(64, 1) own(Kernel::Kargs arguments) {
#if defined(__HIP_DEVICE_COMPILE__)
  Kernel{}(arguments);
#endif
}
"""


def stand_in(folder: Path) -> Path:
    """The folder, with the headers in it."""
    (folder / "ck_tile/ops").mkdir(parents=True, exist_ok=True)
    (folder / "ck_tile/core.hpp").write_text(CORE)
    (folder / "ck_tile/ops/rows.hpp").write_text(ROWS)
    return folder
