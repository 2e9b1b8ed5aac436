"""Nothing of a C++ file is passed by in silence: open branches, windows, and every function that makes a layout."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from layoutalg.cpp import loads
from layoutalg.formats import SpecFile
from tests.cli.command import run
from tests.matrix import some

LAYOUT = "make_naive_tensor_descriptor_packed(make_tuple({}))"


def read(source: str, defines: Mapping[str, str] | None = None) -> SpecFile:
    """A header with LAYOUT(n) for a descriptor of n elements."""
    return loads(source.replace("LAYOUT(", "make_naive_tensor_descriptor_packed(make_tuple("), "x.hpp", defines)


def lengths(file: SpecFile) -> list[int]:
    return [int(d.descriptor.lengths[0]) for d in file.descriptors]


# --- macros that the compiler or its target defines -------------------------------------------------------------------

BY_TARGET = "#ifdef __gfx942__\nauto d = LAYOUT(16));\n#else\nauto d = LAYOUT(8));\n#endif\n"


@pytest.mark.parametrize(
    ("condition", "macro"),
    [
        ("#ifdef {}", "__gfx942__"), ("#ifndef {}", "__HIP_DEVICE_COMPILE__"), ("#if defined({})", "CK_USE_XDL"),
        ("#if !defined({})", "__clang__"), ("#if defined(A) || defined({})", "FAST"),
    ],
)  # fmt: skip
def test_a_branch_that_the_compiler_chooses_is_named_and_not_read(macro: str, condition: str) -> None:
    line = condition.format(macro)
    file = read(BY_TARGET.replace("#ifdef __gfx942__", line), {"A": "undefined"} if "A" in condition else {})
    assert not file.items
    assert [(part.name, part.line) for part in file.unread] == [(line, 1)]
    assert f"whether {macro} is defined is up to the compiler, its target or another header" in file.unread[0].reason
    assert f"give -D {macro}=1" in file.unread[0].reason
    assert [(part.line, "not compiled" in part.reason) for part in file.unchecked] == [(2, True), (4, True)]


@pytest.mark.parametrize(
    ("given", "length"),
    [("__gfx942__=1", 16), ("__gfx942__=undefined", 8), ("__gfx90a__=1", 8), ("__gfx1100__=1", 8)],
)
def test_a_target_decides_the_macros_of_all_targets(given: str, length: int) -> None:
    name, _, value = given.partition("=")
    file = read(BY_TARGET, {name: value})
    assert lengths(file) == [length]
    assert not file.unread


@pytest.mark.parametrize(("family", "length"), [("__gfx9__", 16), ("__gfx94__", 16), ("__gfx11__", 8)])
def test_a_target_is_of_its_families(family: str, length: int) -> None:
    assert lengths(read(BY_TARGET.replace("__gfx942__", family), {"__gfx942__": "1"})) == [length]


@pytest.mark.parametrize(
    "source",
    some(
        [
            "#define K 4\n#ifdef X\n#undef K\n#define K 8\n#endif\nauto d = LAYOUT(K));",
            "constexpr int k = 4;\nnamespace n {\n#ifdef X\nconstexpr int k = 8;\n#endif\nauto d = LAYOUT(k));\n}",
            "template <int N> struct S { static constexpr int k = 4; };\n#ifdef X\n"
            "template <> struct S<1> { static constexpr int k = 8; };\n#endif\nauto d = LAYOUT(S<1>::k));",
            "auto f(long a) { return 4; }\n#ifdef X\nauto f(int a) { return 8; }\n#endif\nauto d = LAYOUT(f(1)));",
            "struct S {\n#ifdef X\nstatic constexpr int k = 8;\n#else\nstatic constexpr int k = 4;\n#endif\n};\n"
            "auto d = LAYOUT(S::k));",
            "auto f() {\nint k = 4;\n#ifdef X\nk = 8;\n#endif\nreturn LAYOUT(k));\n}",
        ],
        3,
        slow=True,
    ),
)
def test_what_an_open_branch_says_is_not_known(source: str) -> None:
    file = read(source)
    assert not file.items
    assert any("whether X is defined" in part.reason for part in file.unread)
    assert lengths(read(source, {"X": "undefined"})) in ([4], [])


def test_a_default_is_read_and_told_and_a_guard_only_read() -> None:
    file = read("#ifndef X_HPP\n#define X_HPP\n#ifndef K\n#define K 8\n#endif\nauto d = LAYOUT(K));\n#endif\n")
    assert lengths(file) == [8]
    assert [(part.name, part.line) for part in file.unchecked] == [("K", 3)]
    assert "-D K=… gives another" in file.unchecked[0].reason


# --- what is seen and not checked -------------------------------------------------------------------------------------

WINDOWS = """
auto MakeWindow(T view)
{
    return make_tile_window(view, make_tuple(8, 8), {0, 0});
}
void Run(T view)
{
    auto d = LAYOUT(4));
    auto w = make_tile_window(view, make_tuple(8, 8), {0, 0});
    auto x = load_tile(w);
}
template <typename P> index_t Size() { constexpr auto d = LAYOUT(4)); return d.get_element_space_size(); }
"""


def test_windows_accesses_and_layouts_that_stay_inside_are_named() -> None:
    file = read(WINDOWS)
    assert [item.name for item in file.items] == ["Run.d"]
    assert [(part.name, part.line, part.reason) for part in file.unchecked] == [
        ("MakeWindow", 2, "1 tile window (line 4): what it returns is no layout"),
        ("Run", 6, "1 tile window (line 9), 1 access (line 10): nothing is claimed of them"),
        ("Size", 12, "1 layout (line 12): what it returns is no layout"),
    ]


def test_a_layout_that_is_a_part_of_another_is_named() -> None:
    source = "template <int n> auto Part()\n{\n  auto m = n; return LAYOUT(m));\n}\nauto d = Part<4>();\n"
    file = read(source)
    assert lengths(file) == [4]
    (part,) = file.unchecked
    assert (part.name, part.line) == ("Part", 1)
    assert "is read where it is called" in part.reason


FORMS = [
    "void F() { LAYOUT(n)); }",
    "struct S { void operator()() const { auto d = LAYOUT(n)); } };",
    "struct S { S() : x(1) { auto d = LAYOUT(n)); } int x; };",
    "struct S { struct T { template <int N> static auto F() { return LAYOUT(n)); } }; };",
    "struct S { friend auto F() { return LAYOUT(n)); } };",
    "struct S { operator int() { auto d = LAYOUT(n)); return 1; } };",
    'extern "C" { auto F() { return LAYOUT(n)); } }',
    "template <typename T> requires(sizeof(T) == 2) auto F() { return LAYOUT(n)); }",
    "template <typename T, enable_if_t<(sizeof(T) >= 2), bool> = false> auto F() { return LAYOUT(n)); }",
    "auto F(T x) { auto g = [&](auto i) { return LAYOUT(n)); }; return 1; }",
    "[[nodiscard]] __host__ __device__ auto F() -> decltype(auto) { return LAYOUT(n)); }",
    "SOME_MACRO(x) auto F() { return LAYOUT(n)); }",
    "void F() { for (int i = 0; i < 3; ++i) { auto d = LAYOUT(n)); } }",
    "void F() { switch (n) { case 1: { auto d = LAYOUT(1)); } } }",
    "template <> auto F<3>() { return LAYOUT(n)); }",
    "auto S::F() { return LAYOUT(n)); }",
    "struct S { using D = decltype(LAYOUT(n))); };",
    "struct S { D d = LAYOUT(n)); };",
    "auto x = f(LAYOUT(n)));",
    "auto F() { return make_tile_window(x, y, z); }",
    "auto F() { return ck_tile::make_tensor_view<address_space_enum::global>(p, d); }",
    "auto F() { return P::template make_thing_tile_distribution<3>(); }",
    "auto F() { return make_single_stage_tensor_adaptor(a, b, c); }",
    "auto F() try { return LAYOUT(n)); } catch(...) { }",
    "class { auto F( { LAYOUT(n)); } ;",
]


@pytest.mark.parametrize("source", FORMS)
def test_every_form_of_function_that_makes_a_layout_is_in_a_list(source: str) -> None:
    file = read(f"int one;\n\n{source}\n")
    listed = [*file.items, *file.unread, *file.unchecked]
    assert [part for part in listed if part.line == 3], listed


@pytest.fixture
def pythons_own_depth() -> Iterator[None]:
    """Python's recursion limit as it starts; hypothesis raises it while other tests run."""
    raised = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(raised)


