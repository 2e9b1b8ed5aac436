"""C++ in a spec file: what is asked of the compiler, and each wrong answer at its place, in one line."""

import pytest

from layoutalg.errors import SpecError
from layoutalg.formats import loads
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError
from layoutalg.layout import make_naive_tensor_descriptor, transform_tensor_descriptor
from layoutalg.layout.adaptor import same_length
from layoutalg.layout.ck import make_merge_transform

TEXT = '''
symbols = { M = { min = 1 } }
[cpp]
headers = ["a.hpp", "b.hpp"]
target = "gfx942"
prelude = """
using A = int;
using B = int;
"""
[[descriptor]]
name = "rows"
cpp = "first()"
steps = [[{ transform = "merge", lengths = [4, "M"], lower = [0, 1], upper = [0] }]]
[[distribution]]
name = "lanes"
cpp = \'\'\'
second(
  1)
\'\'\'
window = [8]
'''
M = {"size": ["s0"]}
ROWS = {"kind": "descriptor", "transforms": [["embed", [4, M], [M, 1]]], "lower": [[0]], "upper": [[1, 2]],
        "top": [1, 2], "element_space_size": {"size": ["s0", 3, "*", "s0", "+"]}}  # fmt: skip
LANES = {"kind": "distribution", "rs": [], "hs": [[4, 2]], "ps_major": [[1]], "ps_minor": [[0]], "ys_major": [1],
         "ys_minor": [1]}  # fmt: skip
ANSWERS = {"descriptor 0": ROWS, "distribution 0": LANES}


def answering(**answers):
    return lambda unit, expressions: ANSWERS | {name.replace("_", " "): said for name, said in answers.items()}


def test_a_file_asks_once_and_builds_on_what_it_is_told(tmp_path):
    (tmp_path / "ck").mkdir()
    asked = []

    def compiled(unit, expressions):
        asked.append((unit, dict(expressions)))
        return ANSWERS

    text = TEXT.replace("[cpp]", '[cpp]\ninclude = ["ck"]')
    file = loads(text, str(tmp_path / "a.toml"), compiled=compiled, include=(tmp_path,))
    unit = CppUnit(
        "gfx942", ("a.hpp", "b.hpp"), (tmp_path / "ck", tmp_path), "using A = int;\nusing B = int;\n", ("M",)
    )
    assert asked == [(unit, {"descriptor 0": "first()", "distribution 0": "second(\n  1)\n"})]
    m = file.symbols["M"]
    base = make_naive_tensor_descriptor((4, m), (m, 1))
    merged = transform_tensor_descriptor(base, [make_merge_transform((4, m))], [[0, 1]], [[0]])
    assert file.descriptor("rows").descriptor.tuples == merged.tuples
    assert same_length(file.descriptor("rows").descriptor.element_space_size, m * 4)
    assert file.distributions[0].distribution.lengths == (8,)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"descriptor_0": CppError("no such name", "expression")}, "a.toml:12:1: descriptor[0].cpp: no such name"),
        ({"distribution_0": CppError("no 1", "expression", 1)}, "a.toml:18: distribution[0].cpp: no 1"),
        ({"descriptor_0": CppError("what", "prelude", 1)}, "a.toml:12:1: descriptor[0].cpp: prelude, line 2: what"),
        ({"descriptor_0": LANES}, "descriptor[0].cpp: is a distribution, where a descriptor is expected"),
        ({"descriptor_0": 3}, "descriptor[0].cpp: is a number, where a descriptor is expected"),
        ({"distribution_0": {**LANES, "hs": [[4, 4]]}}, "distribution[0]: window dimension 0 has length 8"),
        ({"distribution_0": {**LANES, "hs": [[4]]}}, "distribution[0].cpp: Y0: minor 1 of Hs[0] does not exist"),
    ],
)
def test_a_wrong_expression_is_told_at_its_place(answers, said):
    with pytest.raises(SpecError) as told:
        loads(TEXT, "a.toml", compiled=answering(**answers))
    assert said in str(told.value)
    assert "\n" not in str(told.value)


WINDOW = TEXT.replace("window = [8]", 'window = { cpp = "lengths()" }')


