"""The records of instruction sets: there is one of each that a target file can name, and their parts fit together."""

from __future__ import annotations

from dataclasses import astuple
from itertools import pairwise
from typing import get_args

import pytest

from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.descriptor import ZERO
from layoutalg.target.model import Decoder

EACH = pytest.mark.parametrize("architecture", ARCHITECTURES.values(), ids=ARCHITECTURES)


def test_every_decoder_has_a_record() -> None:
    assert set(ARCHITECTURES) == set(filter(None, get_args(Decoder)))


@EACH
def test_what_is_counted_can_be_waited_for(architecture) -> None:
    waited = {counter for wait in architecture.waits.values() for counter in wait.fields}
    assert waited == {*filter(None, astuple(architecture.counters))}


@EACH
def test_the_bits_of_a_descriptor_are_spoken_of_once(architecture) -> None:
    spans = sorted((register + first, register + last) for register, first, last, _ in (*ZERO, *architecture.zero))
    assert all(first <= last < 512 for first, last in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@EACH
def test_what_overtakes_is_a_space_of_memory(architecture) -> None:
    assert "constant" in architecture.unordered
    assert architecture.overtaking <= {"constant", "flat", "global", "scratch"}
