"""What is stored may be a choice of which one part was never written: it is defined where the other part is chosen."""

import itertools

import pytest

from layoutalg.audit.accesses import accesses
from layoutalg.index import FALSE, Expr, all_of, eq, negation, select, symbol, var
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.prove import ForAll, Proved, prove
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.unknowns import Kind, unknown_value

T, N = var("thread.x", 64), symbol("N", min=1, max=100)
NOTHING = unknown_value("undefined 0", 1 << 32, Kind.UNDEFINED, 0)
LOADED = unknown_value("loaded 1", 1 << 32, Kind.DATA, 1)


def undefined(value: Expr, guard: Expr, *others: Expr) -> Expr:
    """Where a store's value is made of what nothing wrote."""
    at = Instruction(0, 8, "GLOBAL_STORE_DWORD", "FLAT_GLBL", {}, {})
    (found,) = accesses(
        [TracedElement(at, True, "o", T * 16 + 4 * k, guard, FALSE, one, 4, 16, within=4 * k)
         for k, one in enumerate((value, *others))],
        LoopRecord(),
    )  # fmt: skip
    return found.undefined


def is_defined(value: Expr, guard: Expr, *others: Expr) -> bool:
    where = undefined(value, guard, *others)
    return where is FALSE or isinstance(prove(ForAll("defined", negation(where), guard)), Proved)


@pytest.mark.parametrize(("guard", "safe"), [(eq(T, 0), True), (T < 40, True), (T < 41, False), (eq(T, 45), False)])
def test_a_choice_is_defined_where_what_was_written_is_chosen(guard: Expr, safe: bool) -> None:
    value = select(T < 2, LOADED * 3, select(T < 40, LOADED, NOTHING))
    assert is_defined(value, guard) == safe
    assert is_defined(value + LOADED // 4, guard) == safe
    assert not is_defined(value, guard, NOTHING + LOADED)
    assert is_defined(LOADED, guard, value, LOADED) == safe


def test_of_what_a_choice_depends_on_all_was_written() -> None:
    assert not is_defined(select(NOTHING < 4, 1, 2), eq(T, 0))
    assert not is_defined(select(T < 2, select(eq(NOTHING, 1), 1, 2), 0), eq(T, 0))
    assert is_defined(select(T < 2, select(eq(NOTHING, 1), 1, 2), 0), eq(T, 2))
    made_of = unknown_value("f 2", 1 << 32, Kind.DATA, 2, "f", (NOTHING,))
    assert not is_defined(select(T < 2, made_of, 0), eq(T, 0))
    assert is_defined(select(T < 2, made_of, 0), eq(T, 2))


def test_where_a_choice_is_undefined_as_enumeration_has_it() -> None:
    conditions = [T < 3, eq(T % 2, 1), T * 2 < N]
    for a, b, c in itertools.permutations(conditions):
        value = select(a, select(b, NOTHING, LOADED), select(c, LOADED, NOTHING * 2))
        for guard in (all_of(a, negation(b)), all_of(negation(a), c), all_of(a, b), all_of(negation(a), negation(c))):
            expected = undefined(value, guard)
            assert (expected is FALSE or isinstance(prove(ForAll("defined", negation(expected), guard)), Proved)) == (
                guard in (all_of(a, negation(b)), all_of(negation(a), c))
            )
