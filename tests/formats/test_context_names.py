"""A symbol of a spec may have any name: what is found does not depend on what its sizes are called."""

from __future__ import annotations

import re
from functools import cache

import pytest

from layoutalg import cpp
from layoutalg.draw import page
from layoutalg.explain import explain
from layoutalg.formats import SpecError, dump, loads
from layoutalg.formats.check import check
from layoutalg.formats.ck_write import to_ck
from layoutalg.prove import Limits
from tests.matrix import some

MADE = (
    "i i0 i1 i0_0 j j0 j1 p p0 p1 y y0 u u0 v x x0 d0 d1 e f h n s k q r t lane element element_ vector other step "
    "block part row_block wave register copies quotient remainder remainder0 bits negation offset "
    "index length valid space at"
)
"""What the library calls its own: indices, lanes, digits, unknowns of solvers, dimensions in words and pages."""

AWKWARD = (
    "for in is class lambda assert def None True var int auto bool let div mod abs true ite par bvadd concat select "
    "min max table number make_tuple index_t step_0 blockIdx threadIdx smem this function Math __ a_b O"
)
"""Words of Python, C++, HIP, SMT-LIB, JavaScript, of CK and of expressions themselves."""

NAMES = tuple(f"{MADE} {AWKWARD}".split())
NEUTRAL = "Kq"

LAYOUTS = """
symbols = { NAME = { min = 8, max = 64, multiple_of = 8 } }

[[descriptor]]
name = "rows"
dtype = "f16"
base = { kind = "naive", lengths = [64, "NAME"], strides = ["NAME + 8", 1] }
claims = ["in_bounds", "injective", "fits_index", "contiguous(8)", "aligned(8)", "increments", "round_trip",
          { claim = "bijective", expect = "refuted" }]

[[descriptor]]
name = "merged"
base = { kind = "packed", lengths = [8, "NAME", 8] }
steps = [[
  { transform = "merge", lengths = [8, "NAME"], lower = [0, 1], upper = [0] },
  { transform = "pass_through", length = 8, lower = [2], upper = [1] },
]]
claims = ["in_bounds", "injective", "bijective", "round_trip", "round_trip_lower", "increments"]

[[descriptor]]
name = "overlapping"
base = { kind = "naive", lengths = [64, "NAME"], strides = ["NAME - 4", 1] }
claims = [{ claim = "injective", expect = "refuted" }]

[[descriptor]]
name = "swizzled"
base = { kind = "packed", lengths = [64, 64] }
steps = [
  [{ transform = "xor", lengths = [64, 64], lower = [0, 1], upper = [0, 1] }],
  [{ transform = "right_pad", length = 64, right = "NAME", lower = [0], upper = [0] },
   { transform = "pass_through", length = 64, lower = [1], upper = [1] }],
]
claims = ["in_bounds", "injective"]

[[distribution]]
name = "sized"
hs = [["NAME"], [4, 8], [8]]
ps_major = [[1], [2, 2]]
ps_minor = [[0], [0, 1]]
ys_major = [3]
ys_minor = [0]

[[distribution]]
name = "wave"
hs = [[16], [4, 16]]
ps_major = [[1, 2]]
ps_minor = [[0, 0]]
ys_major = [2]
ys_minor = [1]
"""

USES = """
[[access]]
name = "held"
descriptor = "rows"
distribution = "wave"
width = 8
instruction = "ds_read_b128"
targets = ["gfx942"]
claims = [{ claim = "in_bounds", expect = "refuted" }]

[[access]]
name = "one_by_one"
descriptor = "swizzled"
distribution = "wave"
claims = ["in_bounds", "injective"]

[[access]]
name = "written_out"
descriptor = "rows"
variables = { Row = 4 }
index = ["7*Row", "0"]
width = 8
instruction = "ds_read_b128"
targets = ["gfx942"]
claims = ["in_bounds", "conflict_free"]

[[agree]]
name = "same"
left = "rows"
right = "rows"

[[lemma]]
name = "digits"
variables = { Of = "NAME" }
goal = "Of < NAME and Of // 8 * 8 + Of % 8 == Of"
"""


def written(name: str, text: str = LAYOUTS + USES) -> str:
    return text.replace("NAME", name)