@pytest.mark.parametrize("said", [[8], {"kind": "window", "lengths": [8]}])
def test_a_windows_lengths_are_the_compilers(said):
    asked = {}

    def compiled(unit, expressions):
        asked.update(expressions)
        return ANSWERS | {"distribution 0 window": said}

    assert loads(WINDOW, "a.toml", compiled=compiled).distributions[0].window == (8,)
    assert asked["distribution 0 window"] == "lengths()"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([16], "distribution[0]: window dimension 0 has length 16, but Hs[0] multiplies to 8"),
        ([8, 1], "distribution[0]: "),
        (8, "a.toml:20:12: distribution[0].window.cpp: is a number, where a window or a list of its lengths is"),
        ([], "distribution[0].window.cpp: is a list, where a window or a list of its lengths is expected"),
        ([LANES], "distribution[0].window.cpp: is a list, where a window or a list of its lengths is expected"),
        (LANES, "distribution[0].window.cpp: is a distribution, where a window or"),
        (CppError("no such name", "expression"), "distribution[0].window.cpp: no such name"),
    ],
)
def test_a_window_that_is_none_or_another_is_told_at_its_place(answer, said):
    with pytest.raises(SpecError) as told:
        loads(WINDOW, "a.toml", compiled=lambda unit, asked: ANSWERS | {"distribution 0 window": answer})
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_a_warp_gemms_operand_is_the_lanes_that_hold_it():
    of = {name: {**LANES, "hs": [[n, 2]]} for name, n in zip("abc", (4, 2, 8), strict=True)}
    gemm = {"kind": "warp_gemm", "m": 8, "n": 4, "k": 2, **of}
    text = TEXT.replace("window = [8]", 'operand = "b"')
    made = loads(text, "a.toml", compiled=answering(distribution_0=gemm)).distributions[0].distribution
    assert made.lengths == (4,)
    with pytest.raises(SpecError, match="is a distribution, where a warp GEMM"):
        loads(text, "a.toml", compiled=answering())
    with pytest.raises(SpecError, match=r'is a warp GEMM \(its lanes: operand = "a", "b" or "c"\), where'):
        loads(TEXT, "a.toml", compiled=answering(distribution_0=gemm))
    with pytest.raises(SpecError, match="'d' is none of a, b, c"):
        loads(text.replace('"b"', '"d"'), "a.toml", compiled=answering(distribution_0=gemm))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CppError("not found", "headers", 1), "a.toml:4:21: cpp.headers[1]: not found"),
        (CppError("no type B", "prelude", 1), "a.toml:8: cpp.prelude: no type B"),
        (CppError("no target"), "a.toml:3:1: cpp: no target"),
    ],
)
def test_a_unit_that_does_not_compile_is_told_at_its_line(error, said):
    def refused(unit, expressions):
        raise CppUnitError(error)

    with pytest.raises(SpecError) as told:
        loads(TEXT, "a.toml", compiled=refused)
    assert str(told.value) == said


def test_without_a_table_a_folder_or_a_compiler_nothing_is_asked():
    with pytest.raises(SpecError, match=r"descriptor\[0\].cpp: an expression of C\+\+ needs the table \[cpp\]"):
        loads('[[descriptor]]\nname = "a"\ncpp = "a()"', compiled=answering())
    lanes = 'hs = [[8]]\nps_major = [[1]]\nps_minor = [[0]]\nys_major = []\nys_minor = []\nwindow = { cpp = "a()" }'
    with pytest.raises(SpecError, match=r"distribution\[0\].window.cpp: an expression of C\+\+ needs the table"):
        loads(f'[[distribution]]\nname = "a"\n{lanes}', compiled=answering())
    with pytest.raises(SpecError, match=r"a file with C\+\+ is read with a compiler"):
        loads(TEXT)
    with pytest.raises(SpecError, match=r"cpp.include\[0\]: nowhere: no such folder"):
        loads(TEXT.replace("[cpp]", '[cpp]\ninclude = ["nowhere"]'), compiled=answering())


def test_what_a_static_assert_stops_is_a_layout_that_is_refused():
    refused = TEXT.replace('cpp = "first()"', 'cpp = "first()"\nexpect = "refused"\nbecause = "whole vectors"')
    refused = refused.split("steps")[0]
    file = loads(
        refused, compiled=answering(descriptor_0=CppError("static_assert stops it: whole vectors", refused=True))
    )
    assert file.items[0].reason == "static_assert stops it: whole vectors"
    with pytest.raises(SpecError, match="no such name"):
        loads(refused, compiled=answering(descriptor_0=CppError("no such name", "expression")))
