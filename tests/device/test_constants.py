"""The compiler says what constant expressions are; what it cannot say, it says of that expression alone, and where."""

import subprocess
from pathlib import Path

import pytest

from layoutalg.device import CompileError, process
from layoutalg.device.constants import _FLAGS, constants
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError

LISTS = """
template <int... n> struct sequence {
  static constexpr int size() { return sizeof...(n); }
  template <int at> constexpr int get() const { constexpr int all[] = {n...}; return all[at]; }
};
template <int size> struct tile {
  static_assert(size % 8 == 0, "a tile is of whole vectors");
  sequence<size, 8> lengths;
};
int at_run_time();
__attribute__((host)) constexpr int of_the_host() { return 7; }
__attribute__((device)) constexpr int of_the_device() { return 8; }
"""
PLAIN = CppUnit("gfx942", ("lists.hpp",))


@pytest.fixture
def unit(tmp_path):
    (tmp_path / "lists.hpp").write_text(LISTS)
    return lambda prelude="", headers=("lists.hpp",): CppUnit("gfx942", headers, (tmp_path,), prelude)


def test_constants_are_read_and_the_faulty_ones_are_told_alone(unit):
    found = constants(
        unit("constexpr int two = 2;\nusing wide = tile<12>;"),
        {
            "number": "two * 21 - (1LL << 40)", "truth": "two == 2", "least": "-9223372036854775807LL - 1",
            "list": "sequence<3, -70, 0>{}", "member": "tile<16>{}.lengths",
            "unended": "two *", "unknown": "three", "asserted": "tile<4>{}.lengths", "of_prelude": "wide{}.lengths",
            "runtime": "at_run_time()", "no_kind": '"text"', "sides": "sequence<of_the_host(), of_the_device()>{}",
            "second_line": "two\n+ three",
        },
    )  # fmt: skip
    assert found["number"] == 42 - (1 << 40)
    assert found["least"] == -(1 << 63)
    assert (found["truth"], found["list"], found["member"], found["sides"]) == (True, [3, -70, 0], [16, 8], [7, 8])
    assert found["unended"] == CppError("expected expression", "expression", 1)
    assert found["unknown"] == CppError("use of undeclared identifier 'three'", "expression")
    asserted = "static_assert stops it: a tile is of whole vectors (4 % 8 == 0)"
    assert found["asserted"] == CppError(asserted, "expression", refused=True)
    assert found["of_prelude"].refused
    assert "12 % 8 == 0" in found["of_prelude"].reason
    assert "is no constant: non-constexpr function 'at_run_time'" in found["runtime"].reason
    assert found["no_kind"].reason.startswith("layoutalg reads descriptors")
    assert not found["no_kind"].refused
    assert (found["second_line"].part, found["second_line"].line) == ("expression", 1)


def test_what_is_at_fault_in_a_header_is_told_with_its_line(unit, tmp_path):
    """And a warp GEMM that CK has not in words: what the compiler says of it names a template."""
    gemms = """namespace ck_tile { template <class A, class B, class C, int m, int n, int k> struct WarpGemmDispatcher;
template <> struct WarpGemmDispatcher<_Float16, _Float16, float, 32, 32, 16> { static constexpr int kM = 32; };
template <class C, int k> constexpr int depth() {
  return WarpGemmDispatcher<_Float16, _Float16, C, 32, 32, k>::kM;
} }
"""
    (tmp_path / "lists.hpp").write_text(LISTS + gemms)
    asked = {name: f"ck_tile::depth<float, {k}>()" for name, k in (("right", 16), ("wrong", 7))}
    found = constants(unit(), {**asked, "asserted": "tile<4>{}.lengths", "own": "three"})
    assert found["right"] == 32
    line = LISTS.count("\n") + 4
    assert found["wrong"].told == (
        f"CK has no warp GEMM of 32 × 32 × 7 for fp16 and fp16, summed in fp32 (lists.hpp:{line})"
    )
    assert found["wrong"].refused
    assert found["asserted"].header == f"lists.hpp:{LISTS[: LISTS.index('static_assert')].count(chr(10)) + 1}"
    assert found["own"].header == ""


@pytest.mark.parametrize(
    ("prelude", "headers", "error"),
    [
        ("", ("lists.hpp", "none.hpp"), CppError("'none.hpp' file not found", "headers", 1)),
        ("\nusing a = nothing;", ("lists.hpp",), CppError("unknown type name 'nothing'", "prelude", 1)),
    ],
)
def test_a_unit_that_does_not_compile_is_told_at_the_users_line(unit, prelude, headers, error):
    with pytest.raises(CppUnitError) as told:
        constants(unit(prelude, headers), {"one": "1"})
    assert told.value.error == error


def test_of_several_errors_in_one_function_the_unit_is_not_blamed(unit, tmp_path):
    """The compiler says once who asked for a function, and not again at its second error."""
    twice = "struct twice { template <class T> static constexpr auto made() {\n"
    twice += "using one = typename T::one;\nusing two = typename T::two;\nreturn 1; } };\n"
    (tmp_path / "lists.hpp").write_text(LISTS + twice)
    found = constants(unit("struct with_both { using one = int; using two = int; };"),
                      {"wrong": "twice::made<sequence<1>>()", "right": "twice::made<with_both>()"})  # fmt: skip
    assert found["right"] == 1
    assert isinstance(found["wrong"], CppError)
    assert "no type named 'one'" in found["wrong"].reason
    with pytest.raises(CppUnitError, match="unknown type name 'nothing'"):
        constants(unit("using a = nothing;"), {"wrong": "twice::made<sequence<1>>()", "right": "1"})


