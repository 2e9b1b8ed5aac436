"""Packed fragments and asynchronous copies: what they need is proved, and what breaks them is refused or refuted."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from layoutalg.kernel.emit import emit
from layoutalg.kernel.fragments import Outer, fragment_tile
from layoutalg.kernel.library.contraction import contraction, merged, parse_einsum
from layoutalg.kernel.library.plans import plan_for
from layoutalg.kernel.program import (
    Barrier,
    Load,
    LoadShared,
    Loop,
    Multiply,
    Program,
    Registers,
    Statement,
    StoreShared,
)
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.prove import Refuted


@cache
def product() -> Program:
    return contraction(merged(parse_einsum("ik,jk->ij")), "f16", target="sm_90", widths=(8, 8, 8))


def changed(body: Sequence[Statement], change) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for s in body:
        new = change(s)
        if new is None and isinstance(s, Loop):
            new = [replace(s, body=changed(s.body, change))]
        found += [s] if new is None else new
    return tuple(found)


def with_body(change) -> Program:
    return replace(product(), body=changed(product().body, change))


def refuted(program: Program) -> list[str]:
    return [about for about, verdict in verify(program).verdicts if isinstance(verdict, Refuted)]


def test_the_default_product_is_proved_with_copies_past_the_registers():
    verified = verify(product())
    assert verified.proved
    text = emit(verified, "sm_90")
    assert "copy_to_lds(&a_lds[place]" in text
    assert "a_loaded[y0][y1][y2] =" not in text
    assert sum("the copy does not meet access" in about for about, _ in verified.verdicts) == 2


def test_a_lane_reads_the_k_of_two_fragments_at_once():
    reads = [s for _, s in product().statements() if isinstance(s, LoadShared)]
    assert [[int(s.registers.distribution.ys[y]) for y in s.vector] for s in reads] == [[2, 2, 2]] * 2


def test_k_in_another_order_in_b_than_in_a_is_refuted():
    plan = plan_for("sm_90", "f16")
    plain = fragment_tile(plan.instruction.b, "b", Outer(8, 2), Outer(2), 2, 8)

    def change(s: Statement):
        held = Registers("b_held", product().source.dtype, plain)
        if isinstance(s, LoadShared) and s.registers.name == "b_held":
            return [replace(s, registers=held, vector=3)]
        if isinstance(s, Multiply):
            return [replace(s, b=held)]
        return None

    assert any("b_held lies as" in about for about in refuted(with_body(change)))


def test_a_copy_into_the_slot_that_is_read_meanwhile_is_refuted():
    def change(s: Statement):
        if isinstance(s, LoadShared) and s.shared.name == "a_lds":
            other = next(
                w
                for _, w in product().statements()
                if isinstance(w, StoreShared) and w.shared == s.shared and w.slot.args
            )
            return [replace(s, slot=other.slot)]
        return None

    assert any("the copy does not meet access" in about for about in refuted(with_body(change)))


def test_a_copy_that_does_not_move_what_its_load_moves_is_refused():
    def narrow(s: Statement):
        return [replace(s, vector=None)] if isinstance(s, StoreShared) and s.copies else None

    with pytest.raises(LayoutError, match="must move the same 16 bytes"):
        verify(with_body(narrow))


def test_a_copy_without_its_load_is_refused():
    def gone(s: Statement):
        return [] if isinstance(s, Load) and s.tensor.name == "a" else None

    with pytest.raises(LayoutError):
        verify(with_body(gone))


def test_a_barrier_within_a_copy_is_refused():
    def change(s: Statement):
        return [Barrier(), s] if isinstance(s, StoreShared) else None

    with pytest.raises(LayoutError, match="a barrier stands within"):
        verify(with_body(change))


def test_registers_that_a_copy_never_fills_are_not_read():
    def change(s: Statement):
        return [s, replace(s, copies=None)] if isinstance(s, StoreShared) else None

    with pytest.raises(LayoutError, match="past the registers"):
        verify(with_body(change))


def test_an_amd_product_has_no_such_copies():
    program = contraction(merged(parse_einsum("ik,jk->ij")), "f16", target="gfx942", widths=(8, 8, 8))
    assert not any(isinstance(s, StoreShared) and s.copies for _, s in program.statements())
