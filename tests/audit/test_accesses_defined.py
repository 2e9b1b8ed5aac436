"""Accesses by themselves: what is stored was written before, also where loops hand it on."""

import pytest

from layoutalg.audit.accesses import is_undefined
from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.index import Expr, budget, select, symbol
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.symex.values.unknowns import Kind, unknown_value

LAUNCH = """
symbols = { M = { min = 1, max = 100 }, N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["M", "N"] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N"] }
[launch]
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["x", "o", "M", "N"]
writes = ["o"]
"""
SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const float* x, float* o, int m, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    float sum BEFORE;
    for (int j = 0; j < m; ++j) { TURN; }
    o[i] = sum;
}
"""

#: Assembly of no instruction, which is said to write a register: as a compiler does that forgets one.
FORGOTTEN = '; asm volatile("" : "=v"(sum))'


@pytest.mark.parametrize(("before", "turn", "defined"), [
    ("= 0.0f", "sum += x[j * n + i]", True),
    ("= 0.0f", "if (x[j * n + i] > 0) sum = x[j * n + i]", True),  # what is loaded is handed on, of few threads
    (FORGOTTEN, "sum += x[j * n + i]", False),
])  # fmt: skip
def test_what_a_loop_hands_on_was_written(before: str, turn: str, defined: bool) -> None:
    source = SOURCE.replace("BEFORE", before).replace("TURN", turn)
    (kernel,) = read_kernels(compile_source(source, "gfx942").payload).values()
    claims = audit(decode_kernel(kernel), loads(LAUNCH)).claims
    assert ("followed", "proved") in {(claim, verdict.name) for claim, _, verdict in claims}
    assert defined == all(verdict.name == "proved" for claim, _, verdict in claims if claim == "defined")


def chosen_in_turn(inner: Expr, count: int = 60) -> Expr:
    """Sums of choices of the number by conditions that have nothing to do with one another."""
    for n in range(count):
        inner = select(symbol(f"s{n}") < 5, inner, inner + n + 1)
    return inner


def test_what_many_choices_make_of_given_numbers_is_seen_at_once() -> None:
    value = chosen_in_turn(symbol("x"))
    assert not is_undefined((value,), frozenset(), frozenset())
    assert is_undefined((value,), frozenset({symbol("x")}), frozenset())


def test_what_is_not_decided_in_time_is_no_answer() -> None:
    """What nothing wrote is on a way that is never gone: which, each set of conditions is asked."""
    unwritten, given = unknown_value("u", 2, Kind.UNDEFINED), symbol("a") < 5
    guarded = select(given, symbol("x"), unwritten)
    assert is_undefined((guarded,), frozenset(), frozenset())
    assert not is_undefined((guarded,), frozenset(), frozenset({given}))
    with pytest.raises(budget.OutOfTimeError), budget.within(0):
        is_undefined((chosen_in_turn(guarded),), frozenset(), frozenset({given}))
