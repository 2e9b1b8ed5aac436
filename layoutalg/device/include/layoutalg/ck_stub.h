// CK's and CK Tile's names where no checkout of CK is at hand: what a header by itself is compiled with.
//
//   make_naive_tensor_descriptor(make_tuple(number<8>{}, M), make_tuple(M, number<1>{}))
//   {"call":"make_naive_tensor_descriptor","arguments":[[8,64],[64,1]]}
//
// Numbers, tuples and sequences are computed with; calls that make layouts are recorded, and what they make is
// layoutalg's to say (`layoutalg.cpp.records`).  Of a layout only its lengths and its element space are known here.
// Not here: views' memory, windows, accesses; whatever a header takes from another one.
#pragma once

#define LAYOUTALG_CK_STUB
#include "layoutalg/size.h"

#include <cstdint>

#ifdef LAYOUTALG_INDEX
#define LAYOUTALG_LONG_INDEX LAYOUTALG_INDEX
#else
#define LAYOUTALG_INDEX int
#define LAYOUTALG_LONG_INDEX std::int64_t
#endif
#define CK_TILE_HOST
#define CK_TILE_DEVICE
#define CK_TILE_HOST_DEVICE
#define CK_TILE_HOST_DEVICE_EXTERN
#define CK_TILE_DEVICE_EXTERN
#define __host__
#define __device__
#define __global__
#define __forceinline__
#define __shared__

// The families of AMD's processors, as CK Tile's core/config.hpp has them.
#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)
#define __gfx9__
#endif
#if defined(__gfx942__) || defined(__gfx950__)
#define __gfx94__
#endif
#if defined(__gfx1030__) || defined(__gfx1031__) || defined(__gfx1032__) || defined(__gfx1034__) || defined(__gfx1035__)
#define __gfx103__
#endif
#if defined(__gfx1100__) || defined(__gfx1101__) || defined(__gfx1102__) || defined(__gfx1103__)
#define __gfx11__
#endif
#if defined(__gfx1200__) || defined(__gfx1201__)
#define __gfx12__
#endif

namespace layoutalg {

/// A text as a template argument.
template <int size>
struct Name {
  char text[size]{};
  constexpr Name(const char (&given)[size]) {
    for (int n = 0; n < size; ++n) text[n] = given[n];
  }
  constexpr bool operator==(const char* other) const {
    int n = 0;
    while (text[n] && text[n] == other[n]) ++n;
    return text[n] == other[n];
  }
  constexpr bool starts(const char* other) const {
    for (int n = 0; other[n]; ++n) {
      if (text[n] != other[n]) return false;
    }
    return true;
  }
};

}  // namespace layoutalg