def test_what_one_static_assert_stops_is_refused_each_time(unit, monkeypatch):
    """A compiler tells it of a class once; who asks for the class next may meet a function that is not there."""
    stopped = "error: static assertion failed due to requirement 'n % 8 == 0': whole vectors"
    asked = []

    def compiler(step, folder):
        source = (Path(folder) / "kernel.hip").read_text()
        asked.append([name for name in "ab" if f"made<{name}>()" in source])
        later = (
            "layoutalg:expression:1:2:9: error: no matching function for call to 'made'" if len(asked[-1]) > 1 else ""
        )
        return 1, f"layoutalg:expression:0:2:9: {stopped}\n{later}\n"

    monkeypatch.setattr("layoutalg.device.constants.run_compiler", compiler)
    found = constants(unit("struct a; struct b;"), {"first": "made<a>()", "second": "made<b>()"})
    assert asked == [["a", "b"], ["b"]]
    assert [(one.refused, one.reason) for one in found.values()] == [
        (True, "static_assert stops it: whole vectors (n % 8 == 0)")
    ] * 2


def test_a_header_that_lacks_another_is_told_by_the_header_that_was_asked_for(unit, tmp_path):
    (tmp_path / "outer.hpp").write_text("\n#include <nowhere/inner.hpp>\n")
    with pytest.raises(CppUnitError) as told:
        constants(unit("", ("lists.hpp", "outer.hpp")), {"one": "1"})
    assert told.value.error == CppError("'nowhere/inner.hpp' file not found", "headers", 1)


def test_what_is_kept_is_kept_under_its_names(unit):
    assert constants(unit(), {"one": "1", "two": "2"}) == {"one": 1, "two": 2}
    assert constants(unit(), {"a": "1", "b": "2"}) == {"a": 1, "b": 2}


def test_what_is_no_amd_target_or_no_folder_is_told(tmp_path):
    with pytest.raises(CppUnitError, match="sm_90 is no AMD target"):
        constants(CppUnit("sm_90", ()), {"one": "1"})
    with pytest.raises(CppUnitError, match="no such folder of headers"):
        constants(CppUnit("gfx942", (), (tmp_path / "none",)), {"one": "1"})


def test_what_was_read_is_read_anew_only_when_a_header_changes(unit, tmp_path, monkeypatch):
    of = unit("constexpr auto l = sequence<1>{};")
    assert constants(of, {"l": "l", "wrong": "k"})["l"] == [1]
    started = []
    run = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: started.append(a) or run(*a, **k))
    again = constants(of, {"l": "l", "wrong": "k"})
    assert (again["l"], again["wrong"].part, started) == ([1], "expression", [])
    (tmp_path / "lists.hpp").write_text(LISTS.replace("all[at]", "all[at] + 1"))
    assert constants(of, {"l": "l"})["l"] == [2]
    assert constants(of, {"l": "l", "wrong": "k"})["l"] == [2]
    assert len(started) > 2


@pytest.mark.slow
def test_an_evaluation_without_end_is_told(unit, monkeypatch):
    """At a tenth of the steps that it may take."""
    fewer = tuple(flag.replace("-steps=4000000", "-steps=400000") for flag in _FLAGS)
    assert fewer != _FLAGS
    monkeypatch.setattr("layoutalg.device.constants._FLAGS", fewer)
    endless = "constexpr int loop() { for (int n = 0; ; ++n) if (n < 0) return n; }"
    told = constants(unit(endless), {"loop": "loop()", "one": "1"})
    assert told["one"] == 1
    assert told["loop"].reason.startswith("is no constant: constexpr evaluation hit maximum step limit")


def test_a_unit_that_takes_too_long_or_too_much_is_stopped(unit, monkeypatch):
    deep = "template <int n> struct deep { static constexpr int v = deep<n - 1>::v + deep<n - 2>::v; };"
    assert "recursive template instantiation exceeded" in constants(unit(deep), {"d": "deep<5>::v"})["d"].reason
    monkeypatch.setattr(process, "PATIENCE", 1e-4)
    with pytest.raises(CompileError, match=r"took over 120 s"):
        constants(unit(), {"one": "1 + 1"})


def test_errors_are_not_kept_without_the_headers_that_they_come_from(unit, tmp_path):
    assert isinstance(constants(unit(), {"tile": "tile<4>{}.lengths"})["tile"], CppError)
    (tmp_path / "lists.hpp").write_text(LISTS.replace("size % 8", "size % 4"))
    assert constants(unit(), {"tile": "tile<4>{}.lengths"})["tile"] == [4, 8]


MACROS = """
#define CK_TILE_HOST inline __attribute__((host))
#define CK_TILE_HOST_DEVICE inline __attribute__((host, device))
"""
MADE = """
#pragma once
struct made {
  constexpr made() : value(0) {}
  CK_TILE_HOST made(int given) : value(given) {}
  CK_TILE_HOST constexpr int twice() const { return 2 * value; }
  int value;
};
CK_TILE_HOST_DEVICE int wrong() { static int counted; return ++counted; }
"""


def test_a_constructor_that_is_not_constexpr_is_read_behind_our_header(tmp_path):
    (tmp_path / "macros.hpp").write_text(MACROS)
    (tmp_path / "made.hpp").write_text(MADE)
    headers = ("macros.hpp", "layoutalg/constexpr.h", "made.hpp")
    asked = {"twice": "made(21).twice()", "wrong": "wrong()"}
    found = constants(CppUnit("gfx942", headers, (tmp_path,)), asked)
    assert found["twice"] == 42
    assert "is no constant" in found["wrong"].reason
    (without,) = constants(CppUnit("gfx942", headers[::2], (tmp_path,)), {"twice": asked["twice"]}).values()
    assert without.reason.startswith("is no constant: non-constexpr constructor 'made'")
    assert without.reason.endswith("(where CK does not say constexpr, name layoutalg/constexpr.h before that header)")