@cache
def found(name: str, strategy: str | None = None) -> list[tuple[str, str, str, bool]]:
    results = check(loads(written(name)), strategy=strategy, limits=Limits(seconds=10))
    return [(r.item.name, r.claim, r.verdict.name, r.passed) for r in results]


@pytest.mark.parametrize("name", some(NAMES, 16))
def test_every_verdict_is_that_of_any_other_name(name: str) -> None:
    assert found(name) == found(NEUTRAL)
    assert all(passed for *_, passed in found(name))


@pytest.mark.parametrize("name", some(NAMES, 4))
def test_every_verdict_of_the_solver_alone_is_that_of_any_other_name(name: str) -> None:
    assert found(name, "z3") == found(NEUTRAL, "z3")


@pytest.mark.parametrize("name", some(tuple(NAMES), 32))
def test_a_file_is_written_and_read_back(name: str) -> None:
    text = dump(loads(written(name)))
    assert dump(loads(text)) == text


@pytest.mark.parametrize("name", some(NAMES, 4))
def test_it_is_drawn_and_explained(name: str) -> None:
    neutral = loads(written(NEUTRAL, LAYOUTS)).descriptors
    for item, other in zip(loads(written(name, LAYOUTS)).descriptors, neutral, strict=True):
        assert page(item.descriptor).count("\n") == page(other.descriptor).count("\n")
        told, same = explain(item), explain(other)
        assert [f.about for f in told.findings] == [f.about for f in same.findings]


@pytest.mark.parametrize("dialect", ["ck", "ck_tile"])
@pytest.mark.parametrize("name", some(NAMES, 3))
def test_it_is_written_as_cpp(name: str, dialect: str) -> None:
    given = loads(written(name, LAYOUTS)).descriptors
    source = "\n".join(to_ck(item.descriptor, f"f{n}", dialect) for n, item in enumerate(given))
    sizes = re.findall(r"(?:\(|, )index_t (\w+)", source)
    back = cpp.loads(source, defines=dict.fromkeys(sizes, "{ min = 8, max = 64, multiple_of = 8 }"))
    assert [d.descriptor.rank for d in back.descriptors] == [item.descriptor.rank for item in given]
    assert not back.unread


@pytest.mark.parametrize("name", some(tuple(NAMES), 16))
def test_a_refutation_names_the_size_and_the_index_apart(name: str) -> None:
    (refuted,) = (r.verdict for r in check(loads(written(name))) if r.item.name == "overlapping")
    size = rf"\(for {re.escape(name)} = \d+\)"
    assert re.search(rf"index \(0, \d+\), offset \d+ and index \(1, 0\), offset \d+ {size}", refuted.reason)
    assert all(len({n for n in point if n == name}) == 1 for point in refuted.witness.points)


ACCESS = '\n[[access]]\nname = "both"\ndescriptor = "rows"\n'


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("lane", 'index = ["lane", "0"]', "index: lane is both a symbol of this file and the lane of this access"),
        ("lane", 'index = ["1", "0"]\ngiven = ["lane < 8"]', "given: lane is both a symbol of this file and the lane"),
        ("p0", 'distribution = "wave"\ngiven = ["p0 < 8"]', "given: p0 is both a symbol of this file and an index var"),
        ("y0", 'distribution = "wave"\ngiven = ["y0 < 8"]', "given: y0 is both a symbol of this file and an index var"),
        ("v", 'distribution = "wave"\nwidth = 8\ngiven = ["v < 8"]', "given: v is both a symbol of this file and an"),
    ],
)
def test_an_expression_that_sees_a_symbol_and_an_index_of_one_name_is_refused(name: str, text: str, where: str) -> None:
    with pytest.raises(SpecError, match=where):
        loads(written(name, LAYOUTS) + ACCESS + text)
    loads(written(name + "_", LAYOUTS) + ACCESS + text)


@pytest.mark.parametrize("name", ["and", "or", "not", "if", "else"])
def test_an_operator_is_no_symbol(name: str) -> None:
    with pytest.raises(SpecError, match=f"symbols.{name}: {name} is an operator of expressions; .*: {name}_"):
        loads(written(name))
