"""A thread's accesses to LDS between two barriers: those that meet keep their order, whichever they are."""

import pytest

from layoutalg.index import FALSE, TRUE, as_expr, symbol
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.prove import ForAll, Proved, prove
from layoutalg.refine.simulation.compare import Comparison
from layoutalg.refine.simulation.expected import Expected, ExpectedElement
from layoutalg.refine.simulation.order import changed_places
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions

KERNEL = lds_transpose("f32")
(THREAD,) = KERNEL.threads
LAST = KERNEL.threads[0].hi
HERE, APART, MEETS = THREAD * 4, THREAD * 4 + 4096, (LAST - THREAD) * 8  # MEETS is HERE for thread 170 alone


class Asked:
    """Decides by the prover."""

    def __init__(self):
        self.free = set()

    def decide(self, label, goal, given, show=()):
        return prove(ForAll(label, goal, given, show))


def verdicts(turned, first, second, loop=()):
    """Of two accesses, each (store, offset); the binary has them in this order, or turned.  The first is in a loop."""
    shared = KERNEL.shared[0].name
    values = [symbol(f"v{n}", min=0, max=(1 << 32) - 1) for n in range(2)]
    wanted = [
        ExpectedElement(f"access {n}", store, shared, offset, TRUE, FALSE, value, 4, 4, () if n else loop)
        for n, ((store, offset), value) in enumerate(zip((first, second), values, strict=True))
    ]
    found = [
        TracedElement(Instruction(n, 8, "DS", "DS"), w.store, "lds", w.offset, TRUE, FALSE, w.value, 4, 4, w.loops)
        for n, w in enumerate(wanted)
    ]
    expected = Expected(tuple(wanted), {}, dict.fromkeys(loop, as_expr(3)))
    order = found[::-1] if turned else found
    made = Comparison(KERNEL, expected, order, LoopRecord(), Asked(), UninterpretedFunctions(), KERNEL.lds_bytes)
    return [verdict for _, verdict in made.verdicts()]


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True)])
def test_accesses_that_meet_keep_their_order(first, second):
    assert all(isinstance(v, Proved) for v in verdicts(False, (first, HERE), (second, MEETS)))
    assert not all(isinstance(v, Proved) for v in verdicts(True, (first, HERE), (second, MEETS)))


@pytest.mark.parametrize(("first", "second"), [(True, True), (True, False), (False, True)])
def test_accesses_that_never_meet_may_change_places(first, second):
    assert all(isinstance(v, Proved) for v in verdicts(True, (first, HERE), (second, APART)))


def test_loads_may_change_places():
    assert all(isinstance(v, Proved) for v in verdicts(True, (False, HERE), (False, MEETS)))


@pytest.mark.parametrize("second", [MEETS, APART])
def test_an_access_in_a_loop_without_barriers_keeps_its_order_with_one_outside(second):
    loop = (symbol("t", min=0),)
    assert all(isinstance(v, Proved) for v in verdicts(False, (False, HERE), (True, second), loop))
    kept = all(isinstance(v, Proved) for v in verdicts(True, (False, HERE), (True, second), loop))
    assert kept == (second is APART)


TURN = symbol("t", min=0, max=99)
SLOT = int(LAST) * 4 + 4


def changed(*offsets):
    """The pairs that are asked about of a store and a load, at these offsets, that changed places."""
    found = [
        TracedElement(Instruction(n, 8, "DS", "DS"), not n, "lds", offset, TRUE, FALSE, as_expr(0), 4, 4, (TURN,))
        for n, offset in enumerate(offsets)
    ]
    return len(list(changed_places([(1, found[0]), (0, found[1])])))


@pytest.mark.parametrize(("other", "asked"), [
    ((TURN % 2 ^ 1) * SLOT, 0),
    (((TURN % 2 ^ 1) * (SLOT // 4) + 4) * 4 - 16, 0),
    (TURN % 2 * SLOT, 1),
    ((TURN % 2 ^ 1) * (SLOT - 4), 1),
    ((TURN + 1) % 2 * SLOT, 1),  # not said in the words of the first's turn: asked
    (TURN // 2 % 2 * SLOT, 1),
])  # fmt: skip
def test_slots_in_turns_are_apart_and_no_others(other, asked):
    assert changed(TURN % 2 * SLOT + THREAD * 4, other + THREAD * 4) == asked