namespace ck_tile {

using index_t = LAYOUTALG_INDEX;
using long_index_t = LAYOUTALG_LONG_INDEX;

template <auto v>
struct constant {
  using value_type = decltype(v);
  using type = constant;
  static constexpr value_type value = v;
  constexpr operator value_type() const { return v; }
  constexpr value_type operator()() const { return v; }
};
template <index_t v>
using number = constant<v>;
template <bool b>
using bool_constant = constant<b>;
template <class T, T v>
using integral_constant = constant<v>;
template <long long v>
using long_number = constant<static_cast<long_index_t>(v)>;
using true_type = constant<true>;
using false_type = constant<false>;

constexpr int as_int(int n) { return n; }
constexpr int as_int(const layoutalg::Size& n) { return static_cast<int>(n.number()); }

template <class T>
concept Computable = std::is_integral_v<T> || std::is_same_v<T, layoutalg::Size>;

#define LAYOUTALG_OF_CONSTANTS(OP)                                                                           \
  template <auto a, auto b>                                                                                  \
  constexpr auto operator OP(constant<a>, constant<b>) { return constant<(a OP b)>{}; }                      \
  template <auto a, Computable T>                                                                            \
  constexpr auto operator OP(constant<a>, const T& b) { return a OP b; }                                     \
  template <Computable T, auto b>                                                                            \
  constexpr auto operator OP(const T& a, constant<b>) { return a OP b; }
LAYOUTALG_OF_CONSTANTS(+)
LAYOUTALG_OF_CONSTANTS(-)
LAYOUTALG_OF_CONSTANTS(*)
LAYOUTALG_OF_CONSTANTS(/)
LAYOUTALG_OF_CONSTANTS(%)
LAYOUTALG_OF_CONSTANTS(&)
LAYOUTALG_OF_CONSTANTS(|)
LAYOUTALG_OF_CONSTANTS(^)
LAYOUTALG_OF_CONSTANTS(<<)
LAYOUTALG_OF_CONSTANTS(>>)
LAYOUTALG_OF_CONSTANTS(<)
LAYOUTALG_OF_CONSTANTS(>)
LAYOUTALG_OF_CONSTANTS(<=)
LAYOUTALG_OF_CONSTANTS(>=)
LAYOUTALG_OF_CONSTANTS(==)
LAYOUTALG_OF_CONSTANTS(!=)
#undef LAYOUTALG_OF_CONSTANTS
template <auto a>
constexpr auto operator-(constant<a>) { return constant<(-a)>{}; }
template <auto a>
constexpr auto operator+(constant<a>) { return constant<a>{}; }
template <auto a>
constexpr auto operator~(constant<a>) { return constant<(~a)>{}; }
template <auto a>
constexpr auto operator!(constant<a>) { return constant<(!a)>{}; }

template <auto n>
constexpr auto to_number(constant<n>) { return number<n>{}; }

using std::remove_cv_t;
using std::remove_reference_t;
template <class T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T>
using remove_cvref = std::type_identity<remove_cvref_t<T>>;
template <class T>
struct type_identity { using type = T; };
template <class T>
using type_identity_t = T;
template <bool b, class T, class F>
using conditional_t = std::conditional_t<b, T, F>;
template <bool b, class T, class F>
using conditional = std::conditional<b, T, F>;

struct multiplies {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const { return a * b; }
};
struct plus {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const { return a + b; }
};
using multiplies_v2 = multiplies;

// --- lists ------------------------------------------------------------------------------------------------------

template <int n, class T>
struct held {
  T value;
};
template <class I, class... T>
struct holds;
template <int... n, class... T>
struct holds<std::integer_sequence<int, n...>, T...> : held<n, T>... {
  constexpr holds() = default;
  constexpr holds(const T&... values)
    requires(sizeof...(T) > 0)
      : held<n, T>{values}... {}
};
template <int n, class T>
constexpr const T& held_at(const held<n, T>& one) { return one.value; }
template <int n, class T>
constexpr T& held_at(held<n, T>& one) { return one.value; }

template <class... T>
struct tuple : holds<std::make_integer_sequence<int, sizeof...(T)>, T...> {
  using holds<std::make_integer_sequence<int, sizeof...(T)>, T...>::holds;
  static constexpr index_t size() { return sizeof...(T); }
  static constexpr index_t Size() { return sizeof...(T); }
  template <auto n>
  constexpr auto get() const { return held_at<as_int(n)>(*this); }
  template <auto n>
  constexpr auto at() const { return get<n>(); }
  template <auto n>
  constexpr auto get(constant<n>) const { return get<n>(); }
  template <auto n>
  constexpr auto at(constant<n>) const { return get<n>(); }
  template <auto n>
  constexpr auto At(constant<n>) const { return get<n>(); }
  template <auto n>
  constexpr auto operator[](constant<n>) const { return get<n>(); }
  template <auto n>
  constexpr auto& operator()(constant<n>) { return held_at<as_int(n)>(*this); }
  /// An entry of a list of numbers by a number that is computed.
  constexpr auto operator[](index_t n) const { return entry(n); }
  constexpr auto at(index_t n) const { return entry(n); }
  constexpr void record(layoutalg::Text& to) const {
    to.put('[');
    [&]<int... i>(std::integer_sequence<int, i...>) {
      ((i ? to.put(',') : void(), layoutalg::put(to, held_at<i>(*this))), ...);
    }(std::make_integer_sequence<int, sizeof...(T)>{});
    to.put(']');
  }
  constexpr auto entry(index_t n) const {
    return [&]<int... i>(std::integer_sequence<int, i...>) {
      const index_t all[] = {static_cast<index_t>(held_at<i>(*this))...};
      return all[as_int(n)];
    }(std::make_integer_sequence<int, sizeof...(T)>{});
  }
};

template <index_t... v>
struct sequence : tuple<constant<v>...> {
  using type = sequence;
  static constexpr index_t size() { return sizeof...(v); }
  static constexpr index_t Size() { return sizeof...(v); }
  template <index_t n>
  static constexpr auto get() { return tuple<constant<v>...>{}.template get<n>(); }
  template <auto n>
  static constexpr auto get(constant<n>) { return get<n>(); }
  template <auto n>
  static constexpr auto at(constant<n>) { return get<n>(); }
  template <auto n>
  static constexpr auto At(constant<n>) { return get<n>(); }
  static constexpr index_t at(index_t n) { return tuple<constant<v>...>{}.entry(n); }
  static constexpr index_t At(index_t n) { return at(n); }
  static constexpr auto front() { return get<0>(); }
  static constexpr auto back() { return get<sizeof...(v) - 1>(); }
  static constexpr index_t sum() { return (index_t(0) + ... + v); }
};

template <class T, index_t n>
struct array {
  T entries[as_int(n)]{};
  constexpr array() = default;
  template <class... A>
    requires(sizeof...(A) > 0)
  constexpr array(const A&... given) : entries{static_cast<T>(given)...} {}
  static constexpr index_t size() { return n; }
  static constexpr index_t Size() { return n; }
  template <index_t i>
  constexpr T get() const { return entries[as_int(i)]; }
  constexpr T operator[](index_t i) const { return entries[as_int(i)]; }
  constexpr T at(index_t i) const { return entries[as_int(i)]; }
  constexpr T& operator()(index_t i) { return entries[as_int(i)]; }
  constexpr void record(layoutalg::Text& to) const {
    to.put('[');
    for (int i = 0; i < as_int(n); ++i) i ? to.put(',') : void(), layoutalg::put(to, entries[i]);
    to.put(']');
  }
};
template <index_t n>
using multi_index = array<index_t, n>;

template <class... T>
constexpr auto make_tuple(const T&... values) { return tuple<T...>{values...}; }
template <class... T>
constexpr auto tie(const T&... values) { return tuple<T...>{values...}; }
template <class... T>
constexpr auto make_multi_index(const T&... values) { return tuple<T...>{values...}; }
template <class... T>
constexpr auto make_array(const T&... values) { return tuple<T...>{values...}; }

template <class T>
inline constexpr int count_of = as_int(T::size());

template <class L, class F>
constexpr auto with_entries(const L& list, F function) {
  return [&]<int... n>(std::integer_sequence<int, n...>) {
    return function(list.template get<n>()...);
  }(std::make_integer_sequence<int, count_of<L>>{});
}
template <class T>
constexpr auto container_concat(const T& list) {
  return with_entries(list, [](const auto&... e) { return make_tuple(e...); });
}
template <class A, class B, class... T>
constexpr auto container_concat(const A& a, const B& b, const T&... more) {
  return container_concat(with_entries(a, [&](const auto&... x) {
    return with_entries(b, [&](const auto&... y) { return make_tuple(x..., y...); });
  }), more...);
}
template <class... T>
constexpr auto concat_tuple(const T&... lists) { return container_concat(lists...); }
template <class... T>
constexpr auto tuple_cat(const T&... lists) { return container_concat(lists...); }
template <auto... v>
constexpr auto to_sequence(const tuple<constant<v>...>&) { return sequence<v...>{}; }
template <index_t... v>
constexpr auto to_sequence(const sequence<v...>&) { return sequence<v...>{}; }
template <class T>
constexpr auto to_multi_index(const T& list) { return list; }
template <class... T>
constexpr auto merge_sequences(const T&... lists) { return to_sequence(container_concat(lists...)); }
template <class... T>
struct sequence_merge { using type = decltype(merge_sequences(T{}...)); };

template <class F, auto n>
constexpr auto generate_tuple(F function, constant<n>) {
  return [&]<int... i>(std::integer_sequence<int, i...>) {
    return make_tuple(function(number<i>{})...);
  }(std::make_integer_sequence<int, as_int(n)>{});
}
template <class F, auto n>
constexpr auto generate_sequence_v2(F function, constant<n> count) { return to_sequence(generate_tuple(function, count)); }
template <class F, auto n>
constexpr auto generate_sequence(F function, constant<n> count) { return to_sequence(generate_tuple(function, count)); }

template <index_t begin, index_t end, index_t step>
struct arithmetic_sequence_gen {
  template <int... n>
  static sequence<(begin + n * step)...> of(std::integer_sequence<int, n...>);
  static constexpr int reach = as_int(end) - as_int(begin), by = as_int(step);
  static constexpr int count = (reach > 0) == (by > 0) ? (reach + by + (by > 0 ? -1 : 1)) / by : 0;
  using type = decltype(of(std::make_integer_sequence<int, count>{}));
};
template <index_t count, index_t value>
struct uniform_sequence_gen {
  template <int... n>
  static sequence<((void)n, value)...> of(std::integer_sequence<int, n...>);
  using type = decltype(of(std::make_integer_sequence<int, as_int(count)>{}));
};
template <index_t n>
using make_index_sequence = typename arithmetic_sequence_gen<0, n, 1>::type;

template <class L, class F, class T>
constexpr auto reduce_on_sequence(const L& list, F function, const T& start) {
  return with_entries(list, [&](const auto&... e) {
    index_t result = start;
    ((result = function(result, static_cast<index_t>(e))), ...);
    return result;
  });
}

template <index_t begin, index_t end, index_t step>
struct static_for {
  template <class F>
  constexpr void operator()(F function) const {
    with_entries(typename arithmetic_sequence_gen<begin, end, step>::type{}, [&](auto... n) { (function(n), ...); });
  }
};

// --- arithmetic -------------------------------------------------------------------------------------------------

template <class A, class B>
constexpr auto integer_divide_ceil(const A& a, const B& b) { return (a + b - number<1>{}) / b; }
template <class A, class B>
constexpr auto integer_divide_floor(const A& a, const B& b) { return a / b; }
template <class A, class B>
constexpr auto integer_least_multiple(const A& a, const B& b) { return integer_divide_ceil(a, b) * b; }

constexpr index_t index_of(const auto& n) { return static_cast<index_t>(n); }
constexpr int lesser(int a, int b) { return a < b ? a : b; }
constexpr int greater(int a, int b) { return a > b ? a : b; }
constexpr layoutalg::Size lesser(const layoutalg::Size& a, const layoutalg::Size& b) { return layoutalg::Size::of(a, 'm', b); }
constexpr layoutalg::Size greater(const layoutalg::Size& a, const layoutalg::Size& b) { return layoutalg::Size::of(a, 'M', b); }
template <class T>
constexpr auto min(const T& a) { return a; }
template <class A, class B, class... T>
constexpr auto min(const A& a, const B& b, const T&... more) { return min(lesser(index_of(a), index_of(b)), more...); }
template <class T>
constexpr auto max(const T& a) { return a; }
template <class A, class B, class... T>
constexpr auto max(const A& a, const B& b, const T&... more) { return max(greater(index_of(a), index_of(b)), more...); }
template <auto a, auto b>
constexpr auto min(constant<a>, constant<b>) { return number<lesser(index_of(a), index_of(b))>{}; }
template <auto a, auto b>
constexpr auto max(constant<a>, constant<b>) { return number<greater(index_of(a), index_of(b))>{}; }

constexpr int gcd(int a, int b) { return static_cast<int>(layoutalg::greatest_common(a, b)); }
constexpr int gcd(int a, int b, auto... more) { return gcd(gcd(a, b), more...); }
constexpr int lcm(int a, int b) { return a / gcd(a, b) * b; }
constexpr int lcm(int a, int b, auto... more) { return lcm(lcm(a, b), more...); }
constexpr int integer_log2_floor(int n) { return n > 1 ? 1 + integer_log2_floor(n / 2) : 0; }
constexpr bool is_power_of_two_integer(int n) { return n > 0 && (n & (n - 1)) == 0; }
constexpr int next_power_of_two(int n) { return n > 1 ? 2 * next_power_of_two((n + 1) / 2) : 1; }
template <class... T>
constexpr void printf(const char*, const T&...) {}
constexpr index_t get_warp_size() { return 64; }
constexpr index_t get_n_lds_banks() { return 32; }

// --- what is recorded -------------------------------------------------------------------------------------------

template <layoutalg::Name name, class... T>
struct call {
  tuple<T...> arguments;
  constexpr call() = default;
  constexpr call(const T&... given)
    requires(sizeof...(T) > 0)
      : arguments{given...} {}
  constexpr void record(layoutalg::Text& to) const {
    to.put("{\"call\":\"");
    to.put(name.text);
    to.put("\",\"arguments\":");
    put(to, arguments);
    to.put('}');
  }
};

/// A function of one index, as what it computes of it.
template <class F>
struct mapped {
  F function;
  constexpr void record(layoutalg::Text& to) const {
    const auto of = [this](layoutalg::Decisions* asked) {
      return layoutalg::Size(function(layoutalg::Size::symbol(-1, 0, layoutalg::Size::unlimited, 1, asked)));
    };
    layoutalg::Cases<decltype(of)>{of}.record(to);
  }
};

template <layoutalg::Name name, class... T>
struct transform : call<name, T...> {
  using call<name, T...>::call;
  static constexpr bool counts = name.starts("make_");
  template <int n>
  constexpr auto given() const { return this->arguments.template get<n>(); }
  static constexpr bool is(const char* one, const char* tile = "", const char* old = "") {
    return name == one || name == tile || name == old;
  }
  /// The lengths of its upper dimensions.
  constexpr auto upper() const {
    if constexpr (is("make_pass_through_transform", "pass_through", "PassThrough") ||
                  is("make_insert_transform", "insert", "Insert") || is("make_offset_transform", "offset"))
      return make_tuple(given<0>());
    else if constexpr (is("make_embed_transform", "embed", "Embed") || is("make_unmerge_transform", "unmerge", "UnMerge") ||
                       is("make_replicate_transform", "replicate") || is("make_xor_transform", "xor_t", "Xor") ||
                       is("make_xor_with_modulo_transform") || is("make_cyclic_shift_transform") ||
                       is("make_inverse_cyclic_shift_transform"))
      return given<0>();
    else if constexpr (name.starts("make_merge_transform") || name.starts("merge_") || name.starts("Merge_"))
      return make_tuple(with_entries(given<0>(), [](const auto&... n) { return (number<1>{} * ... * n); }));
    else if constexpr (is("make_pad_transform", "pad", "Pad"))
      return make_tuple(given<0>() + given<1>() + given<2>());
    else if constexpr (is("make_left_pad_transform", "left_pad", "LeftPad") ||
                       is("make_right_pad_transform", "right_pad", "RightPad"))
      return make_tuple(given<0>() + given<1>());
    else if constexpr (is("make_slice_transform", "slice", "Slice"))
      return make_tuple(given<2>() - given<1>());
    else if constexpr (is("make_modulo_transform", "modulo", "Modulo") || is("make_functor_transform") ||
                       is("make_vectorize_transform", "Vectorize"))
      return make_tuple(given<1>());
    else if constexpr (is("make_freeze_transform", "freeze", "Freeze"))
      return make_tuple();
    else
      return make_tuple();  // not known here
  }
};

template <class F, class T>
constexpr auto make_functor_transform(F function, const T& length) {
  return transform<"make_functor_transform", mapped<F>, T>{mapped<F>{function}, length};
}

/// Where an id stands in a group of ids; the number of ids where it does not.
template <class... T>
constexpr int index_in(int id, const T&... ids) {
  int n = 0;
  (void)((as_int(index_of(ids)) == id || (++n, false)) || ...);
  return n;
}
/// Which of some groups of ids holds an id, and where in it: the group times 64 and the place.
template <class G, int g = 0>
constexpr int place_of(int id) {
  using Group = decltype(G{}.template get<g>());
  const int n = with_entries(Group{}, [&](const auto&... ids) { return index_in(id, ids...); });
  if constexpr (g + 1 < count_of<G>) {
    if (n == count_of<Group>) return place_of<G, g + 1>(id);
  }
  return g * 64 + n;
}
template <class G>
constexpr int ids_of() {
  return with_entries(G{}, [](auto... group) { return (0 + ... + count_of<decltype(group)>); });
}

struct unknown_offset {};

/// A descriptor or an adaptor: the call that makes it, its lengths, and what its elements take.
template <class C, class L, class S>
struct tensor_descriptor : C {
  L lengths;
  S space;
  constexpr tensor_descriptor(const C& made, const L& of, const S& size) : C(made), lengths(of), space(size) {}
  constexpr auto get_lengths() const { return lengths; }
  constexpr auto GetLengths() const { return lengths; }
  template <auto n>
  constexpr auto get_length(constant<n>) const { return lengths.template get<n>(); }
  template <auto n>
  constexpr auto GetLength(constant<n>) const { return lengths.template get<n>(); }
  constexpr auto get_length(index_t n) const { return lengths.entry(n); }
  constexpr auto get_element_space_size() const { return space; }
  constexpr auto GetElementSpaceSize() const { return space; }
  constexpr auto get_element_size() const {
    return with_entries(lengths, [](const auto&... n) { return (number<1>{} * ... * n); });
  }
  static constexpr index_t get_num_of_dimension() { return L::size(); }
  static constexpr index_t GetNumOfDimension() { return L::size(); }
  static constexpr index_t get_num_of_top_dimension() { return L::size(); }
  template <class T>
  constexpr unknown_offset calculate_offset(const T&) const { return {}; }
  template <class T>
  constexpr unknown_offset CalculateOffset(const T&) const { return {}; }
  constexpr auto get_tensor_descriptor() const { return *this; }
};
template <class C, class L, class S>
constexpr auto described(const C& made, const L& lengths, const S& space) {
  return tensor_descriptor<C, L, S>{made, lengths, space};
}
template <layoutalg::Name name, class... T>
constexpr auto called(const T&... given) { return call<name, T...>{given...}; }

template <class L, class S>
constexpr auto space_of(const L& lengths, const S& strides) {
  return with_entries(lengths, [&](const auto&... n) {
    return with_entries(strides, [&](const auto&... s) { return (number<1>{} + ... + ((n - number<1>{}) * s)); });
  });
}
template <class L>
constexpr auto product_of(const L& lengths) {
  return with_entries(lengths, [](const auto&... n) { return (number<1>{} * ... * n); });
}

template <class L, class S, class... H>
constexpr auto make_naive_tensor_descriptor(const L& lengths, const S& strides, const H&... hints) {
  return described(called<"make_naive_tensor_descriptor">(lengths, strides, hints...), lengths, space_of(lengths, strides));
}
template <class L, class S, class O, class... H>
constexpr auto make_naive_tensor_descriptor_with_offset(const L& lengths, const S& strides, const O& offset, const H&... hints) {
  return described(called<"make_naive_tensor_descriptor_with_offset">(lengths, strides, offset, hints...), lengths,
                   space_of(lengths, strides));
}
template <class L, class... H>
constexpr auto make_naive_tensor_descriptor_packed(const L& lengths, const H&... hints) {
  return described(called<"make_naive_tensor_descriptor_packed">(lengths, hints...), lengths, product_of(lengths));
}
template <class L, class A>
constexpr auto make_naive_tensor_descriptor_aligned(const L& lengths, const A& align) {
  return described(called<"make_naive_tensor_descriptor_aligned">(lengths, align), lengths, unknown_offset{});
}

/// The upper lengths of one of some transforms, and one of these; unknown where there is none: layoutalg says why.
template <int n, class T>
constexpr auto upper_of(const T& transforms) {
  if constexpr (requires { transforms.template get<n>().upper(); } && n < count_of<T>)
    return transforms.template get<n>().upper();
  else
    return make_tuple();
}
template <int n, class L>
constexpr auto entry_or_unknown(const L& list) {
  if constexpr (n < count_of<L>)
    return list.template get<n>();
  else
    return unknown_offset{};
}

template <class D, class T, class L, class U>
constexpr auto upper_lengths(const D&, const T& transforms, const L&, const U&) {
  return [&]<int... d>(std::integer_sequence<int, d...>) {
    return make_tuple(entry_or_unknown<place_of<U>(d) % 64>(upper_of<place_of<U>(d) / 64>(transforms))...);
  }(std::make_integer_sequence<int, ids_of<U>()>{});
}
template <class D, class T, class L, class U>
constexpr auto transform_tensor_descriptor(const D& below, const T& transforms, const L& lower, const U& upper) {
  return described(called<"transform_tensor_descriptor">(below, transforms, lower, upper),
                   upper_lengths(below, transforms, lower, upper), below.get_element_space_size());
}
template <class D, class T, class L, class U>
constexpr auto transform_tensor_view(const D& below, const T& transforms, const L& lower, const U& upper) {
  return transform_tensor_descriptor(below, transforms, lower, upper);
}
template <class D, class T, class L, class U>
constexpr auto transform_tensor_adaptor(const D& below, const T& transforms, const L& lower, const U& upper) {
  return described(called<"transform_tensor_adaptor">(below, transforms, lower, upper),
                   upper_lengths(below, transforms, lower, upper), unknown_offset{});
}
template <class T, class L, class U>
constexpr auto make_single_stage_tensor_adaptor(const T& transforms, const L& lower, const U& upper) {
  return described(called<"make_single_stage_tensor_adaptor">(transforms, lower, upper),
                   upper_lengths(0, transforms, lower, upper), unknown_offset{});
}
template <class A, class B, class... T>
constexpr auto chain_tensor_adaptors(const A& below, const B& above, const T&... more) {
  const auto made = described(called<"chain_tensor_adaptors">(below, above), above.get_lengths(), unknown_offset{});
  if constexpr (sizeof...(T) == 0)
    return made;
  else
    return chain_tensor_adaptors(made, more...);
}
template <class A, class S>
constexpr auto make_tensor_descriptor_from_adaptor(const A& adaptor, const S& space) {
  return described(called<"make_tensor_descriptor_from_adaptor">(adaptor, space), adaptor.get_lengths(), space);
}

struct unknown_window {};
struct unknown_place {
  constexpr unknown_place(auto...) {}
};
template <class V, class L, class O = unknown_place, class... D>
constexpr auto make_tile_window(const V&, const L&, const O& = {}, const D&...) { return unknown_window{}; }
template <class... T>
constexpr auto load_tile(const T&...) { return unknown_window{}; }
template <class... T>
constexpr void store_tile(const T&...) {}
template <class... T>
constexpr void update_tile(const T&...) {}
template <class... T>
constexpr void move_tile_window(const T&...) {}
constexpr void block_sync_lds() {}

enum struct address_space_enum { generic, global, lds, sgpr, constant, vgpr };
template <auto... of, class P, class L, class S, class... H>
constexpr auto make_naive_tensor_view(const P&, const L& lengths, const S& strides, const H&... hints) {
  return make_naive_tensor_descriptor(lengths, strides, hints...);
}
template <auto... of, class P, class L, class... H>
constexpr auto make_naive_tensor_view_packed(const P&, const L& lengths, const H&... hints) {
  return make_naive_tensor_descriptor_packed(lengths, hints...);
}
template <auto... of, class P, class D>
constexpr auto make_tensor_view(const P&, const D& descriptor) { return descriptor; }
template <class D, class T, class W>
constexpr auto pad_tensor_view(const D& view, const T& tiles, const W& which) {
  return described(called<"pad_tensor_view">(view, tiles, which), unknown_offset{}, view.get_element_space_size());
}

template <class Rs, class Hs, class PsMajor, class PsMinor, class YsMajor, class YsMinor>
struct tile_distribution_encoding : call<"tile_distribution_encoding", Rs, Hs, PsMajor, PsMinor, YsMajor, YsMinor> {
  using RsLengths = Rs;
  using HsLengthss = Hs;
  static constexpr index_t NDimX = Hs::size();
  static constexpr index_t NDimP = PsMajor::size();
  static constexpr index_t NDimY = YsMajor::size();
  static constexpr index_t NDimR = Rs::size();
  static constexpr Rs rs_lengths_{};
  static constexpr Hs hs_lengthss_{};
};
namespace detail {
template <class A, class B>
constexpr auto make_embed_tile_distribution_encoding(const A& outer, const B& inner) {
  static_assert(requires { outer.arguments; inner.arguments; }, "this is no tile_distribution_encoding");
  return called<"make_embed_tile_distribution_encoding">(outer, inner);
}
}  // namespace detail
using detail::make_embed_tile_distribution_encoding;
template <class E>
struct tile_distribution : call<"make_static_tile_distribution", E> {
  using call<"make_static_tile_distribution", E>::call;
  using DstrEncode = E;
  static constexpr auto get_static_tile_distribution_encoding() { return E{}; }
  static constexpr index_t get_num_of_dimension_x() { return E::NDimX; }
  static constexpr index_t get_num_of_dimension_y() { return E::NDimY; }
  static constexpr index_t get_num_of_dimension_p() { return E::NDimP; }
  static constexpr auto get_lengths() {
    return with_entries(typename E::HsLengthss{}, [](const auto&... h) { return make_tuple(product_of(h)...); });
  }
};
template <class E>
constexpr auto make_static_tile_distribution(const E& encoding) { return tile_distribution<E>{encoding}; }
template <class E>
constexpr auto make_tile_distribution(const E& encoding) { return tile_distribution<E>{encoding}; }

namespace tensor_layout {
namespace gemm {
struct RowMajor {};
struct ColumnMajor {};
}  // namespace gemm
namespace convolution {
struct NHWC {};
struct NCHW {};
struct NWC {};
struct NDHWC {};
struct NHWGC {};
struct GNHWC {};
struct KYXC {};
struct GKYXC {};
struct NHWK {};
struct NHWGK {};
struct GNHWK {};
}  // namespace convolution
}  // namespace tensor_layout

template <class T>
struct numeric_traits;

}  // namespace ck_tile

