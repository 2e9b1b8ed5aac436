"""Reads by which lanes get each other's elements: their maps, a product whose b is read so, and wrong ones."""

from dataclasses import replace
from itertools import product

import pytest

from layoutalg.errors import LayoutError
from layoutalg.index import as_expr, value, var
from layoutalg.kernel.access.matrix_loads import MATRIX_LOADS
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.lds_layouts import order_of_pieces, pieces_of_n
from layoutalg.kernel.library.plans import Cut, copied, plan_for
from layoutalg.kernel.obligations.held import MissingValueError
from layoutalg.kernel.obligations.limits import lacks
from layoutalg.kernel.program import LoadShared, Loop
from layoutalg.kernel.verify import verify
from layoutalg.layout import TileDistribution, make_naive_tensor_descriptor
from layoutalg.target.transposed import TRANSPOSED
from tests.kernel.obligations.test_base_neighbours import put_registers

PLAN = copied(plan_for("gfx950", "f16"), Cut((1, 1), (2, 2), 32, 2))
PROGRAM = contraction(parse_einsum("mk,kn->mn"), "f16", plan=PLAN, widths=(8, 8, 8))
TURNED = "ds_read_b64_tr_b16"


def reading(change, which=0):
    """The program with one of its reads that transpose changed."""

    def body(statements):
        found = [replace(s, body=body(s.body)) if isinstance(s, Loop) else s for s in statements]
        at = [n for n, s in enumerate(found) if isinstance(s, LoadShared) and s.by]
        return tuple(change(s) if at and n == at[which] else s for n, s in enumerate(found))

    return replace(PROGRAM, body=body(PROGRAM.body))


def refused(program):
    """Whether it is not proved, or no program."""
    try:
        return not verify(program).proved
    except (LayoutError, MissingValueError):
        return True


@pytest.mark.parametrize("name", MATRIX_LOADS)
def test_who_holds_an_element_is_who_receives_it(name):
    load, own = MATRIX_LOADS[name], TRANSPOSED.get(name)
    lane, element = var("lane", load.group), var("element", load.elements)
    there, back = load.source(lane, element), load.holder(lane, element)
    pairs = set()
    for at in product(range(load.group), range(load.elements)):
        q, k = (value(e, {lane: at[0], element: at[1]}) for e in there)
        pairs.add((q, k))
        assert tuple(value(e, {lane: q, element: k}) for e in back) == at
        if own is not None:
            assert (q, k) == own.at(*at)
    assert len(pairs) == load.group * load.elements
    if own is not None:
        assert (own.group, own.elements, own.bits) == (load.group, load.elements, load.bits)


def test_the_program_is_proved_and_what_it_costs_is_said_to_be_unknown():
    assert verify(PROGRAM).proved
    reads = [p for p in priced(PROGRAM, "gfx950") if isinstance(p.access, LoadShared) and p.access.by]
    assert len(reads) == 4
    assert {(p.instruction, p.cycles) for p in reads} == {(TURNED, None)}
    assert all("no source on the lane groups" in p.why for p in reads)
    assert lacks(reading(lambda s: s), "gfx942").startswith("mfma_f32_32x32x16_f16")


def origin(*by):
    return lambda s: replace(s, origin=tuple(o + n for o, n in zip(s.origin, by, strict=True)))


def halves_swapped(of):
    """A lane's second read has what the other half of the wave is to have of its first."""
    return replace(of, ys_minor=(*of.ys_minor[:2], 2, 4), ps_minor=(of.ps_minor[0], (3, 2)))


def lanes_swapped(of):
    """Half a wave has what the other half is to have."""
    minor = of.ps_minor[1]
    return replace(of, ps_minor=(of.ps_minor[0], minor[::-1]), ps_major=(of.ps_major[0], of.ps_major[1][::-1]))


