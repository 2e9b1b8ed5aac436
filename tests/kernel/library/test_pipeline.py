"""Products whose tiles go straight to LDS: what is proved of the program, and programs with one thing wrong."""

from dataclasses import replace

import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import value
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.library.contraction import contraction, contraction_task
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.lds_layouts import TWISTS, order_of_rows, rows_of_k
from layoutalg.kernel.library.plans import Cut, copied, plan_for
from layoutalg.kernel.obligations.held import MissingValueError
from layoutalg.kernel.obligations.straight import straight
from layoutalg.kernel.program import Await, Barrier, LoadShared, Loop, StraightCopy
from layoutalg.kernel.verify import verify
from layoutalg.layout import TileDistribution
from layoutalg.prove import Proved, Refuted, prove

PLAN = copied(plan_for("gfx950", "f16"), Cut((1, 1), (2, 2), 32, 2))
PROGRAM = contraction(parse_einsum("mk,nk->mn"), "f16", plan=PLAN, widths=(8, 8, 8))
LOOP = next(s for s in PROGRAM.body if isinstance(s, Loop))


def changed(kind, change, which=0):
    """The program with one statement of the loop's body changed, or left out."""
    at = [n for n, s in enumerate(LOOP.body) if isinstance(s, kind)][which]
    other = change(LOOP.body[at])
    body = (*LOOP.body[:at], *([] if other is None else [other]), *LOOP.body[at + 1 :])
    return replace(PROGRAM, body=tuple(replace(s, body=body) if s is LOOP else s for s in PROGRAM.body))


RAGGED = contraction(parse_einsum("mk,nk->mn"), "f16", plan=replace(PLAN, whole=False), widths=(8, 8, 8))


def loads_changed(change):
    """The program of any sizes, each of its copies' loads changed."""

    def other(s):
        if isinstance(s, Loop):
            return replace(s, body=tuple(map(other, s.body)))
        return replace(s, load=change(s.load)) if isinstance(s, StraightCopy) else s

    return replace(RAGGED, body=tuple(map(other, RAGGED.body)))


def test_sizes_that_tiles_do_not_divide_are_proved():
    """Below a tile's k, too: what is behind the last element comes as zeros."""
    assert verify(RAGGED).proved


@pytest.mark.parametrize("guarded", [(True, True, False), (True, False, True), (True, False, False)])
def test_sizes_that_tiles_do_not_divide_need_each_guard(guarded):
    assert refused(loads_changed(lambda load: replace(load, guarded=guarded)))


def test_a_tile_that_begins_behind_what_a_load_can_reach_is_refuted():
    """A scalar offset so large, and one that is out of range by itself, may wrap into it."""
    at = max(n for n, s in RAGGED.statements() if isinstance(s, StraightCopy))
    own = dict(RAGGED.statements())[at]
    far = replace(own, load=replace(own.load, origin=(*own.load.origin[:2], own.load.origin[2] << 25)))
    for copy, kind in ((own, Proved), (far, Refuted)):
        (reach,) = (r.claim for r in straight(RAGGED, at, copy) if "can reach" in r.about)
        assert isinstance(prove(reach), kind)


def test_what_the_library_takes_of_many_blocks_begins_within_reach():
    """A block of a group that is not whole begins rows behind the last: how far from the start is not bounded."""
    library = contraction_task("mk,nk->mn", (4100, 4096), (4104, 4096), "f16", target="gfx950").program
    in_groups = contraction(
        parse_einsum("mk,nk->mn"), "f16", plan=replace(PLAN, whole=False, group=2), widths=(8, 8, 8)
    )  # fmt: skip
    for program, kind in ((library, Proved), (in_groups, Refuted)):
        number, copy = next((n, s) for n, s in program.statements() if isinstance(s, StraightCopy))
        (reach,) = (r.claim for r in straight(program, number, copy) if "can reach" in r.about)
        assert isinstance(prove(reach), kind)