namespace ck {
using namespace ck_tile;
template <index_t v>
using Number = constant<v>;
template <index_t... v>
using Sequence = sequence<v...>;
template <class... T>
using Tuple = tuple<T...>;
template <class T, index_t n>
using Array = array<T, n>;
template <index_t n>
using MultiIndex = array<index_t, n>;
namespace math {
using namespace ck_tile;
}
namespace tensor_layout {
using namespace ck_tile::tensor_layout;
}

/// A descriptor that is written out: its transforms with their hidden ids; or of lengths and strides.
template <class... T>
struct TensorDescriptor;
template <class T, class Lower, class Upper, class Top, class Space>
struct TensorDescriptor<T, Lower, Upper, Top, Space> : call<"TensorDescriptor", T, Lower, Upper, Top, Space> {
  template <class Made, class S>
  constexpr TensorDescriptor(const Made& transforms, const S& space)
      : call<"TensorDescriptor", T, Lower, Upper, Top, Space>{transforms, {}, {}, {}, space} {}
};
template <class L, class S>
struct TensorDescriptor<L, S> : call<"make_naive_tensor_descriptor", L, S> {};
}  // namespace ck
namespace ck_tile {
using ck::TensorDescriptor;
using ck::Sequence;
namespace math = ck::math;
}  // namespace ck_tile

