"""Views into a memory of a given size: strides of any sign, an offset, and what there is to be reached."""

from __future__ import annotations

import numpy as np
import pytest

from layoutalg.formats import SpecError, dump, loads
from layoutalg.formats.check import check
from layoutalg.index import symbol
from layoutalg.layout import (
    Embed,
    Insert,
    LayoutError,
    TensorAdaptor,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.prove import Bijective, FitsIndexType, InBounds, Injective, RoundTripLower, Surjective, prove

VIEWS = """
symbols = { N = { max = 1000 } }
[[descriptor]]
name = "every_other"
storage = 50
base = { kind = "naive", lengths = [25], strides = [2] }
claims = ["in_bounds", "injective", "element_space_size(50)", { claim = "bijective", expect = "refuted" }]
[[descriptor]]
name = "too_far"
storage = 48
base = { kind = "naive", lengths = [25], strides = [2] }
claims = [{ claim = "in_bounds", expect = "refuted", because = "index 24, offset 48, elements 48" }]
[[descriptor]]
name = "reversed"
storage = "N"
base = { kind = "naive_with_offset", lengths = ["N"], strides = [-1], offset = "N - 1" }
claims = ["in_bounds", "injective", "bijective", "fits_index"]
examples = [{ index = ["N - 1"], offset = 0 }]
[[descriptor]]
name = "one_before"
base = { kind = "naive_with_offset", lengths = ["N"], strides = [-1], offset = "N - 2" }
given = ["N >= 2"]
claims = [{ claim = "in_bounds", expect = "refuted", because = "offset -1" }]
"""


def test_views_of_a_file_stay_in_its_storage() -> None:
    spec = loads(VIEWS)
    for result in check(spec):
        assert result, result
    assert [r.verdict.name for r in check(loads(dump(spec)))] == [r.verdict.name for r in check(spec)]


def test_a_storage_of_nothing_is_bad_input() -> None:
    with pytest.raises(SpecError, match="a memory of 0 elements"):
        loads(VIEWS.replace("storage = 48", "storage = 0"))


def test_claims_take_a_storage() -> None:
    view = make_naive_tensor_descriptor((5, 10), (10, 1))
    for claim in (InBounds, Bijective, Surjective):
        verdicts = {n: prove(claim(view, storage=n)).name for n in (49, 50, 51)}
        fits, whole = claim is InBounds, claim is not Surjective
        assert verdicts == {
            49: "refuted" if whole else "proved", 50: "proved", 51: "proved" if fits else "refuted",
        }, claim  # fmt: skip
    assert "[0, 51)" in prove(Surjective(view, storage=51)).claim


@pytest.mark.parametrize("seed", range(8))
def test_strided_views_are_what_numpy_makes_of_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    base = np.arange(210).reshape(5, 6, 7)
    steps = [slice(None, None, int(random.choice([-3, -2, -1, 1, 2]))) for _ in range(3)]
    view = base[tuple(steps)].transpose(random.permutation(3))
    strides = tuple(s // base.itemsize for s in view.strides)
    offset = int(view.flat[0])
    d = make_naive_tensor_descriptor_with_offset(view.shape, strides, offset)
    assert all(int(d.offset(index)) == element for index, element in np.ndenumerate(view))
    assert int(d.element_space_size) == view.max() + 1 if min(strides) < 0 else True
    for claim in (InBounds(d), InBounds(d, storage=210), Injective(d), FitsIndexType(d)):
        assert prove(claim), claim
    assert not prove(InBounds(d, storage=int(view.max())))


def test_surjective_says_onto_what_and_is_never_onto_nothing() -> None:
    line = make_naive_tensor_descriptor((4,), (1,))
    assert prove(Surjective(line)).claim == "every element of [0, 4) has a valid index"
    nothing_below = TensorAdaptor((Insert(4),), ((),), ((0,),), (), (0,))
    unlimited = TensorAdaptor((Embed((4,), (1,)),), ((0,),), ((1,),), (0,), (1,))
    for claim in (Surjective, Bijective, RoundTripLower):
        for layout, why in ((nothing_below, "no dimension below"), (unlimited, "storage =")):
            with pytest.raises(LayoutError, match=why):
                prove(claim(layout))
    for space in (0, -14, symbol("N", max=9) - 9):
        none = TensorDescriptor(line.adaptor, space)
        for claim in (Surjective, RoundTripLower):
            assert "the space has elements (give storage =" in prove(claim(none)).reason, claim
        assert prove(Bijective(none)).name == "refuted"
    assert prove(Surjective(unlimited, storage=4))
