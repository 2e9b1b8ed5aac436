// A size that is not fixed: a literal class that records what is computed of it.
//
//   constexpr layoutalg::Size M = layoutalg::Size::symbol(0);
//   (M + 1) * 8                     // {"size":["s0",1,"+",8,"*"]}: operands first, then the operator
//
// A comparison is a truth value where the limits of a size decide it.  Where they do not, a function that is asked for
// all its cases (`cases`) is computed once for either answer, and what was answered is written beside what came out;
// anywhere else there is no constant, so that no branch is taken for a size that it does not hold for.
#pragma once

#include "layoutalg/ck_structure.h"

namespace layoutalg {

struct Decisions;

struct Size {
  static constexpr int capacity = 128;
  static constexpr long long unlimited = 1LL << 62;
  struct Token {
    char kind = 0;  // a number, a symbol, or the operator itself
    long long value = 0;
  };
  Token tokens[capacity]{};
  int size = 0;
  long long least = 0, most = 0;  // what it lies between, and what divides it
  long long step = 0;
  Decisions* asked = nullptr;

  constexpr Size() : Size(0) {}
  constexpr Size(long long number) : tokens{{'n', number}}, size(1), least(number), most(number), step(number) {}
  template <class T>
    requires(!std::is_integral_v<T> && requires { typename T::value_type; static_cast<long long>(T::value); })
  constexpr Size(T) : Size(static_cast<long long>(T::value)) {}

  static constexpr Size symbol(int number, long long least = -unlimited, long long most = unlimited, long long step = 1,
                               Decisions* asked = nullptr) {
    Size made;
    made.tokens[0] = {'s', number};
    made.least = least;
    made.most = most;
    made.step = step;
    made.asked = asked;
    return made;
  }
  constexpr bool is_number() const { return size == 1 && tokens[0].kind == 'n'; }
  constexpr long long number() const { return tokens[is_number() ? 0 : capacity].value; }

