"""What may be under way along the ways through a kernel, by deeds that are written down."""

import pytest

from layoutalg.isa.compiled.waits import WaitDeeds, unwaited
from layoutalg.isa.decode.instructions import Operand

V1, V2 = Operand("v", 1), Operand("v", 2)


def load(deeds, register, counter="vm", ordered=True, half=""):
    deeds.issue((counter,), not ordered)
    deeds.load(register, (counter,), ordered, half)


def early(*told, successors=None):
    """Whether a register is touched too early, of blocks that tell what they do."""
    blocks = {}
    for number, tell in enumerate(told):
        tell(blocks.setdefault(number, WaitDeeds()))
    return unwaited(blocks, successors or {number: (number + 1,) for number in blocks}, 0)[0]


@pytest.mark.parametrize(("left", "register", "found"), [(0, V2, False), (1, V1, False), (1, V2, True), (2, V1, True)])
def test_a_wait_for_so_many_is_for_those_before(left, register, found):
    def first(deeds):
        load(deeds, V1)
        load(deeds, V2)

    def second(deeds):
        deeds.wait({"vm": left})
        deeds.touch(register)

    assert early(first, second) is found


def test_accesses_in_any_order_need_a_wait_for_all():
    def first(deeds):
        load(deeds, V1, "lgkm")
        load(deeds, V2, "lgkm", ordered=False)
        load(deeds, Operand("v", 3), "lgkm")

    def second(left):
        return lambda deeds: (deeds.wait({"lgkm": left}), deeds.touch(V1))

    assert early(first, second(2))
    assert not early(first, second(0))


@pytest.mark.parametrize("waits", [(0, 0), (0, None), (None, 0)])
def test_where_ways_meet_what_is_under_way_on_one_may_be(waits):
    """0 goes to 1 and 2, both to 3."""

    def way(left):
        return lambda deeds: None if left is None else deeds.wait({"vm": left})

    found = early(lambda deeds: load(deeds, V1), *map(way, waits), lambda deeds: deeds.touch(V1),
                  successors={0: (1, 2), 1: (3,), 2: (3,), 3: ()})  # fmt: skip
    assert found is (None in waits)


@pytest.mark.parametrize("left", [0, 1])
def test_what_the_turn_before_loaded(left):
    """A loop whose load is used in the next turn, behind a wait that lets one be under way, or none."""

    def body(deeds):
        load(deeds, V2)
        deeds.wait({"vm": left})
        deeds.touch(V2)

    assert early(body, successors={0: (0,)}) is bool(left)


def test_halves_are_due_apart():
    def first(deeds):
        load(deeds, V1, half="low")

    for half, found in (("low", True), ("high", False), ("", True)):
        assert early(first, lambda deeds, half=half: deeds.touch(V1, half)) is found


def test_two_loads_of_one_register():
    assert not early(lambda deeds: (load(deeds, V1), load(deeds, V1)))
    assert early(lambda deeds: (load(deeds, V1), load(deeds, V1, "lgkm")))


@pytest.mark.parametrize("left", [0, 1])
def test_lds_at_a_barrier(left):
    deeds = WaitDeeds()
    deeds.issue(("lgkm",), False, lds=True)
    deeds.wait({"lgkm": left})
    deeds.signal()
    assert unwaited({0: deeds}, {0: ()}, 0) == (False, bool(left))