def columns_swapped(of):
    """Sixteen lanes have the columns that the next sixteen are to have: two factors of n, in the other order."""
    n = (*of.hs[1][:-1], as_expr(2), as_expr(16))
    last = len(n) - 1
    majors, minors = (list(of.ps_major[1]), list(of.ps_minor[1]))
    at = next(i for i, (x, y) in enumerate(zip(majors, minors, strict=True)) if (x, y) == (2, last - 1))
    majors[at : at + 1], minors[at : at + 1] = [2, 2], [last, last - 1]
    return replace(of, hs=(of.hs[0], n, *of.hs[2:]), ps_major=(of.ps_major[0], tuple(majors)),
                   ps_minor=(of.ps_minor[0], tuple(minors)))  # fmt: skip


@pytest.mark.parametrize("change", [halves_swapped, lanes_swapped, columns_swapped])
def test_fragments_of_other_lanes_are_not_proved(change):
    registers = next(s.registers for s in PROGRAM.of(LoadShared) if s.by)
    other = replace(registers, distribution=TileDistribution(change(registers.distribution.encoding)))
    assert not verify(put_registers(PROGRAM, registers, other)).proved


WRONG = {
    "four columns on": origin(0, 4, 0),
    "eight bytes off": origin(0, 0, 4),
    "two rows on": origin(0, 0, 2),
    "by 8 bits": lambda s: replace(s, by="ds_read_b64_tr_b8"),
    "by a warp's": lambda s: replace(s, by="ldmatrix.trans"),
    "by none of that name": lambda s: replace(s, by="ds_read_b64_tr_b4"),
    "each lane its own": lambda s: replace(s, by=""),
    "two elements": lambda s: replace(s, vector=2),
    "the other slot": lambda s: replace(s, slot=1 - s.slot),
    "rows that are not swizzled": lambda s: replace(
        s, descriptor=make_naive_tensor_descriptor((1, 64, 32), (2048, 1, 64))
    ),
    "rows of k": lambda s: replace(s, descriptor=make_naive_tensor_descriptor((1, 64, 32), (2048, 32, 1))),
    "a stride too long": lambda s: replace(s, descriptor=make_naive_tensor_descriptor((1, 64, 32), (2048, 1, 72))),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_thing_wrong_and_it_is_not_proved(name):
    for which in (0, 1):
        changed = reading(WRONG[name], which)
        assert changed != PROGRAM
        assert refused(changed)


def test_parts_of_a_wave_are_refused():
    for count in (32, 96):
        thread = var("tx", count)
        with pytest.raises(LayoutError, match=f"{count} threads are no whole waves of 64, which {TURNED} takes"):
            verify(replace(PROGRAM, threads=(thread,), lanes=(thread // 64, thread % 64)))


@pytest.mark.slow
def test_lanes_that_are_not_the_hardwares_are_refused():
    (thread,) = PROGRAM.threads
    for lanes in ((thread // 64, thread % 64 // 2 + thread % 2 * 32), (thread % 4, thread // 4)):
        failed = verify(replace(PROGRAM, lanes=lanes)).failures
        assert any("load from b_lds: lanes are the hardware's" in about for about, _ in failed)


def test_pieces_lie_in_lds_as_lanes_load_them():
    for length, k in ((32, 32), (64, 32), (128, 64), (256, 64)):
        layout, order = pieces_of_n(length, k, 2), order_of_pieces(length, k, 2)
        word = layout.offset(order.lower(order.index))
        for row, column in ((0, 0), (1, 9), (length - 7, 13), (length - 1, k - 1)):
            at = dict(zip(order.index, (0, row, column), strict=True))
            assert value(word, at) == column * length + row
        rows = [[value(layout.offset((0, n, q)), {}) * 2 // 64 % 4 for n in range(0, 32, 8)] for q in range(4)]
        assert sorted(row[0] for row in rows) == [0, 1, 2, 3]  # four rows, each on its 16 of 64 banks
        assert all(len(set(row)) == 1 for row in rows)
