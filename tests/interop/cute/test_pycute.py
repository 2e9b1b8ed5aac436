"""Our answers beside NVIDIA's pycute, where it is installed; each judged by enumeration (benchmarks/cute)."""

import pytest

from benchmarks.cute.against_pycute import MISSED, OPERATIONS, Operation, compared
from tests.fuzzing import FIRST, count


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: f"{one.name}: {one.defined}")
def test_no_answer_of_ours_is_wrong(operation: Operation) -> None:
    pycute = pytest.importorskip("pycute", reason="pycute of the wheel nvidia-cutlass is not installed")
    found = compared(pycute, operation, range(FIRST, FIRST + count(40)))
    assert not [one for pair, one in found.examples.items() if pair[0] in ("wrong", MISSED)]
