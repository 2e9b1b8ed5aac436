"""The offsets of a large descriptor come from numpy nearly as fast as from the expression written by hand."""

import runpy
from pathlib import Path

import pytest

from tests.fuzzing import some

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "offsets.py"), run_name="benchmark")


@pytest.mark.parametrize("name", some(tuple(BENCHMARK["CASES"]), 1))
def test_16_million_offsets_through_five_transforms(name):
    assert len(BENCHMARK["CASES"][name][0]().adaptor.transforms) >= 5
    timing = BENCHMARK["measure"](name, rounds=3)
    assert timing.equal
    assert timing.ours < 1
    assert timing.ratio < 3
