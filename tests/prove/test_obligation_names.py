"""Names that a strategy would make: two variables must not become one because they are called alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from layoutalg.draw import latex
from layoutalg.index import Expr, all_of, eq, names, symbol, value, var, xor
from layoutalg.index import latex as symbolic_latex
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.obligations.lds import shared_access
from layoutalg.kernel.program import StoreShared
from layoutalg.layout import (
    Pad,
    PassThrough,
    Slice,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.memory import ConflictFree, access, distributed, lane_map
from layoutalg.prove import FitsIndexType, ForAll, InBounds, Injective, InjectiveMap, Limits, Obligation, prove, recheck
from layoutalg.prove.certificates import write_certificates
from layoutalg.prove.claims.given import under
from layoutalg.prove.claims.moves import Increments
from layoutalg.prove.decide import STRATEGIES
from layoutalg.prove.encodings import Integers
from layoutalg.prove.obligation import SharedNameError, told_apart
from layoutalg.prove.steps import search
from layoutalg.prove.strategies.changes import changed
from tests.matrix import some

M, N, INDEX = symbol("M", multiple_of=8), symbol("N"), var("i", 32)
EIGHTH, LENGTH = symbol("M/8"), symbol("length0'")

FALSE_STATEMENTS: dict[str, Obligation] = {
    "multiples": ForAll("x", eq(M, 8 * EIGHTH)),
    "multiples, bounds": ForAll("x", M <= 8 * EIGHTH),
    "guards": ForAll("x", eq(INDEX, var("i'", 28) + 2), all_of(INDEX >= 2, INDEX < 30)),
    "upper digit": ForAll("x", eq(INDEX // 4, var("i.1", 8))),
    "lower digit": ForAll("x", eq(INDEX % 4, var("i.0", 4))),
    "lengths": ForAll("x", var("u", N * 2 - 1) < LENGTH),
    "remainders": ForAll("x", eq(xor(var("u", N) % 8, 1), xor(var("remainder0", 8), 1))),
    "digits of one map": InjectiveMap(
        "x", (INDEX, var("i.0", 4), var("i.1", 8)), (INDEX // 4 * 32 + INDEX % 4, var("i.0", 4))
    ),
    "a map of the difference": InjectiveMap("x", (var("a", 8),), (var("a", 8) * (M - 8 * EIGHTH),)),
}


@pytest.mark.parametrize("strategy", [None, *STRATEGIES])
@pytest.mark.parametrize("name", FALSE_STATEMENTS)
def test_what_is_false_is_not_proved_for_its_names(name: str, strategy: str | None) -> None:
    assert prove(FALSE_STATEMENTS[name], strategy=strategy, limits=Limits(seconds=1)).name != "proved"


def test_unknowns_of_a_formula_are_told_apart_whatever_they_are_called() -> None:
    encoding = Integers(())
    made = [encoding.fresh(name) for name in ("q", "q.1", "q", "q", "q.1", "q.1.1", "q.2")]
    assert len({str(unknown) for unknown in made}) == len(made)


def test_an_assumption_on_a_size_says_nothing_of_an_index_that_is_called_alike() -> None:
    rows = make_naive_tensor_descriptor((8, 8), (1, 1))
    size = symbol("i0", min=0, max=7)
    assert prove(under(eq(size, 0), Injective(rows))).name == "refuted"
    assert prove(under(size < 4, FitsIndexType(make_naive_tensor_descriptor((8,), (1 << 29,))))).name == "refuted"


@pytest.mark.parametrize("name", ["u0", "u1", "i0", "j0", "N"])
def test_an_assumption_is_made_of_transforms_that_have_an_index_called_like_its_size(name: str) -> None:
    n = symbol(name, min=-1)
    d = make_naive_tensor_descriptor((n, 4), (4, 1))
    padded = transform_tensor_descriptor(d, [Pad(n, 1, 2), PassThrough(4)], [[0], [1]], [[0], [1]])
    for claim in (InBounds(padded), Injective(padded), Increments(padded.adaptor)):
        assert prove(under(eq(n % 4, 1), claim)), claim


def test_a_size_and_an_index_of_one_name_and_range_are_two() -> None:
    size, index = symbol("i0", min=0, max=63), var("i0", 64)
    assert size is not index
    with pytest.raises(SharedNameError, match="two variables are named i0"):
        prove(ForAll("one", eq(size, index)))
    assert value(size - index, {size: 5, index: 2}) == 3


def test_an_lds_map_whose_size_is_called_like_its_index_is_refuted() -> None:
    """Words before the buffer, where the padding's length is what the index was called."""
    for name in ("i0", "S"):
        program = lds_transpose("f32")
        size = symbol(name, min=0, max=63)
        store = next(s for s in program.body if isinstance(s, StoreShared))
        rows, columns = map(int, store.registers.distribution.lengths)
        padded = transform_tensor_descriptor(
            make_naive_tensor_descriptor_packed((rows, columns)),
            [Pad(rows, size, rows), PassThrough(columns)], [[0], [1]], [[0], [1]],
        )  # fmt: skip
        sliced = transform_tensor_descriptor(
            padded, [Slice(rows + size + rows, 0, rows), PassThrough(columns)], [[0], [1]], [[0], [1]]
        )
        wrong = replace(store, descriptor=sliced)
        asked = shared_access(program, 1, wrong)
        assert any(prove(r.claim).name == "refuted" for r in asked), name


