"""What a launch says that tensors begin with is listed, refused where it contradicts itself, and in every run."""

import numpy as np
import pytest

from layoutalg.audit.audit import audit
from layoutalg.errors import LaunchError
from layoutalg.formats.spec import loads
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from tests.audit.test_audit_cases import asking


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ('"0 <= head[i] < N", "head[i] > 100000"', "head"),
        ('"head[i] == 0", "head[i] == 1"', "head"),
        ('"head[i] == i", "head[i] > i"', "head"),
    ],
)
def test_what_contradicts_itself_is_refused_by_name(said: str, name: str) -> None:
    case = asking("begins_within", "taken_and_renewed", "")
    with pytest.raises(LaunchError, match=f"what is assumed .*{name}"):
        audit(case.code, loads(case.launch.replace('"0 <= head[i] < N"', said)))


def test_what_is_there_at_first_is_told_with_its_verdict() -> None:
    found = asking("begins_within", "taken_and_renewed", "").audited()
    assert found.proved
    assert "0 <= head[i] < N (when it begins)" in found.assumptions


@pytest.mark.slow
def test_a_load_of_which_nothing_is_known_is_named_with_what_may_come_before() -> None:
    found = asking("begins_within", "neighbour_taken_behind", "").audited()
    told = [
        text for text in found.assumptions if text.startswith("nothing is known of what is loaded of head: that 0x")
    ]
    assert len(told) == 1
    assert "global_store_dword does is not seen" in told[0]


def test_runs_begin_with_what_is_said() -> None:
    case = asking("begins_within", "taken_and_renewed", "")
    made = bound(loads(case.launch), case.code.kernel.metadata, {"N": 300, "B": 100}, {}, {}, seed=3)
    head, seat, total = (made.tensors[name].buffer.array for name in ("head", "seat", "sum"))
    assert head.min() >= 0
    assert head.max() < 300
    assert len(set(head.tolist())) > 10
    assert np.array_equal(seat, np.arange(100))
    assert not total.any()
    left = execute(case.code, made.grid, made.block, made.arguments, 100_000).outputs[0]
    assert np.array_equal(left, head + 1)
