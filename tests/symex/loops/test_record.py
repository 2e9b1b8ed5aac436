"""What an attempt at a loop notes is taken back with what it claims."""

from layoutalg.index import ONE, TRUE, var
from layoutalg.prove import ForAll
from layoutalg.symex.loops.ranking import LaneIterations
from layoutalg.symex.loops.record import Carried, LoopBuilder, LoopRecord
from layoutalg.symex.values.unknowns import Kind, unknown_value

T, U, V = var("t", 8), var("u", 8), var("v", 8)


def noted(record: LoopRecord) -> list[object]:
    held = record.carried, record.incoming, record.facts, record.iterations, record.last, record.exits
    return [list(record.claims), *map(dict, held)]


def note(loops: LoopBuilder) -> None:
    loops.claim(ForAll("a claim", T >= 0, TRUE))
    loops.carry(Carried(T, U, ONE, ONE))
    loops.add_incoming(U, (ONE,))
    loops.know(U, U >= 1)
    loops.note_iterations(T, LaneIterations(U, TRUE, ForAll("its iterations", T >= 0, TRUE)))
    loops.note_last(T, U)
    loops.leave(T, 0x40, U >= 3)


def test_an_attempt_that_is_taken_back_leaves_nothing() -> None:
    loops = LoopBuilder()
    note(loops)
    mark, before = loops.mark(), noted(loops.record)
    loops.claim(ForAll("another", T >= 1, TRUE))
    loops.carry(Carried(T, V, ONE, ONE))
    loops.add_incoming(U, (V,))
    loops.know(U, U >= 2)
    loops.know(V, V >= 2)
    loops.note_last(V, U)
    loops.leave(V, 0x80, U >= 4)
    assert noted(loops.record) != before
    loops.roll_back(mark)
    assert noted(loops.record) == before


def test_what_lasts_as_a_loops_variable_does_is_kept() -> None:
    loops = LoopBuilder()
    mark = loops.mark()
    note(loops)
    loops.know(V, V >= 1, lasting=True)
    loops.leave(V, 0x80, V >= 1, lasting=True)
    loops.roll_back(mark)
    assert noted(loops.record) == [[], {}, {}, {V: V >= 1}, {}, {}, {V: (0x80, V >= 1)}]


def test_a_loop_waits_that_is_left_by_data_or_by_what_it_carries_of_such() -> None:
    loops = LoopBuilder()
    loaded, before, carried = (unknown_value(name, 9, Kind.DATA, owner=owner) for name, owner in
                               (("loaded", (T,)), ("before", ()), ("carried", (T,))))  # fmt: skip
    loops.add_incoming(carried, (before, loaded + 1))
    for leaves in (loaded >= 1, carried >= 1):
        loops.leave(T, 0x40, leaves)
        assert [*loops.record.waiting({loaded})] == [0x40]
        assert not [*loops.record.waiting({before})]
