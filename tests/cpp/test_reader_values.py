"""What a C++ text computes is what the compiler computes, and where it computes nothing, nothing is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from layoutalg.cpp import loads
from layoutalg.formats import SpecFile

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


def each(sources: Sequence[str], defines: Mapping[str, str] | None = None) -> list[int | None]:
    """The stride of the last layout of each text, read as one file, each in a namespace; None where there is none."""
    text, lines = "", list[int]()
    for n, source in enumerate(sources):
        lines.append(text.count("\n") + 1)
        text += f"namespace n{n} {{\n{source}\n}}\n"
    file = made(text, defines)
    found: list[int | None] = []
    for first, last in zip(lines, [*lines[1:], text.count("\n") + 2], strict=True):
        inside = [d for d in file.descriptors if d.line is not None and first <= d.line < last]
        listed = [p for p in file.unread if first <= p.line < last]
        assert inside or listed, text.split("\n")[first - 1]
        found.append(int(inside[-1].descriptor.offset((1,))) if inside and not listed else None)
    return found


def check(table: Mapping[str, int | None], defines: Mapping[str, str] | None = None) -> None:
    assert dict(zip(table, each(list(table), defines), strict=True)) == table


def test_the_specialization_that_is_meant_is_the_compiler_s() -> None:
    check({
        STR + "template <> struct Str<4> { static constexpr index_t value = 1; };\nauto d = LAYOUT(Str<4>::value));": 1,
        STR + "template <> struct Str<4> { static constexpr index_t value = 1; };\nauto d = LAYOUT(Str<5>::value));": 8,
        "template <typename T, index_t N> struct Str { static constexpr index_t value = 8; };\n"
        "template <typename T> struct Str<T*, 3> { static constexpr index_t value = 1; };\n"
        "auto d = LAYOUT((Str<int*, 3>::value)));": 1,
        "template <index_t N> struct S { static constexpr index_t f() { return 8; } };\n"
        "template <> constexpr index_t S<4>::f() { return 1; }\nauto d = LAYOUT(S<4>::f()));": 1,
        "template <typename T> constexpr index_t f(T) { return 8; }\n"
        "template <> constexpr index_t f(int) { return 1; }\nauto d = LAYOUT(f(4)));": 1,
        "template <typename T> constexpr index_t v = 8;\n"
        "template <typename T> constexpr index_t v<T*> = 1;\nauto d = LAYOUT(v<int*>));": 1,
        "template <index_t N> constexpr index_t twice = 2 * N;\nauto d = LAYOUT(twice<3>));": 6,
        "template <index_t N> using Next = number<N + 1>;\nauto d = LAYOUT(Next<3>::value));": 4,
        "template <index_t... Ns> struct S { using T = sequence<Ns...>; };\nauto d = LAYOUT(S<3, 5>::T::at(1)));": 5,
        "template <typename... Ts> auto f() { return sizeof...(Ts); }\nauto d = LAYOUT(f<float, half_t>()));": 2,
        "template <index_t M, index_t N = 2 * M> struct S { static constexpr index_t n = N; };\n"
        "auto d = LAYOUT(S<3>::n));": 6,
    })  # fmt: skip


def test_the_layouts_of_a_specialization_are_read() -> None:
    source = "template <bool B> struct P;\ntemplate <> struct P<true> { static auto make() { return LAYOUT(3)); } };"
    assert strides(source) == [3]


def test_a_type_that_decides_something_is_asked_for() -> None:
    """Which specialization, overload or size a type has is not decided by leaving it open."""
    for use in ("Tr<P>::k", "sizeof(P)", "numeric_traits<P>::PackedSize", "std::is_same_v<P, float> ? 1 : 2"):
        source = (
            "template <typename T> struct Tr { static constexpr int k = 8; };\n"
            "template <> struct Tr<half_t> { static constexpr int k = 1; };\n"
            f"template <typename P> auto f() {{ return LAYOUT({use})); }}"
        )
        assert reason(source) == "P is not known here; give -D P=half_t"
    assert strides("template <typename P> auto f() { return LAYOUT(sizeof(P))); }", {"P": "half_t"}) == [2]


def test_what_changes_a_value_is_followed() -> None:
    globals_ = (
        "constexpr index_t set(index_t& x) { x = 1; return 0; }\n"
        "struct S { static constexpr index_t set(index_t& x) { x = 1; return 0; } };\n"
    )
    bodies = {
        "index_t& r = s; r = 1;": 1,
        "index_t& r = s; s = 8; r = 1;": 1,
        "const index_t& r = s; s = 1; s = r;": 1,
        "index_t* p = &s; *p = 1;": 1,
        "index_t t[2] = {s, 2}; for (auto& x : t) { x = 1; } s = t[0];": 1,
        "auto f = [&] { s = 1; return 0; }; s = 8; f();": 1,
        "auto f = [&](index_t& x) { x = 1; return 0; }; index_t z = f(s);": 1,
        "auto f = [s]() mutable { s += 1; return s; }; f(); s = f();": 10,
        "auto f = [=] { return s; }; s = 1; s = f();": 8,
        "auto f = [n = s] { return n; }; s = 1; s = f();": 8,
        "if (set(s) == 0) { }": 1,
        "index_t z = S::set(s);": 1,
        "index_t z = s++;": 9,
        "(size_t&)s = 5;": None,
        "auto z = foreign(s);": None,
        "auto z = other::foreign<3>(s);": None,
        "std::cin >> s;": None,
        "struct T { index_t n = 8; T(index_t m) : n{m} {} }; T t{1}; s = t.n;": None,
        "static_for<0, 3, 1>{}([&](auto i) { s = i; });": 2,
        "for (int i = 0; i < 3; ++i) { if (i == 2) s = i; }": 2,
        "switch (s) { case 8: s = 3; }": 3,
        "while (more()) s++;": None,
        "int n = 9; while (n > s) { --n; }; s = n;": 8,
    }
    check({f"{globals_}auto make() {{ index_t s = 8; {body} return LAYOUT(s)); }}": n for body, n in bodies.items()})


def test_a_variable_outside_functions_that_one_changes_is_no_constant() -> None:
    source = (
        "index_t s = 8;\nauto f() { s = 1; return 0; }\nauto g() { return LAYOUT(s)); }\nauto d = LAYOUT(s + f()));"
    )
    file = made(source)
    assert [part.name for part in file.unread] == ["d"]
    assert [int(d.descriptor.offset((1,))) for d in file.descriptors] == [8]  # nothing calls f and compiles


def test_a_value_is_converted_to_its_type() -> None:
    check({
        "auto d = LAYOUT(static_cast<uint8_t>(264)));": 8,
        "auto d = LAYOUT(static_cast<int8_t>(200) + 60));": 4,
        "auto d = LAYOUT(static_cast<bool>(3)));": 1,
        "auto d = LAYOUT(static_cast<unsigned>(-1) / 1073741824));": 3,
        "auto d = LAYOUT(-1 < 2u ? 4 : 6));": 6,
        "auto d = LAYOUT(4 - sizeof(double) > 0 ? 4 : 6));": 4,
        "constexpr uint32_t a = 4;\nauto d = LAYOUT(a - 8 > 0 ? 4 : 6));": 4,
        "auto d = LAYOUT(65536 * 65536 / 65536));": None,
        "constexpr long_index_t a = 65536;\nauto d = LAYOUT(a * 65536 / 65536));": 65536,
        "auto f() { int k = 65536; k *= 65536; return LAYOUT(k + 8)); }": None,
        "constexpr uint8_t k = 264;\nauto d = LAYOUT(k));": 8,
        "auto f() { uint8_t k = 255; k += 9; return LAYOUT(k)); }": 8,
        "uint8_t g() { return 264; }\nauto d = LAYOUT(g()));": 8,
    })  # fmt: skip


def test_a_macro_is_its_text() -> None:
    check({
        "#define A 4 + 4\nauto d = LAYOUT(A * 2));\n#undef A\n": 12,
        "#define A (4 + 4) // eight\nauto d = LAYOUT(A * 2));\n#undef A\n": 16,
        "auto f() { return LAYOUT(A)); }\n#define A 8\n#undef A\n": None,
        "#define A 4\nauto f() { return LAYOUT(A)); }\n#undef A\n": 4,
        "#define TWICE(x) x * 2\nauto d = LAYOUT(TWICE(3 + 1)));": 5,
        "#define RESET s = 1\nauto f() { int s = 8; RESET; return LAYOUT(s)); }": 1,
        'auto f() {\n#include "set.inc"\nreturn LAYOUT(8)); }': None,
        "auto f() {\n#pragma unroll\nreturn LAYOUT(8)); }": 8,
    })  # fmt: skip


CHOICE = "#ifdef FAST\nauto d = LAYOUT(1));\n#else\nauto d = LAYOUT(8));\n#endif\n"


@pytest.mark.parametrize(
    ("directives", "given", "value"),
    [
        ("#define FAST x y z\n", {}, 1),
        ("#define FAST 1\n#undef FAST // slow\n", {}, 8),
        ("", {"FAST": "1"}, 1),
        ("", {"FAST": "undefined"}, 8),
        ("#undef FAST\n", {"FAST": "1"}, 8),
    ],
)
def test_defined_is_what_the_directives_above_and_d_say(directives: str, given: dict[str, str], value: int) -> None:
    assert strides(directives + CHOICE, given) == [value]


def test_a_constant_defines_no_macro() -> None:
    assert "whether FAST is defined" in reason("constexpr int FAST = 1;\n" + CHOICE)


# --- sizes that are not fixed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "given", "shown"),
    [
        ("LAYOUT(M / 2))", "{ min = 8, max = 64, multiple_of = 8 }", "M // 2"),
        ("LAYOUT(M % 8 + M))", "{ min = 8, multiple_of = 8 }", "M"),
        ("LAYOUT(M < 100 ? 3 : 4))", "{ min = 8, max = 64 }", "3"),
        ("LAYOUT(M < 16 ? 8 : M))", "{ min = 8, max = 64 }", "select(M < 16, 8, M)"),
        ("LAYOUT(max(M, 16)))", "{ min = 8, max = 12 }", "16"),
        ("LAYOUT(static_cast<uint8_t>(M)))", "{ min = 80, max = 90 }", None),
        ("LAYOUT(7 / (M - 8)))", "{ min = 1, max = 90 }", None),
    ],
)
def test_what_is_computed_of_a_size_is_a_formula(body: str, given: str, shown: str | None) -> None:
    file = made(f"auto f(index_t M) {{ return {body}; }}", {"M": given})
    assert [repr(item.descriptor.offset((1,))) for item in file.descriptors] == ([] if shown is None else [shown])
    assert bool(file.unread) == (shown is None)


def test_a_template_parameter_may_be_a_size() -> None:
    source = "template <int M> auto f() { {} return LAYOUT((M + 1) * 8)); }"
    limits = "{ min = 8, max = 64, multiple_of = 8 }"
    (item,) = made(source.replace("{}", "static_assert(M % 8 == 0);"), {"M": limits}).descriptors
    assert repr(item.descriptor.offset((1,))) == "(M + 1) * 8"
    refused = made(source.replace("{}", 'static_assert(M > 64, "large");'), {"M": limits})
    assert [(part.refused, "large" in part.reason) for part in refused.unread] == [(True, True)]


def test_two_paths_with_one_end_are_two_symbols() -> None:
    source = "template <typename A, typename B> auto f() { return LAYOUT(A::k - B::k)); }"
    file = made(source, {"A::k": "{ min = 1, max = 9 }", "B::k": "{ min = 1, max = 9 }"})
    assert sorted(symbol.value.name for symbol in file.symbols.values()) == ["B_k", "k"]
    assert file.descriptor("f").descriptor.offset((1,)).op != "const"
