"""Rows and vectors in any order with a gap: as small as what trying all of them finds, and injective."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from benchmarks.synth.smallest import PROBLEMS, Case, agrees, cases, fewest_bytes
from layoutalg.index.evaluate import grid
from layoutalg.prove import Unknown
from layoutalg.synth.nested import least, nested
from layoutalg.synth.search import synthesize
from tests.fuzzing import SEED
from tests.matrix import turns


def test_a_layouts_places_are_those_of_its_descriptor() -> None:
    for layout in nested(6, 4):
        for gap in (0, 3):
            descriptor = layout.descriptor(2, gap)
            offsets = grid(descriptor.offset(descriptor.index), descriptor.index).reshape(6, 4, 2)
            places = layout.places(6, 4, np.array([gap])).reshape(6, 4)
            assert (offsets == 2 * places[..., None] + np.arange(2)).all()
            assert len(np.unique(places)) == 24
            assert places.max() + 1 == 24 + gap * layout.gaps == int(descriptor.element_space_size) // 2


def small(case: Case) -> bool:
    """A case that is tried in a second."""
    return case.rows * case.columns <= 1024


@pytest.mark.parametrize("case", [*islice(filter(small, cases(SEED)), 2)], ids=str)
def test_no_layout_of_the_digits_is_smaller_than_what_is_found(case: Case) -> None:
    assert agrees(synthesize(case.problem()), fewest_bytes(case))


@pytest.mark.parametrize("case", turns(islice(cases(), PROBLEMS), str))
def test_forty_random_problems(case: Case) -> None:
    found = least(case.problem(), 1, lambda layout: True)
    assert found is not None
    fewest = fewest_bytes(case)
    assert (found.layout is None) == (fewest is None)
    if found.layout is not None and fewest is not None:
        assert found.layout.extra == fewest - case.problem().packed_bytes
    assert agrees(synthesize(case.problem()), fewest)


@pytest.mark.slow
def test_what_is_too_much_to_look_at_is_not_called_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("layoutalg.synth.nested.MOST_ADDRESSES", 64)
    case = next(case for case in cases() if fewest_bytes(case) is None)
    assert least(case.problem(), 1, lambda layout: True) is None
    found = synthesize(case.problem())
    assert not found.smallest
    assert any(isinstance(v, Unknown) and "too many places" in v.reason for v in found.excluded)