def refused(program):
    """Whether it is not proved, or no program."""
    try:
        return not verify(program).proved
    except (LayoutError, MissingValueError):
        return True


def test_the_program_is_proved_and_reads_lds_without_conflicts():
    assert verify(PROGRAM).proved
    reads = [p for p in priced(PROGRAM, "gfx950") if isinstance(p.access, LoadShared)]
    assert len(reads) == 8
    assert {p.cycles for p in reads} == {1}


def slot(copy):
    return replace(copy, store=replace(copy.store, slot=1 - copy.store.slot))


def next_tile(copy):
    m, n, k = copy.load.origin
    return replace(copy, load=replace(copy.load, origin=(m, n, k + 32)))


def as_they_lie(copy):
    """Lanes that load side by side what lies so in memory, though LDS is swizzled."""
    plain = TileDistribution(copy.load.registers.distribution.encoding)
    registers = replace(copy.load.registers, distribution=plain)
    return replace(copy, load=replace(copy.load, registers=registers), store=replace(copy.store, registers=registers))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    ("kind", "change"),
    [
        (Barrier, lambda _: None),
        (Await, lambda _: None),
        (Await, lambda s: replace(s, groups=1)),
        (StraightCopy, lambda _: None),
        (StraightCopy, slot),
        (StraightCopy, next_tile),
        (StraightCopy, as_they_lie),
        (LoadShared, lambda s: replace(s, slot=1 - s.slot)),
    ],
)
def test_one_thing_wrong_and_it_is_not_proved(kind, change, which):
    assert refused(changed(kind, change, which))


def test_the_order_of_rows_is_that_of_lds():
    for length, k in ((128, 32), (64, 64), (256, 64)):
        for twist in TWISTS:
            layout, order = rows_of_k(length, k, 8, 2, twist), order_of_rows(length, k, 8, 2, twist)
            x = order.lower(order.index)
            word = layout.offset(x)
            for row, column in ((0, 0), (1, 9), (37, 31), (length - 1, k - 1)):
                assert value(word, dict(zip(order.index, (0, row, column), strict=True))) == row * k + column


def test_the_library_takes_it_where_tiles_are_whole():
    def name(*sizes, target="gfx950", einsum="mk,nk->mn"):
        m, n, k = sizes
        size = {"m": m, "n": n, "k": k}
        a, b = (tuple(size[x] for x in letters) for letters in einsum.split("->")[0].split(","))
        return contraction_task(einsum, a, b, "f16", target=target).program.name

    assert "128x128x64_whole" in name(256, 384, 256)
    assert "256x256x64_whole" in name(4096, 4096, 4096)
    for einsum in ("mk,kn->mn", "km,kn->mn", "km,nk->mn"):  # rows of m or n, which lanes read by loads that transpose
        assert "128x128x64_whole" in name(256, 384, 256, einsum=einsum)
    for other in (name(250, 384, 256), name(256, 384, 192), name(256, 384, 256, target="gfx942"),
                  name(256, 384, 256, einsum="mk,kn->mn", target="gfx942"), name(1 << 20, 128, 1024)):  # fmt: skip
        assert "whole" not in other


@pytest.mark.parametrize(
    ("m", "n", "k", "straight"),
    [(250, 384, 200, True), (1, 8, 8, True), (250, 384, 201, False), ((1 << 20) - 1, 128, 1024, True),
     (1 << 20, 120, 1016, True), ((1 << 20) + 7000, 120, 1024, False)],
)  # fmt: skip
def test_others_go_straight_to_lds_where_rows_are_of_whole_vectors_and_within_reach(m, n, k, straight):
    program = contraction_task("mk,nk->mn", (m, k), (n, k), "f16", target="gfx950").program
    assert any(program.of(StraightCopy)) is straight
    turned = contraction_task("mk,kn->mn", (m, k), (k, n), "f16", target="gfx950").program
    assert not any(turned.of(StraightCopy))  # a tile may begin rows behind the last
