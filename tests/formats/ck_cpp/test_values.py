"""What the C++ reader takes for a value is the value that a compiler computes, or it is left out with a reason."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from layoutalg.formats import SpecFile
from layoutalg.formats.ck_cpp import loads

STR = "template <index_t N> struct Str { static constexpr index_t value = 8; };\n"


def made(source: str, defines: Mapping[str, str] | None = None) -> SpecFile:
    """What is read of a text in which LAYOUT(e)) builds a layout of stride e."""
    return loads(source.replace("LAYOUT(", "make_naive_tensor_descriptor(make_tuple(8), make_tuple("), "x.hpp", defines)


def strides(source: str, defines: Mapping[str, str] | None = None) -> list[int]:
    """The stride of each layout that is read."""
    return [int(item.descriptor.offset((1,))) for item in made(source, defines).descriptors]


def reason(source: str, defines: Mapping[str, str] | None = None) -> str:
    """Why the only layout of a text is not read."""
    file = made(source, defines)
    assert not file.items
    (part,) = file.unread
    return part.reason


# --- templates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        STR + "template <> struct Str<4> { static constexpr index_t value = 1; };\nauto d = LAYOUT(Str<4>::value));",
        STR
        + "template <> struct Str<4> { static constexpr index_t value = 1; };\nauto d = LAYOUT(ns::Str<4>::value));",
        "template <typename T, index_t N> struct Str { static constexpr index_t value = 8; };\n"
        "template <typename T> struct Str<T*, 3> { static constexpr index_t value = 1; };\n"
        "auto d = LAYOUT((Str<int*, 3>::value)));",
        STR + "template <> constexpr index_t Str<4>::value = 1;\nauto d = LAYOUT(Str<4>::value));",
        "namespace a {" + STR + "}\ntemplate <> struct a::Str<4> { static constexpr index_t value = 1; };\n"
        "auto d = LAYOUT(a::Str<4>::value));",
        "template <index_t N> struct S { static constexpr index_t f() { return 8; } };\n"
        "template <> constexpr index_t S<4>::f() { return 1; }\nauto d = LAYOUT(S<4>::f()));",
        "template <index_t N> constexpr index_t f() { return 8; }\n"
        "template <> constexpr index_t f<4>() { return 1; }\nauto d = LAYOUT(f<4>()));",
        "template <typename T> constexpr index_t f(T) { return 8; }\n"
        "template <> constexpr index_t f(int) { return 1; }\nauto d = LAYOUT(f(4)));",
        "template <index_t N> constexpr index_t v = 8;\n"
        "template <> constexpr index_t v<4> = 1;\nauto d = LAYOUT(v<4>));",
        "template <typename T> constexpr index_t v = 8;\n"
        "template <typename T> constexpr index_t v<T*> = 1;\nauto d = LAYOUT(v<int*>));",
        "struct P { template <index_t N> struct In { static constexpr index_t value = 8; };\n"
        "template <> struct In<4> { static constexpr index_t value = 1; }; };\nauto d = LAYOUT(P::In<4>::value));",
    ],
)
def test_a_specialized_template_is_not_read(source: str) -> None:
    assert "is specialized; which specialization is meant is not read" in reason(source)


def test_the_layouts_of_a_specialization_are_read() -> None:
    source = "template <bool B> struct P;\ntemplate <> struct P<true> { static auto make() { return LAYOUT(3)); } };"
    assert strides(source) == [3]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("template <index_t N> constexpr index_t twice = 2 * N;\nauto d = LAYOUT(twice<3>));", 6),
        ("template <index_t N> using Next = number<N + 1>;\nauto d = LAYOUT(Next<3>::value));", 4),
        ("template <index_t... Ns> struct S { using T = sequence<Ns...>; };\nauto d = LAYOUT(S<3, 5>::T::at(1)));", 5),
        ("template <typename... Ts> auto f() { return sizeof...(Ts); }\nauto d = LAYOUT(f<float, half_t>()));", 2),
        ("template <index_t M, index_t N = 2 * M> auto f() { return N; }\nauto d = LAYOUT(f<3>()));", 6),
        ("template <index_t M, index_t N = 2 * M> struct S { static constexpr index_t n = N; };\n"
         "auto d = LAYOUT(S<3>::n));", 6),
    ],
)  # fmt: skip
def test_template_arguments_are_the_file_s_own(source: str, value: int) -> None:
    assert strides(source, {"N": "100", "M": "50"}) == [value]


# --- what changes a value ---------------------------------------------------------------------------------------------

BODIES = [
    "index_t& r = s; r = 1;",
    "index_t& r = s; s = 8; r = 1;",
    "index_t& r = s; index_t& q = r; q = 1;",
    "auto&& r = s; r += 1;",
    "index_t& r = s; std::swap(r, other);",
    "const index_t& r = s; s = 1; s = r;",
    "using R = index_t&; R r = s; r = 1;",
    "index_t* p = &s; *p = 1;",
    "auto p = std::addressof(s), q = &s; q[0] = 1;",
    "set(&s);",
    "auto r = std::ref(s); r.get() = 1;",
    "auto t = make_tuple(s, 2); auto& [a, b] = t; a = 1; s = t.at(number<0>{});",
    "index_t t[2] = {s, 2}; for (auto& x : t) { x = 1; } s = t[0];",
    "auto f = [&] { s = 1; return 0; }; f();",
    "auto f = [&] { s = 1; return 0; }; s = 8; f();",
    "auto f = [&] { s = 1; return 0; }; index_t z = f();",
    "auto f = [&](index_t& x) { x = 1; return 0; }; index_t z = f(s);",
    "index_t z = [](index_t& x) { x = 1; return 0; }(s);",
    "auto f = [s]() mutable { s += 1; return s; }; f(); s = f();",
    "index_t z = set(s);",
    "if (set(s) == 0) { }",
    "index_t z = S::set(s);",
    "auto z = foreign(s);",
    "auto z = other::foreign<3>(s);",
    "index_t z = (s = 1);",
    "index_t z = 4; z = s = 1;",
    "index_t z = s++;",
    "index_t z = make_tuple(s = 1, 2).at(number<0>{});",
    "std::cin >> s;",
    "struct T { index_t n = 8; T(index_t m) : n{m} {} }; T t{1}; s = t.n;",
    "global = 1; s = global;",
    "reset(); s = global;",
    "index_t z = reset(); s = global;",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_value_that_is_changed_out_of_sight_is_not_read(body: str) -> None:
    source = f"""
    index_t global = 8;
    index_t set(index_t& x) {{ x = 1; return 0; }}
    index_t reset() {{ global = 1; return 0; }}
    struct S {{ static index_t set(index_t& x) {{ x = 1; return 0; }} }};
    auto make(index_t other) {{ index_t s = 8; {body} return LAYOUT(s)); }}
    """
    assert " is not known: " in reason(source, {"other": "3"})


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("auto f = [=] { return s; }; s = 1; s = f();", 8),
        ("auto f = [s] { return s; }; s = 1; s = f();", 8),
        ("auto f = [n = s] { return n; }; s = 1; s = f();", 8),
        ("auto f = [&] { return s; }; s = 1; s = f() + 1;", 2),
        ("auto g = [&] { auto f = [=] { return s; }; s = 1; return f(); };", None),
        ("auto f = [=] { auto g = [=] { return s; }; return g(); }; s = 1; s = f();", 8),
        ("const index_t& r = s; s = r + 1;", None),
        ("const auto& r = make_tuple(s, 3); s = r.at(number<1>{});", 3),
        ("index_t& r = s; index_t z = r + 1;", 8),
        ("index_t z = get(s); s = z;", 8),
        ("auto f = [=, &s] { return s; }; s = f();", None),
    ],
)
def test_references_and_captures_that_are_read(body: str, value: int | None) -> None:
    source = f"auto get(const index_t& x) {{ return x; }}\nauto f() {{ index_t s = 8; {body} return LAYOUT(s)); }}"
    assert strides(source) == ([] if value is None else [value])


def test_what_one_function_sets_is_not_known_to_another() -> None:
    source = "index_t s = 8;\nauto f() { s = 1; return 0; }\nauto g() { return LAYOUT(s)); }\nauto d = LAYOUT(s));"
    file = made(source)
    assert [part.name for part in file.unread] == ["d", "g"]
    assert all("f may set it" in part.reason for part in file.unread)


def test_a_constant_of_a_class_is_not_its_namesake_in_a_function() -> None:
    source = "struct S { static constexpr index_t n = 8; auto f() { index_t n = 1; n = 2; return LAYOUT(n)); } };\n"
    assert strides(source + "auto d = LAYOUT(S::n));") == [8, 2]


# --- macros -----------------------------------------------------------------------------------------------------------

CHOICE = "#ifdef FAST\nauto d = LAYOUT(1));\n#else\nauto d = LAYOUT(8));\n#endif\n"


@pytest.mark.parametrize(
    ("directives", "value"),
    [
        ("#define FAST 1\n", 1),
        ("#define FAST\n", 1),
        ("#define FAST x y z\n", 1),
        ("#define FAST(x) x\n", 1),
        ("#define FAST 1\n#undef FAST\n", 8),
        ("#define FAST 1\n#undef FAST // slow\n", 8),
        ("#define FAST 1\n#undef FAST\n#define FAST 2\n", 1),
        ("#undef FAST\n", 8),
    ],
)
def test_defined_is_what_the_directives_above_say(directives: str, value: int) -> None:
    assert strides(directives + CHOICE) == [value]
    assert strides(f"{directives}auto f() {{ {CHOICE.replace('auto d =', 'return')} }}".replace("{ #", "{\n#")) == [
        value
    ]


def test_a_constant_defines_no_macro() -> None:
    assert "whether FAST is defined" in reason("constexpr int FAST = 1;\n" + CHOICE)


def test_what_d_defines_may_be_undefined() -> None:
    assert strides(CHOICE, {"FAST": "1"}) == [1]
    assert strides("#undef FAST\n" + CHOICE, {"FAST": "1"}) == [8]
    assert "where it is undefined" in reason("#undef FAST\n" + CHOICE.replace("ifdef", "if"), {"FAST": "1"})


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("#define A 4 + 4\nauto d = LAYOUT(A * 2));", None),
        ("#define A 4 + 4\nauto d = LAYOUT(-A));", None),
        ("#define A 4 + 4\nauto d = LAYOUT(A));", 8),
        ("#define A 4 + 4\nconstexpr auto k = A;\nauto d = LAYOUT(k * 2));", 16),
        ("#define A (4 + 4) // eight\nauto d = LAYOUT(A * 2));", 16),
        ("#define A 4 + \\\n 4\nauto d = LAYOUT(A));", 8),
        ("#define A B\n#define B 3\nauto d = LAYOUT(A * 2));", 6),
        ("#define A B\n#define B 3 + 1\nauto d = LAYOUT(A * 2));", None),
        ("#define k k\nconstexpr int k = 3;\nauto d = LAYOUT(k));", 3),
        ("#define A (k + 1)\nauto f() { constexpr int k = 3; return LAYOUT(A)); }", 4),
        ("#define A number<3>{}\nauto d = LAYOUT(A * 2));", 6),
        ("auto f() { return LAYOUT(A)); }\n#define A 8", None),
        ("#define A 4\nauto f() { return LAYOUT(A)); }\n#undef A\n#define A 8\n", 4),
        ("#define TWICE(x) x * 2\nauto d = LAYOUT(TWICE(3 + 1)));", None),
        ("#define max(a, b) 8\nauto d = LAYOUT(max(3, 4)));", None),
        ("#define RESET s = 1\nauto f() { int s = 8; RESET; return LAYOUT(s)); }", None),
        ("#define RESET() s = 1\nauto f() { int s = 8; RESET(); return LAYOUT(s)); }", None),
        ("#define RESET() s = 1\nauto f() { int s = 8; if (RESET()) { } return LAYOUT(s)); }", None),
        ("#define RESET (s = 1)\nauto f() { int s = 8; int z = RESET; return LAYOUT(s)); }", None),
        ("#define A 3\nauto f() {\n#undef A\n#define A 8\nreturn LAYOUT(A)); }", None),
        ('auto f() {\n#include "set.inc"\nreturn LAYOUT(8)); }', None),
        ("auto f() {\n#pragma unroll\nreturn LAYOUT(8)); }", 8),
        ("struct S {\n#define A 3\nstatic constexpr int n = A;\n#undef A\n};\nauto d = LAYOUT(S::n));", 3),
    ],
)
def test_a_macro_is_its_text(source: str, value: int | None) -> None:
    assert strides(source) == ([] if value is None else [value])


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("auto d = LAYOUT(static_cast<uint8_t>(264)));", 8),
        ("auto d = LAYOUT(static_cast<std::uint8_t>(264)));", 8),
        ("auto d = LAYOUT(static_cast<int8_t>(200) + 60));", 4),
        ("auto d = LAYOUT((unsigned char)264));", 8),
        ("auto d = LAYOUT(uint16_t(65540)));", 4),
        ("auto d = LAYOUT(static_cast<bool>(3)));", 1),
        ("auto d = LAYOUT(static_cast<index_t>(8)));", 8),
        ("auto d = LAYOUT(static_cast<unsigned>(-1) / 1073741824));", 3),
        ("auto d = LAYOUT((3u - 5u) / 536870912u));", 7),
        ("auto d = LAYOUT(-1 < 2u ? 4 : 6));", 6),
        ("auto d = LAYOUT(-1 < 2 ? 4 : 6));", 4),
        ("auto d = LAYOUT(4 - sizeof(double) > 0 ? 4 : 6));", 4),
        ("auto d = LAYOUT((13u + 15u) & ~15u));", 16),
        ("auto d = LAYOUT(-0x80000000 > 0 ? 4 : 6));", 4),
        ("auto d = LAYOUT(-2147483648 > 0 ? 4 : 6));", 6),
        ("constexpr uint32_t a = 4;\nauto d = LAYOUT(a - 8 > 0 ? 4 : 6));", 4),
        ("constexpr uint8_t a = 4;\nauto d = LAYOUT(a - 8 > 0 ? 4 : 6));", 6),
        ("auto d = LAYOUT(65536 * 65536 / 65536));", None),
        ("constexpr long_index_t a = 65536;\nauto d = LAYOUT(a * 65536 / 65536));", 65536),
        ("auto f() { unsigned k = 4; k -= 8; return LAYOUT(k / 1073741824)); }", 3),
        ("auto f() { int k = 65536; k *= 65536; return LAYOUT(k + 8)); }", None),
        ("auto d = LAYOUT(static_cast<float>(7) / 2));", None),
        ("auto d = LAYOUT(float(7) / 2));", None),
        ("constexpr uint8_t k = 264;\nauto d = LAYOUT(k));", 8),
        ("constexpr uint8_t k(264);\nauto d = LAYOUT(k));", 8),
        ("constexpr bool one = 4;\nauto d = LAYOUT(one));", 1),
        ("using small = uint8_t;\nconstexpr small k = 264;\nauto d = LAYOUT(k));", 8),
        ("constexpr float k = 7;\nauto d = LAYOUT(k / 2));", None),
        ("struct S { static constexpr uint8_t k = 264; };\nauto d = LAYOUT(S::k));", 8),
        ("struct S { static constexpr int a = 3, b = 8; };\nauto d = LAYOUT(S::b));", 8),
        ("auto f() { uint8_t k = 255; k += 9; return LAYOUT(k)); }", 8),
        ("auto f() { bool k = true; k = 4; return LAYOUT(k)); }", 1),
        ("uint8_t g() { return 264; }\nauto d = LAYOUT(g()));", 8),
        ("auto g(uint8_t k) { return k; }\nauto d = LAYOUT(g(264)));", 8),
        ("auto f(index_t M) { uint8_t k = M; return LAYOUT(k + 0 * M)); }", None),
        ("auto f(index_t M) { uint8_t k = M - 80; return LAYOUT(k + 0 * M)); }", 0),
    ],
)
def test_a_value_is_converted_to_its_type(source: str, value: int | None) -> None:
    file = made(source, {"M": "{ min = 80, max = 300 }" if value is None else "{ min = 80, max = 90 }"})
    found = [item.descriptor.offset((1,)) for item in file.descriptors]
    assert [int(e.lo) for e in found] == ([] if value is None else [value])


# --- symbols ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["i0", "P::i0", "j1", "A::B::y", "lane", "p", "i"])
def test_a_symbol_may_have_an_index_variable_s_name(name: str) -> None:
    source = "template <typename P, typename A> auto f() {{ return LAYOUT({})); }}"
    file, plain = (made(source.format(n), {n: "{ min = 0, max = 7 }"}) for n in (name, "kM"))
    (one,), (other,) = file.descriptors, plain.descriptors
    end = name.rsplit("::", 1)[-1]
    assert str(one.descriptor.offset((1,))) == str(other.descriptor.offset((1,))).replace("kM", end)


def test_two_paths_with_one_end_are_two_symbols() -> None:
    source = "template <typename A, typename B> auto f() { return LAYOUT(A::k - B::k)); }"
    file = made(source, {"A::k": "{ min = 1, max = 9 }", "B::k": "{ min = 1, max = 9 }"})
    assert sorted(symbol.value.name for symbol in file.symbols.values()) == ["B_k", "k"]
    assert file.descriptor("f").descriptor.offset((1,)).op != "const"
