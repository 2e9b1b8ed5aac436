"""What a launch gives: named values within what is assumed of them, blocks that the kernel has none of."""

from dataclasses import replace

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import LaunchError
from layoutalg.formats.spec import loads
from layoutalg.index import TRUE, all_of, any_of, as_expr, eq, simplify, substitute, symbol, var
from layoutalg.index.variable import unlimited
from layoutalg.launch.elements import Elements
from layoutalg.launch.memory import TensorMemory
from layoutalg.layout import make_naive_tensor_descriptor_packed
from tests.audit.auditing import audited
from tests.audit.test_audit_cases import asking


def of(assume: str) -> Audit:
    return asking("named_value", "moved", f"assume = [{assume}]").audited()


UNSHOWN = "nothing is shown for sizes for which what is assumed of k leaves no value: only where "


@pytest.mark.parametrize(
    ("assume", "only"),
    [
        ('"5 <= k <= N - 1"', "5 <= N - 1"),
        ('"N // 2 <= k <= 8 - N"', "N // 2 <= N * -1 + 8"),
        ('"0 <= k <= N - 1"', ""),
        ('"-1 <= k <= 8"', ""),
    ],
)
def test_sizes_for_which_assumptions_contradict_each_other_are_told(assume: str, only: str) -> None:
    """Nothing is shown of a kernel that nobody can launch as it is assumed."""
    told = [text for text in of(assume).assumptions if text.startswith("nothing is shown")]
    assert told == ([f"{UNSHOWN}{only}"] if only else [])


def test_elements_that_are_assumed_have_values_for_some_sizes() -> None:
    n = symbol("N", max=1000)
    layout = Elements.of(make_naive_tensor_descriptor_packed((n,)), lambda e: e)
    v = unlimited("v")
    bounded = TensorMemory("x", n * 4, 4, False, True, ((v, all_of(v >= 5, v <= n - 1)),), layout)
    assert str(bounded.possible) == "5 <= N - 1"
    assert str(replace(bounded, assumed=((v, v <= 300),), signed=False, distinct=True).possible) == "N <= 301"
    assert str(replace(bounded, assumed=((v, any_of(eq(v, -9), all_of(v >= 5, v < n))),)).possible) == "1"
    assert str(replace(bounded, assumed=(), element=1, distinct=True).possible) == "N <= 256"
    assert replace(bounded, assumed=()).possible is TRUE


def test_what_is_assumed_of_a_named_value_is_used() -> None:
    found = of('"0 <= k <= 8"')
    assert found.proved, found.failures
    assert "0 <= k <= 8" in found.assumptions


def test_a_value_of_which_nothing_is_left_is_refused() -> None:
    with pytest.raises(LaunchError, match="k"):
        of('"3 <= k <= 2"')


def test_more_threads_than_the_kernel_takes_are_refused_by_the_runtime() -> None:
    asked = asking("named_value", "moved")
    claims = audit(asked.code, loads(asked.launch.replace("block = [64]", "block = [128]"))).claims
    refuted = [verdict.reason for claim, _, verdict in claims if claim == "launchable" and verdict.name == "refuted"]
    assert refuted == ["moved has blocks of at most 64 threads, not 128"]


NAMED = """
symbols = {{ {size} = {{ min = 0, max = {most} }} }}
[[descriptor]]
name = "{tensor}"
dtype = "i32"
base = {{ kind = "packed", lengths = [64] }}
[launch]
grid = [1]
block = [64]
arguments = ["{tensor}", "{size}", {{ dtype = "u32", name = "k" }}]
writes = ["{tensor}"]
"""
UNEQUAL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o, unsigned n, unsigned k) {
    if (n != k) o[threadIdx.x + 64] = 0;
}
"""


def named(size: str = "N", most: int = (1 << 32) - 1, tensor: str = "o") -> Audit:
    return audited(UNEQUAL, NAMED.format(size=size, most=most, tensor=tensor), seconds=5)


def test_a_size_is_no_value_that_the_audit_has_a_name_for() -> None:
    """Of one name and one range, the two would be one: what is given at byte 12 would be equal to the size."""
    assert named("argument_12").name == "refuted"


@pytest.mark.parametrize("size", ["block_x", "thread_x", "turn_0", "loaded_0"])
def test_a_size_may_have_any_name(size: str) -> None:
    assert named(size, most=64).name == "refuted"


def test_a_tensor_is_not_called_as_the_memory_of_a_block_is() -> None:
    """What is stored there would be taken for a store to LDS."""
    with pytest.raises(LaunchError, match="another name"):
        named(tensor="lds")


def test_sizes_of_which_there_are_none_are_refused() -> None:
    """Of no launch at all everything would be proved."""
    question = asking("sizes_that_are_related", "next")
    with pytest.raises(LaunchError, match="no sizes are as it says"):
        audit(question.code, loads(question.launch.replace("K < N", "K < N and N < K")))


@pytest.mark.parametrize("least", [-128, -100, -1, 0, 1, 127])
def test_what_is_assumed_of_a_signed_element_holds_of_the_same_words_however_it_is_said(least: int) -> None:
    """Of an element that is not negative the bits are the number, and no others are allowed."""
    v, w = unlimited("v"), var("w", 256)
    memory = TensorMemory("x", as_expr(64), 1, written=False, signed=True, assumed=((v, all_of(v >= least, v <= 99)),))
    assert memory.natural == (least >= 0)
    for bits in range(256):
        number = bits - 256 if bits >= 128 else bits
        allowed = simplify(substitute(memory.allows(memory.number(w)), {w: as_expr(bits)}))
        assert (allowed is TRUE) == (least <= number <= 99)
