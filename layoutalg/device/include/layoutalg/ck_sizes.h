// Sizes that are not fixed, in CK's own templates: a literal class that records what is computed of it.
//
//   constexpr layoutalg::Size M = layoutalg::Size::symbol(0);
//   make_naive_tensor_descriptor(make_tuple(M, number<64>{}), make_tuple(number<64>{}, number<1>{}))
//
// A length may be of any type there, so this one goes through where `index_t` would; what comes out as M * 64 is written
// as {"size":["s0",64,"*"]}: operands first, then the operator.  Nothing is compared, so that no branch is taken for a
// size that it does not hold for: where CK compares, or says `index_t` outright, it does not compile.
#pragma once

#include "layoutalg/ck_structure.h"

namespace layoutalg {

struct Size {
  static constexpr int capacity = 128;
  struct Token {
    char kind = 'n';  // a number, a symbol, or the operator itself
    long long value = 0;
  };
  Token tokens[capacity]{};
  int size = 0;

  constexpr Size() : Size(0) {}
  constexpr Size(long long number) : tokens{{'n', number}}, size(1) {}
  static constexpr Size symbol(int number) {
    Size made;
    made.tokens[0] = {'s', number};
    return made;
  }
  static constexpr Size of(const Size& left, char operation, const Size& right) {
    Size made = left;
    for (int n = 0; n < right.size; ++n) made.tokens[made.size++] = right.tokens[n];
    made.tokens[made.size++] = {operation, 0};
    return made;
  }
  constexpr void record(Text& to) const {
    to.put("{\"size\":[");
    for (int n = 0; n < size; ++n) {
      if (n) to.put(',');
      if (tokens[n].kind == 'n') {
        to.integer(tokens[n].value);
        continue;
      }
      to.put('"');
      to.put(tokens[n].kind);
      if (tokens[n].kind == 's') to.integer(tokens[n].value);
      to.put('"');
    }
    to.put("]}");
  }
};

/// What a size is computed with: an integer, or one of CK's numbers.
template <class T>
concept Number = std::is_integral_v<T> || requires { typename T::value_type; static_cast<long long>(T::value); };

template <Number T>
constexpr Size size_of(T number) {
  if constexpr (std::is_integral_v<T>)
    return Size(number);
  else
    return Size(T::value);
}

#define LAYOUTALG_OPERATOR(OP, KIND)                                                                    \
  constexpr Size operator OP(const Size& a, const Size& b) { return Size::of(a, KIND, b); }             \
  template <Number T>                                                                                   \
  constexpr Size operator OP(const Size& a, T b) { return Size::of(a, KIND, size_of(b)); }              \
  template <Number T>                                                                                   \
  constexpr Size operator OP(T a, const Size& b) { return Size::of(size_of(a), KIND, b); }
LAYOUTALG_OPERATOR(+, '+')
LAYOUTALG_OPERATOR(-, '-')
LAYOUTALG_OPERATOR(*, '*')
LAYOUTALG_OPERATOR(/, '/')
LAYOUTALG_OPERATOR(%, '%')
#undef LAYOUTALG_OPERATOR

constexpr Size operator-(const Size& a) { return Size(0) - a; }

template <class... T>
inline constexpr bool has_size = (std::is_same_v<T, Size> || ...);

}  // namespace layoutalg

// A merge divides by magic numbers, which no open size has; of these it keeps its lengths, which are what is read.
namespace ck_tile {
template <class... T>
struct tuple;
template <class>
struct merge_v2_magic_division;
template <class>
struct merge_v3_division_mod;
template <class... T>
  requires(layoutalg::has_size<T...>)
struct merge_v2_magic_division<tuple<T...>> : merge_v3_division_mod<tuple<T...>> {
  using merge_v3_division_mod<tuple<T...>>::merge_v3_division_mod;
};
}  // namespace ck_tile
