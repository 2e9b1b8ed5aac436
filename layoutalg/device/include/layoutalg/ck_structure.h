// What CK's constexpr objects are made of, as JSON text in constant data: the compiler builds them and nothing runs.
//
//   layoutalg::structure(make_naive_tensor_descriptor(make_tuple(M, number<64>{}), …))   // a constant expression
//
//   {"kind":"descriptor","transforms":[["embed",[["M"],64],[64,1]]],"lower":[[0]],"upper":[[1,2]],"top":[1,2],…}
//
// Of CK's classes only the interface is used, that of ck_tile and that of ck (which writes names in capitals), so that
// no version of theirs must be included here.  A transform is known by the name of its class template, never by what
// members it happens to have: of a name that is not in the table below, the compiler says so and stops.  What a
// version of CK means by a name may still be something else, so CK's own offset of two indices stands beside.
//
// What it cannot represent: what is no constant expression, and `indexing`, whose adaptors hold what a kernel computes.
#pragma once

#include <type_traits>
#include <utility>

namespace ck {
template <class T, T value>
struct integral_constant;  // old CK's numbers, which index its tuples
}

namespace layoutalg {

template <class>
inline constexpr bool unknown = false;

/// A text of a size that is found as it is written; more than it holds is no constant expression.
struct Text {
  static constexpr int capacity = 1 << 16;
  char characters[capacity]{};
  int size = 0;