  static constexpr Size of(const Size& left, char operation, const Size& right);

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

constexpr long long greatest_common(long long a, long long b) {
  while (b) {
    const long long rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

/// A number between the limits of all sizes.
constexpr long long limited(__int128 value) {
  if (value > Size::unlimited) return Size::unlimited;
  return value < -Size::unlimited ? -Size::unlimited : static_cast<long long>(value);
}

constexpr long long least_of(long long a, long long b) { return a < b ? a : b; }
constexpr long long most_of(long long a, long long b) { return a > b ? a : b; }

constexpr long long computed(long long a, char operation, long long b) {
  switch (operation) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '%': return a % b;
    case '&': return a & b;
    case '|': return a | b;
    case '^': return a ^ b;
    case 'l': return a << b;
    case 'r': return a >> b;
    case 'm': return least_of(a, b);
    default: return most_of(a, b);
  }
}

constexpr Size Size::of(const Size& left, char operation, const Size& right) {
  if (left.is_number() && right.is_number()) return Size(computed(left.number(), operation, right.number()));
  Size made = left;
  for (int n = 0; n < right.size; ++n) made.tokens[made.size++] = right.tokens[n];
  made.tokens[made.size++] = {operation, 0};
  made.asked = left.asked ? left.asked : right.asked;
  made.least = -unlimited;
  made.most = unlimited;
  made.step = 1;
  const __int128 a = left.least, b = left.most, c = right.least, d = right.most;
  if (operation == '+' || operation == '-') {
    made.least = limited(operation == '+' ? a + c : a - d);
    made.most = limited(operation == '+' ? b + d : b - c);
    made.step = greatest_common(left.step, right.step);
  } else if (operation == '*') {
    const long long corners[] = {limited(a * c), limited(a * d), limited(b * c), limited(b * d)};
    made.least = made.most = corners[0];
    for (long long corner : corners) made.least = least_of(made.least, corner), made.most = most_of(made.most, corner);
    made.step = limited(static_cast<__int128>(left.step) * right.step);
    if (made.step >= unlimited || made.step <= -unlimited) made.step = 1;
  } else if (operation == '/' && a >= 0 && c >= 1) {
    made.least = left.least / right.most;
    made.most = left.most >= unlimited ? unlimited : left.most / right.least;
    if (right.is_number() && left.step % right.number() == 0) made.step = left.step / right.number();
  } else if (operation == '%' && a >= 0 && c >= 1) {
    made.least = 0;
    made.most = least_of(left.most, right.most - 1);
    if (right.is_number() && left.step % right.number() == 0) return Size(0);
  } else if (operation == 'm' || operation == 'M') {
    made.least = computed(left.least, operation, right.least);
    made.most = computed(left.most, operation, right.most);
    made.step = greatest_common(left.step, right.step);
  } else if ((operation == '&' || operation == '^' || operation == '|') && a >= 0 && c >= 0) {
    made.least = 0;
    made.most = operation == '&' ? least_of(left.most, right.most) : limited(b + d);
  }
  return made;
}

/// The answers to what sizes leave open, one after the other; each of a function's runs answers otherwise.
struct Decisions {
  static constexpr int capacity = 16;
  struct Answer {
    Size left, right;
    bool equal = false, given = false;  // whether it asks for equality or for less; and the answer
  };
  Answer answers[capacity]{};
  int count = 0, at = 0;

  constexpr bool ask(const Size& left, const Size& right, bool equal) {
    if (at == count) answers[count++] = {left, right, equal, true};
    return answers[at++].given;
  }
  /// Whether there is another run, and what it answers.
  constexpr bool next() {
    at = 0;
    while (count && !answers[count - 1].given) --count;
    if (count) answers[count - 1].given = false;
    return count != 0;
  }
};

void layoutalg_size_is_open();  // no constant expression calls it

constexpr bool decided(const Size& left, const Size& right, bool equal) {
  if (equal ? left.most < right.least || right.most < left.least : right.most <= left.least) return false;
  if (equal ? left.least == left.most && right.least == right.most : left.most < right.least) return true;
  Decisions* asked = left.asked ? left.asked : right.asked;
  if (!asked) layoutalg_size_is_open();
  return asked->ask(left, right, equal);
}

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

#define LAYOUTALG_BINARY(OP, RESULT, MADE)                                                       \
  constexpr RESULT operator OP(const Size& a, const Size& b) { return MADE; }                    \
  template <Number T>                                                                            \
  constexpr RESULT operator OP(const Size& a, T b) { return a OP size_of(b); }                   \
  template <Number T>                                                                            \
  constexpr RESULT operator OP(T a, const Size& b) { return size_of(a) OP b; }
LAYOUTALG_BINARY(+, Size, Size::of(a, '+', b))
LAYOUTALG_BINARY(-, Size, Size::of(a, '-', b))
LAYOUTALG_BINARY(*, Size, Size::of(a, '*', b))
LAYOUTALG_BINARY(/, Size, Size::of(a, '/', b))
LAYOUTALG_BINARY(%, Size, Size::of(a, '%', b))
LAYOUTALG_BINARY(&, Size, Size::of(a, '&', b))
LAYOUTALG_BINARY(|, Size, Size::of(a, '|', b))
LAYOUTALG_BINARY(^, Size, Size::of(a, '^', b))
LAYOUTALG_BINARY(<<, Size, Size::of(a, 'l', b))
LAYOUTALG_BINARY(>>, Size, Size::of(a, 'r', b))
LAYOUTALG_BINARY(<, bool, decided(a, b, false))
LAYOUTALG_BINARY(>, bool, decided(b, a, false))
LAYOUTALG_BINARY(<=, bool, !decided(b, a, false))
LAYOUTALG_BINARY(>=, bool, !decided(a, b, false))
LAYOUTALG_BINARY(==, bool, decided(a, b, true))
LAYOUTALG_BINARY(!=, bool, !decided(a, b, true))
#undef LAYOUTALG_BINARY

constexpr Size operator-(const Size& a) { return Size(0) - a; }
constexpr Size operator+(const Size& a) { return a; }
constexpr Size operator~(const Size& a) { return Size(-1) - a; }
constexpr Size& operator+=(Size& a, const Size& b) { return a = a + b; }
constexpr Size& operator-=(Size& a, const Size& b) { return a = a - b; }
constexpr Size& operator*=(Size& a, const Size& b) { return a = a * b; }
constexpr Size& operator/=(Size& a, const Size& b) { return a = a / b; }
constexpr Size& operator%=(Size& a, const Size& b) { return a = a % b; }
constexpr Size& operator++(Size& a) { return a = a + Size(1); }
constexpr Size& operator--(Size& a) { return a = a - Size(1); }

template <class... T>
inline constexpr bool has_size = (std::is_same_v<T, Size> || ...);

/// What a function of `Decisions*` makes, for each way in which what it asks is answered.
template <class F>
struct Cases {
  F function;
  constexpr void record(Text& to) const {
    Decisions asked;
    to.put("{\"cases\":[");
    bool more = false;
    do {
      if (more) to.put(',');
      const auto value = function(&asked);
      to.put("[[");
      for (int n = 0; n < asked.count; ++n) {
        const auto& answer = asked.answers[n];
        to.put(n ? ",[" : "[");
        answer.left.record(to);
        to.put(answer.equal ? ",\"=\"," : ",\"<\",");
        answer.right.record(to);
        to.put(answer.given ? ",true]" : ",false]");
      }
      to.put("],");
      put(to, value);
      to.put(']');
      more = asked.next();
    } while (more);
    to.put("]}");
  }
};

template <class F>
constexpr Cases<F> cases(F function) { return {function}; }
constexpr Size asking(Size size, Decisions* asked) {
  size.asked = asked;
  return size;
}

}  // namespace layoutalg