@pytest.mark.usefixtures("pythons_own_depth")
def test_a_block_that_is_nested_too_deep_is_listed_for_its_windows_too() -> None:
    deep = "int x = " + "(" * 600 + "1" + ")" * 600 + ";\n"
    part, *_ = read(f"{deep}auto F(T v) {{ return make_tile_window(v, 1, 2); }}").unread
    assert "nested" in part.reason


def test_what_is_not_read_or_checked_is_counted_in_the_last_line_and_in_json(tmp_path: Path) -> None:
    path = tmp_path / "windows.hpp"
    path.write_text(WINDOWS.replace("LAYOUT(4", LAYOUT.removesuffix("))").replace("{}", "4")) + BY_TARGET_FUNCTION)
    done = run("check", path)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "3 claims: all as expected; 1 part not read; 4 parts not checked"
    assert "line 2: MakeWindow not checked: 1 tile window (line 4): what it returns is no layout" in done.stdout
    document = json.loads(run("check", path, "--format", "json").stdout)
    assert (document["proved"], document["unread"], document["unchecked"]) == (3, 1, 4)
    assert [part["name"] for part in document["files"][0]["unchecked"]] == ["MakeWindow", "Run", "Size", "ByTarget"]


BY_TARGET_FUNCTION = """
auto ByTarget()
{
#ifdef __gfx942__
    return make_naive_tensor_descriptor_packed(make_tuple(16));
#else
    return make_naive_tensor_descriptor_packed(make_tuple(8));
#endif
}
"""


def test_a_file_of_windows_alone_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "window.hpp"
    path.write_text("auto F(T view) { return make_tile_window(view, 1, 2); }\n")
    done = run("check", path)
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "0 claims: nothing was checked; 1 part not checked"