  constexpr void put(char c) { characters[size++] = c; }
  constexpr void put(const char* text) {
    while (*text) put(*text++);
  }
  constexpr void integer(long long n) {
    if (n < 0) put('-');
    if (n <= -10 || n >= 10) integer(n < 0 ? -(n / 10) : n / 10);
    put(static_cast<char>('0' + (n < 0 ? -(n % 10) : n % 10)));
  }
};

/// A text of its own size: what the object file holds.
template <int size>
struct Exact {
  char characters[size]{};
};

template <int size>
constexpr Exact<size> exact(const Text& text) {
  Exact<size> made;
  for (int n = 0; n < size; ++n) made.characters[n] = text.characters[n];
  return made;
}

/// The name of a type as the compiler writes it: `ck_tile::embed<…>`.
template <class T>
constexpr const char* name_of() {
  const char* name = __PRETTY_FUNCTION__;
  while (*name++ != '=') {
  }
  return ++name;
}

/// Whether a type is an instance of CK's class template of that name; another namespace's may mean something else.
template <class T>
constexpr bool is(const char* wanted) {
  const char* name = name_of<T>();
  const char* space = "ck";
  while (*space) {
    if (*name++ != *space++) return false;
  }
  for (space = "_tile"; *space && *name == *space; ++name) ++space;
  while (*name == ':') ++name;
  while (*wanted && *name == *wanted) ++name, ++wanted;
  return !*wanted && *name == '<';
}

template <class T>
using plain = std::remove_cv_t<std::remove_reference_t<T>>;

template <class T>
constexpr int size_of() {
  if constexpr (requires { T::size(); })
    return static_cast<int>(T::size());
  else
    return static_cast<int>(T::Size());
}

template <int n, class T>
constexpr decltype(auto) entry(const T& list) {
  if constexpr (requires { list.template get<n>(); })
    return list.template get<n>();
  else if constexpr (requires { list.At(ck::integral_constant<int, n>{}); })
    return list.At(ck::integral_constant<int, n>{});
  else
    return list[n];
}

template <class T>
constexpr void put(Text& to, const T& value);

template <class T>
constexpr void put_list(Text& to, const T& list) {
  to.put('[');
  [&]<int... n>(std::integer_sequence<int, n...>) {
    ((n ? to.put(',') : void(), put(to, entry<n>(list))), ...);
  }(std::make_integer_sequence<int, size_of<T>()>{});
  to.put(']');
}

template <class T>
constexpr void put_key(Text& to, const char* key, const T& value) {
  to.put(",\"");
  to.put(key);
  to.put("\":");
  put(to, value);
}

template <class... T>
constexpr void put_transform(Text& to, const char* name, const T&... parameters) {
  to.put("[\"");
  to.put(name);
  to.put('"');
  ((to.put(','), put(to, parameters)), ...);
  to.put(']');
}

/// Whether a type's name has a part.
template <class T>
constexpr bool mentions(const char* part) {
  for (const char* name = name_of<T>(); *name; ++name) {
    const char *at = name, *wanted = part;
    while (*wanted && *at == *wanted) ++at, ++wanted;
    if (!*wanted) return true;
  }
  return false;
}

/// A transform: its name, then the members that make it, in this table's order. A flag that is set (SkipIsValidCheck,
/// Use24BitIntegerCalculation) makes another transform of it, which is not read; of Xor, the modulo.
template <class T>
constexpr void put_transform_of(Text& to, const T& t) {
  if constexpr (is<T>("Xor"))
    put_transform(to, mentions<T>(", true>") ? "xor" : "xor_no_modulo", t.up_lengths_);
  else if constexpr (mentions<T>(", true>"))
    static_assert(unknown<T>, "layoutalg reads no transform with SkipIsValidCheck or Use24BitIntegerCalculation");
  else if constexpr (is<T>("pass_through") || is<T>("PassThrough"))
    put_transform(to, "pass_through", entry<0>(t.up_lengths_));
  else if constexpr (is<T>("pad") || is<T>("Pad"))
    put_transform(to, "pad", entry<0>(t.up_lengths_), t.left_pad_length_, t.right_pad_length_);
  else if constexpr (is<T>("left_pad") || is<T>("LeftPad"))
    put_transform(to, "left_pad", entry<0>(t.up_lengths_), t.left_pad_length_);
  else if constexpr (is<T>("right_pad") || is<T>("RightPad"))
    put_transform(to, "right_pad", t.low_length_, t.right_pad_length_);
  else if constexpr (is<T>("embed") || is<T>("Embed"))
    put_transform(to, "embed", t.up_lengths_, t.coefficients_);
  else if constexpr (is<T>("Merge_v1_carry_check"))
    put_transform(to, "merge_v1_carry_check", t.low_lengths_);
  else if constexpr (is<T>("merge_v2_magic_division") || is<T>("Merge_v2_magic_division"))
    put_transform(to, "merge_v2_magic_division", t.low_lengths_);
  else if constexpr (is<T>("merge_v3_division_mod") || is<T>("Merge_v3_division_mod"))
    put_transform(to, "merge_v3_division_mod", t.low_lengths_);
  else if constexpr (is<T>("Merge_v2r2_magic_division"))
    put_transform(to, "merge_v2r2_magic_division", t.low_lengths_);
  else if constexpr (is<T>("Merge_v4_no_carry"))
    put_transform(to, "merge_v4_no_carry", t.low_lengths_);
  else if constexpr (is<T>("unmerge") || is<T>("UnMerge"))
    put_transform(to, "unmerge", t.up_lengths_);
  else if constexpr (is<T>("freeze") || is<T>("Freeze"))
    put_transform(to, "freeze", t.low_idx_);
  else if constexpr (is<T>("insert") || is<T>("Insert"))
    put_transform(to, "insert", entry<0>(t.up_lengths_));
  else if constexpr (is<T>("replicate"))
    put_transform(to, "replicate", t.up_lengths_);
  else if constexpr (is<T>("slice") || is<T>("Slice"))
    put_transform(to, "slice", t.slice_begin_, t.slice_end_);
  else if constexpr (is<T>("modulo") || is<T>("Modulo"))
    put_transform(to, "modulo", t.modulus_, entry<0>(t.up_lengths_));
  else if constexpr (is<T>("xor_t"))
    put_transform(to, "xor", t.up_lengths_);
  else if constexpr (is<T>("offset"))
    put_transform(to, "offset", entry<0>(t.up_lengths_), t.offset_length_);
  else if constexpr (is<T>("Vectorize"))
    put_transform(to, "vectorize", t.vector_size_, entry<0>(t.up_lengths_));
  else
    static_assert(unknown<T>, "layoutalg knows no transform of this kind");
}

template <class T>
constexpr void put_transforms(Text& to, const T& transforms) {
  to.put('[');
  [&]<int... n>(std::integer_sequence<int, n...>) {
    ((n ? to.put(',') : void(), put_transform_of(to, entry<n>(transforms))), ...);
  }(std::make_integer_sequence<int, size_of<T>()>{});
  to.put(']');
}

template <class T>
constexpr void put_encoding(Text& to, T) {
  put_key(to, "rs", typename T::RsLengths{});
  put_key(to, "hs", typename T::HsLengthss{});
  put_key(to, "ps_major", typename T::Ps2RHssMajor{});
  put_key(to, "ps_minor", typename T::Ps2RHssMinor{});
  put_key(to, "ys_major", typename T::Ys2RHsMajor{});
  put_key(to, "ys_minor", typename T::Ys2RHsMinor{});
}

/// The last index of a descriptor, or one two thirds of the way.
template <class T>
constexpr auto index_of(const T& descriptor, bool last) {
  typename T::TopIndex index{};
  [&]<int... n>(std::integer_sequence<int, n...>) {
    ((index(n) = last ? entry<n>(descriptor.get_lengths()) - 1 : entry<n>(descriptor.get_lengths()) / 3 * 2), ...);
  }(std::make_integer_sequence<int, T::get_num_of_dimension()>{});
  return index;
}

/// Whether a descriptor is its type (no integer is kept in it, no open size), and CK computes its offsets as constants:
/// not where they overflow.
template <class T>
concept Computed = !(mentions<T>("layoutalg::") || mentions<T>("<int") || mentions<T>(" int") || mentions<T>("long")) &&
                   requires {
                     typename T::TopIndex;
                     typename std::integral_constant<long long, T{}.calculate_offset(index_of(T{}, true))>;
                   };

/// What CK itself computes as the offset of an index, to hold what is read of a descriptor against.
template <class T>
constexpr void put_sample(Text& to, const T& descriptor, bool last) {
  const auto index = index_of(descriptor, last);
  to.put('[');
  put(to, index);
  to.put(',');
  to.integer(descriptor.calculate_offset(index));
  to.put(']');
}

/// Any value: a number, a list of values, a layout.
template <class T>
constexpr void put(Text& to, const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    to.put(value ? "true" : "false");
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    to.integer(static_cast<long long>(value));
  else if constexpr (requires { value.record(to); })  // a size that is not fixed
    value.record(to);
  else if constexpr (requires { typename T::value_type; T::value; })
    put(to, T::value);
  else if constexpr (requires { value.get_element_space_size(); value.get_transforms(); }) {
    to.put("{\"kind\":\"descriptor\",\"transforms\":");
    put_transforms(to, value.get_transforms());
    put_key(to, "lower", T::get_lower_dimension_hidden_idss());
    put_key(to, "upper", T::get_upper_dimension_hidden_idss());
    put_key(to, "top", T::get_top_dimension_hidden_ids());
    put_key(to, "element_space_size", value.get_element_space_size());
    put_key(to, "vector_lengths", typename T::GuaranteedVectorLengths{});
    put_key(to, "vector_strides", typename T::GuaranteedVectorStrides{});
    if constexpr (Computed<T>) {
      to.put(",\"samples\":[");
      put_sample(to, value, true);
      to.put(',');
      put_sample(to, value, false);
      to.put(']');
    }
    to.put('}');
  } else if constexpr (requires { value.GetElementSpaceSize(); value.GetTransforms(); }) {
    to.put("{\"kind\":\"descriptor\",\"transforms\":");
    put_transforms(to, value.GetTransforms());
    put_key(to, "lower", T::GetLowerDimensionIdss());
    put_key(to, "upper", T::GetUpperDimensionIdss());
    put_key(to, "top", T::GetVisibleDimensionIds());
    put_key(to, "element_space_size", value.GetElementSpaceSize());
    to.put('}');
  } else if constexpr (requires { value.get_transforms(); T::get_bottom_dimension_hidden_ids(); }) {
    to.put("{\"kind\":\"adaptor\",\"transforms\":");
    put_transforms(to, value.get_transforms());
    put_key(to, "lower", T::get_lower_dimension_hidden_idss());
    put_key(to, "upper", T::get_upper_dimension_hidden_idss());
    put_key(to, "top", T::get_top_dimension_hidden_ids());
    put_key(to, "bottom", T::get_bottom_dimension_hidden_ids());
    to.put('}');
  } else if constexpr (requires { value.GetTransforms(); T::GetBottomDimensionHiddenIds(); }) {
    to.put("{\"kind\":\"adaptor\",\"transforms\":");
    put_transforms(to, value.GetTransforms());
    put_key(to, "lower", T::GetLowerDimensionHiddenIdss());
    put_key(to, "upper", T::GetUpperDimensionHiddenIdss());
    put_key(to, "top", T::GetTopDimensionHiddenIds());
    put_key(to, "bottom", T::GetBottomDimensionHiddenIds());
    to.put('}');
  } else if constexpr (requires { typename T::DstrEncode; value.get_ps_ys_to_xs_adaptor(); }) {
    to.put("{\"kind\":\"distribution\"");
    put_encoding(to, typename T::DstrEncode{});
    put_key(to, "adaptor", value.get_ps_ys_to_xs_adaptor());
    to.put('}');
  } else if constexpr (requires { typename T::HsLengthss; typename T::Ps2RHssMajor; }) {
    to.put("{\"kind\":\"distribution\"");
    put_encoding(to, value);
    to.put('}');
  } else if constexpr (requires { typename T::AWarpDstrEncoding; T::kM; T::kN; T::kK; }) {
    to.put("{\"kind\":\"warp_gemm\"");
    put_key(to, "m", T::kM);
    put_key(to, "n", T::kN);
    put_key(to, "k", T::kK);
    put_key(to, "a", typename T::AWarpDstrEncoding{});
    put_key(to, "b", typename T::BWarpDstrEncoding{});
    put_key(to, "c", typename T::CWarpDstrEncoding{});
    to.put('}');
  } else if constexpr (requires { value.get_window_lengths(); }) {
    to.put("{\"kind\":\"window\"");
    put_key(to, "lengths", value.get_window_lengths());
    to.put('}');
  } else if constexpr (requires { T::size(); } || requires { T::Size(); })
    put_list(to, value);
  else
    static_assert(unknown<T>, "layoutalg reads descriptors, adaptors, distributions, windows, warp GEMMs and numbers");
}

template <class T>
constexpr Text structure(const T& value) {
  Text made;
  put(made, value);
  return made;
}

}  // namespace layoutalg