def test_the_elements_of_a_vector_are_no_variable_of_the_index() -> None:
    lane, element = var("lane", 64), var("element", 8)
    lanes = lane_map(lane, (lane, element * 8), 8)
    assert isinstance(lanes.element, Expr)
    assert lanes.element is not element
    assert names(*lanes.index) == {"lane", "element", "element_"}


def test_an_index_within_the_limit_of_another_keeps_its_own() -> None:
    row = var("row", N * 2 + 1)
    column = var("column", row * 2 + 1)
    statement = ForAll("below", column < N * 4 + 1)
    assert prove(statement).name == "proved"
    for _, after in changed(statement):
        told_apart(after)


WORDS = (
    "M and or xor let div mod abs ite true distinct forall par match as assert push concat extract repeat bvadd bvnot "
    "int2bv sign_extend rotate_left Bool BINARY _ div_total negation assumption-0 range-M a|b M*K any-xor bits quotient"
)
STATEMENTS = {
    "linear": lambda m: ForAll("x", m // 8 * 8 + var("i'", m) < 2 * m, m >= 16),
    "products": lambda m: ForAll("x", (var("i'", m) * m + var("i'", m)) // m <= m, m * symbol("j") >= 9),
    "bits": lambda m: ForAll("x", xor(m, symbol("j", max=64)) < 128, m > 8),
    "refuted": lambda m: ForAll("x", m <= 32),
}


@pytest.mark.parametrize("kind", STATEMENTS)
@pytest.mark.parametrize("name", some(WORDS.split(), 6))
def test_other_solvers_read_a_certificate_whatever_its_size_is_called(name: str, kind: str, tmp_path: Path) -> None:
    pytest.importorskip("cvc5")
    pytest.importorskip("bitwuzla")
    statement = STATEMENTS[kind](symbol(name, min=8, max=64, multiple_of=8))
    manifest = json.loads(write_certificates([statement], tmp_path / "all").read_text())
    certificates = manifest["claims"][0]["certificates"]
    assert certificates
    for one in certificates:
        solve = {"integers": recheck._cvc5, "bit-vectors": recheck._bitwuzla}[one["arithmetic"]]
        assert solve((tmp_path / "all" / one["file"]).read_text()) == one["expected"]


def test_a_size_is_not_taken_for_the_product_that_it_is_called_like() -> None:
    for goal in (eq(symbol("M*K"), symbol("M") * symbol("K")), symbol("M*K") <= symbol("M") * symbol("K")):
        assert prove(ForAll("x", goal)).name == "refuted"
        assert search(ForAll("x", goal)) is None


@pytest.mark.parametrize("name", ["p0", "y0", "vector", "element", "lane", "M"])
def test_an_access_by_a_distribution_is_judged_whatever_the_size_is_called(name: str) -> None:
    tile = TileDistribution(TileDistributionEncoding((), ((16,), (4, 16)), ((1, 2),), ((0, 0),), (2,), (1,)))
    rows = make_naive_tensor_descriptor((64, 64), (symbol(name, min=64, max=128, multiple_of=8), 1))
    assert prove(ConflictFree(access(rows, distributed(tile, 8), "f16", "gfx942"))).name == "refuted"


def test_an_index_beside_a_size_of_its_name_is_another_in_mathematics() -> None:
    rows = make_naive_tensor_descriptor((8, 8), (symbol("i0"), 1))
    assert str(rows.offset(rows.index)) == "i0_ * i0 + i1"
    assert symbolic_latex(rows.index[0]) != symbolic_latex(symbol("i0"))
    assert "i_{0}'" in latex(rows)
