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
        ("template <index_t M, index_t N = 2 * M> auto f() { return N; }\nauto d = LAYOUT(f<3>()));", 6),
        ("template <index_t M, index_t N = 2 * M> struct S { static constexpr index_t n = N; };\n"
         "auto d = LAYOUT(S<3>::n));", 6),
    ],
)  # fmt: skip
def test_template_arguments_are_the_file_s_own(source: str, value: int) -> None:
    assert strides(source, {"N": "100", "M": "50"}) == [value]