namespace layoutalg {

/// What a header says that another one holds: of `Problem::kM` no more than `-D` gives.  `Late`: so that what is given
/// is looked up where it is asked for.
template <Name path>
struct Open;
template <int n, class Late>
struct GivenType {};
template <int n, class Late>
struct GivenValue {};

template <Name path, Name word>
constexpr auto joined() {
  constexpr int first = sizeof(path.text) - 1, second = sizeof(word.text) - 1;
  char made[first + second + 3]{};
  for (int n = 0; n < first; ++n) made[n] = path.text[n];
  made[first] = made[first + 1] = ':';
  for (int n = 0; n < second; ++n) made[first + 2 + n] = word.text[n];
  return Name<first + second + 3>(made);
}

/// Whether a path ends with another, part by part.
constexpr bool ends_with(const char* path, const char* end) {
  int a = 0, b = 0;
  while (path[a]) ++a;
  while (end[b]) ++b;
  if (b > a) return false;
  for (int n = 0; n < b; ++n) {
    if (path[a - b + n] != end[n]) return false;
  }
  return a == b || path[a - b - 1] == ':';
}

/// The type of a variable that is not read.
struct Unread;

/// A layout that was built; of anything else nothing is written.
template <class T>
struct Built {
  T value;
  constexpr void record(Text& to) const {
    if constexpr (requires { value.arguments; })
      value.record(to);
    else
      to.put("null");
  }
};
template <class T>
Built(T) -> Built<T>;

}  // namespace layoutalg
