"""What is asked outside a layout's lengths, or outside the limits of its sizes, is an error and not a number."""

from __future__ import annotations

import pytest

from layoutalg.index import symbol, var
from layoutalg.index.evaluate import admits
from layoutalg.layout import (
    LayoutError,
    Merge,
    RightPad,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.bind import bind

D = make_naive_tensor_descriptor((8, 64), (64, 1))
M = symbol("M", max=64, multiple_of=8)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ((100, 2), "index 100 of dimension 0 is outside 0…7"),
        ((8, 0), "index 8 of dimension 0 is outside 0…7"),
        ((-1, 9), "index -1 of dimension 0 is outside 0…7"),
        ((0, 64), "index 64 of dimension 1 is outside 0…63"),
        ((var("i", 4) + 8, 0), r"index i \+ 8 of dimension 0 is outside 0…7"),
        ((1,), "an index of 1 coordinates for 2 top dimensions"),
        ((1, 2, 3), "an index of 3 coordinates for 2 top dimensions"),
        ((), "an index of 0 coordinates for 2 top dimensions"),
    ],
)
def test_an_index_outside_has_no_offset(index: tuple, message: str) -> None:
    for ask in (D.offset, D.valid):
        with pytest.raises(LayoutError, match=message):
            ask(index)


def test_an_index_outside_a_size_has_no_offset() -> None:
    d = make_naive_tensor_descriptor_packed((M, 8))
    for outside in ((M, 0), (M + 1, 0), (64, 0), (-M, 0)):
        with pytest.raises(LayoutError, match="is outside"):
            d.offset(outside)
    assert d.offset((M - 1, 7)) == (M - 1) * 8 + 7
    assert d.offset((8, 0)) == 64  # M may be 16


def test_the_unchecked_way_has_another_name() -> None:
    assert D.hidden_index((100, 2))[0] == 6402
    assert D.adaptor.lower((100, 2)) == (6402,)


def test_padding_is_inside_and_what_lies_beyond_is_not() -> None:
    padded = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((5,)), [RightPad(5, 3)], [[0]], [[0]])
    assert padded.offset((7,)) == 7
    assert padded.valid((7,)) == 0
    with pytest.raises(LayoutError, match="index 8 of dimension 0 is outside 0…7"):
        padded.valid((8,))


@pytest.mark.parametrize("offset", [-1, 4, 5, 7, 20, 1000])
def test_an_offset_that_no_index_has_has_no_index(offset: int) -> None:
    strided = make_naive_tensor_descriptor((3, 4), (8, 1))
    for d in (strided, transform_tensor_descriptor(strided, [Merge((3, 4))], [[0, 1]], [[0]])):
        with pytest.raises(LayoutError, match=f"no index has offset {offset}"):
            d.upper(offset)


@pytest.mark.parametrize("size", [65, 0, -8, 12, 72])
def test_a_size_has_no_value_outside_its_limits(size: int) -> None:
    d = make_naive_tensor_descriptor_packed((M, 8))
    with pytest.raises(LayoutError, match=f"M = {size} breaks 8 <= M <= 64, a multiple of 8"):
        bind(d, {M: size})
    with pytest.raises(LayoutError, match="need not keep"):
        bind(d, {M: symbol("N", max=64)})
    assert bind(d, {M: symbol("N", max=64, multiple_of=16)}).lengths[1] == 8


@pytest.mark.parametrize(
    ("at", "admitted"),
    [
        ({var("i", 4): 3}, True),
        ({var("i", 4): 4}, False),
        ({var("i", 4): -1}, False),
        ({M: 16}, True),
        ({M: 12}, False),
        ({M: 8, var("j", M): 7}, True),
        ({M: 8, var("j", M): 8}, False),
        ({symbol("P", power_of_two=True): 6}, False),
    ],
)
def test_which_values_a_variable_can_have(at: dict, admitted: bool) -> None:
    assert all(admits(v, at) for v in at) is admitted
