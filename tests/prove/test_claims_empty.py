"""Tensors without elements (`x[5:5]`): what is said of every index holds, what an element must have does not."""

import json

import numpy as np
import pytest

from layoutalg.formats import SpecError, loads
from layoutalg.formats.check import check
from layoutalg.formats.offsets import offsets
from layoutalg.index import symbol
from layoutalg.layout import (
    LayoutError,
    Merge,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
)
from layoutalg.prove import Aligned, Bijective, FitsIndexType, InBounds, Injective, Surjective, prove

EMPTY = {
    "naive": make_naive_tensor_descriptor((0, 4), (4, 1)),
    "packed": make_naive_tensor_descriptor_packed((3, 0)),
    "with offset": make_naive_tensor_descriptor_with_offset((0,), (1,), 5),
    "backwards": make_naive_tensor_descriptor_with_offset((0, 2), (-2, 1), 5),
    "of any width": make_naive_tensor_descriptor((0, symbol("M", max=64)), (symbol("S"), 1)),
}


@pytest.mark.parametrize("d", EMPTY.values(), ids=EMPTY)
def test_no_index_breaks_a_claim(d: TensorDescriptor) -> None:
    for claim in (InBounds(d), InBounds(d, storage=1), Injective(d), FitsIndexType(d)):
        verdict = prove(claim)
        assert verdict, verdict
        assert verdict.strategy == "the tensor is empty"


@pytest.mark.parametrize("strategy", [None, "z3", "enumeration"])
def test_elements_that_are_there_are_not_reached(strategy: str | None) -> None:
    d = EMPTY["naive"]
    assert prove(Bijective(d), strategy=strategy)
    for claim in (Surjective(d, storage=50), Bijective(d, storage=50)):
        assert prove(claim, strategy=strategy).reason == "an empty tensor is over no elements: not at elements 50"


def test_a_length_beyond_32_bits_is_one_of_an_empty_tensor_too() -> None:
    wide = make_naive_tensor_descriptor((0, 1 << 31), (0, 1))
    assert prove(FitsIndexType(wide)).name == "refuted"
    assert prove(FitsIndexType(wide, 64))


def test_of_other_claims_nothing_is_said() -> None:
    verdict = prove(Aligned(EMPTY["naive"], 4))
    assert (verdict.name, verdict.reason[:19]) == ("unknown", "the tensor is empty")


def test_it_has_the_space_that_numpy_gives_it_and_no_index() -> None:
    assert EMPTY["naive"].element_space_size == np.zeros((0, 4)).size
    with pytest.raises(LayoutError, match="the tensor is empty"):
        EMPTY["naive"].offset((0, 0))
    with pytest.raises(LayoutError, match="the tensor is empty"):
        _ = EMPTY["naive"].index
    assert json.dumps(offsets(EMPTY["of any width"], {"M": 3, "S": 2})) == (
        '{"lengths": [0, 3], "element_space_size": 0, "offsets": []}'
    )


def test_digits_of_no_length_are_none() -> None:
    with pytest.raises(LayoutError, match="a length is at least 1"):
        Merge((0, 4))


def test_a_file_says_so_too() -> None:
    spec = loads("""
[[descriptor]]
name = "nothing"
storage = 0
base = { kind = "naive", lengths = [0, 4], strides = [4, 1] }
claims = ["in_bounds", "injective", "fits_index", "bijective"]
""")
    assert all(check(spec))


@pytest.mark.parametrize(
    "item",
    [
        '[[transform]]\nname = "x"\ntransform = "pass_through"\nlength = 0\n',
        '[[transform]]\nname = "x"\ntransform = "embed"\nlengths = [0, 4]\nstrides = [4, 1]\n'
        'claims = ["in_bounds", "injective", "increments", "round_trip"]\n',
        '[[descriptor]]\nname = "x"\nbase = { kind = "naive", lengths = [0, 4], strides = [4, 1] }\n'
        'claims = ["increments", "round_trip", "contiguous(4)", "element_space_size(0)"]\n',
    ],
)
def test_an_item_without_elements_has_verdicts_and_nothing_is_refuted(item: str) -> None:
    assert {result.verdict.name for result in check(loads(item))} <= {"proved", "unknown"}


def test_two_tensors_without_elements_are_compared_at_no_index() -> None:
    one = '[[descriptor]]\nname = "x"\nbase = { kind = "naive", lengths = [0], strides = [4] }\n'
    with pytest.raises(SpecError, match="index i0 over an extent of 0 has no value"):
        loads(one + '[[agree]]\nname = "a"\nleft = "x"\nright = "x"\n')
