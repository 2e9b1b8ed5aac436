"""Products whose instruction reads LDS itself: proved in every order, emitted, and each wrong program is refused."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from layoutalg.index import as_expr
from layoutalg.index.evaluate import value
from layoutalg.kernel.access.matrix_operands import word_read
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit.kernel import NotProvedError, emit
from layoutalg.kernel.emit.statements import Writer
from layoutalg.kernel.library.contraction import contraction, merged, parse_einsum
from layoutalg.kernel.library.lds_layouts import planes, rows_of_k
from layoutalg.kernel.library.plans import Cut, Plan, ProblemShape, copied, plan_for, tuned
from layoutalg.kernel.obligations.lds import no_race
from layoutalg.kernel.program import AsyncCopy, Barrier, Clear, Multiply, MultiplyShared, Program, StoreShared
from layoutalg.kernel.program.fragments import FMA
from layoutalg.kernel.verify import verify
from layoutalg.prove import Refuted, prove
from layoutalg.target.matrix import matrix_instruction
from tests.kernel.obligations.test_asynchronous import changed, nth, refuted
from tests.matrix import each, some

WGMMA = "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{{0}}.{{0}}"
ORDERS = ["ik,jk->ij", "ik,kj->ij", "ki,kj->ij", "ki,jk->ij"]


def plan(n: int = 64, rows: int = 1, groups: int = 2, stages: int = 3) -> Plan:
    cut = Cut((rows, 1), (groups, 1), 64, stages, instruction=WGMMA.format(n))
    return copied(plan_for("sm_90", "f16"), cut)


@cache
def product(einsum: str = "ik,jk->ij", cut: Plan | None = None) -> Program:
    return contraction(merged(parse_einsum(einsum)), "f16", plan=cut or plan(), widths=(8, 8, 8))


@pytest.mark.parametrize("einsum", some(ORDERS, 2))
def test_products_are_proved_however_their_operands_lie(einsum):
    assert verify(product(einsum)).failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("einsum", ORDERS)
@pytest.mark.parametrize(("n", "rows", "groups", "stages"), [(256, 1, 2, 4), (128, 2, 2, 4), (128, 1, 1, 2)])
def test_products_of_other_tiles_are_proved(einsum, n, rows, groups, stages):
    assert verify(product(einsum, plan(n, rows, groups, stages))).failures == ()


def test_the_text_has_the_instruction_what_it_waits_for_and_what_it_publishes():
    text = emit(verify(product("ik,kj->ij")), "sm_90")
    kernel = text[text.index('extern "C" __global__') :]
    order = ["publish_lds();\n        __syncthreads();", "begin_products();", "wgmma_m64n64k16_f16<0, 1>(",
             "commit_products();", "copy_to_lds(", "await_products<0>();"]  # fmt: skip
    loop = kernel[kernel.index("for (int kt") :]
    assert [loop.index(part) for part in order] == sorted(loop.index(part) for part in order)
    assert "aligned(1024)" in kernel


@pytest.mark.parametrize("target", each(["gfx942", "sm_80"], "sm_80"))
def test_a_target_without_the_instruction_is_refused_by_name(target):
    with pytest.raises(NotProvedError, match=f"not emitted for {target}, .*; sm_90 have it"):
        emit(verify(product()), target)


def test_what_it_reads_at_a_time_is_not_priced():
    by_descriptor = [p for p in priced(product(), "sm_90") if p.instruction.startswith("wgmma")]
    assert len(by_descriptor) == 2
    assert all("not documented" in p.why for p in by_descriptor)


# --- the hardware's rule ----------------------------------------------------------------------------------------------


def swizzled(byte: int) -> int:
    """Swizzle<3, 4, 3> of a byte address."""
    return byte ^ (byte >> 7 & 7) << 4


@pytest.mark.parametrize("start", [0, 32, 96, 8192])
def test_rows_along_k_are_patterns_of_1024_bytes(start):
    for row in range(64):
        for k in range(16):
            byte = swizzled(start + row // 8 * 1024 + row % 8 * 128 + 2 * k)
            assert value(word_read(as_expr(start // 2), as_expr(row), as_expr(k), True, 0), {}) * 2 == byte


@pytest.mark.parametrize("start", [0, 2048, 8192])
def test_rows_along_m_go_on_by_the_leading_offset(start):
    for row in range(128):
        for k in range(16):
            byte = swizzled(start + row // 64 * 8192 + k // 8 * 1024 + k % 8 * 128 + row % 64 * 2)
            assert value(word_read(as_expr(start // 2), as_expr(row), as_expr(k), False, 4096), {}) * 2 == byte


@pytest.mark.parametrize("along_k", [True, False])
@pytest.mark.parametrize(("length", "k"), each([(64, 64), (128, 128)], (64, 64)))
def test_planes_are_rows_of_128_bytes_swizzled(along_k, length, k):
    fast, slow = (k, length) if along_k else (length, k)
    found = planes(length, k, along_k)
    for row in range(0, slow, 3):
        for at in range(fast):
            index = (0, row, at) if along_k else (0, at, row)
            wanted = swizzled(at // 64 * slow * 128 + row * 128 + at % 64 * 2) // 2
            assert value(found.offset([as_expr(i) for i in index]), {}) == wanted


@pytest.mark.parametrize("n", [64, 128, 256])
def test_operand_maps_hold_each_element_once_and_multiply(n):
    one, rng = matrix_instruction(WGMMA.format(n).format("f16")), np.random.default_rng(n)
    a, b, c = (rng.integers(-4, 5, shape).astype(np.float64) for shape in ((64, 16), (16, n), (64, n)))
    done = one.execute(one.a.spread(a), one.b.spread(b), one.d.spread(c))
    assert np.array_equal(one.d.gather(done), a @ b + c)


# --- wrong programs ---------------------------------------------------------------------------------------------------


def other(**fields):
    return lambda s: [replace(s, **fields)]


def mapped(s: MultiplyShared, layout) -> list[MultiplyShared]:
    return [replace(s, a=replace(s.a, descriptor=layout))]


def later(s: MultiplyShared) -> list[MultiplyShared]:
    return [replace(s, a=replace(s.a, slot=(s.a.slot + 1) % 3))]


def one_map(program: Program, layout) -> Program:
    """The program with another map of A's tile, where it is written and where it is read."""
    body = changed(program.body, lambda s: _mapped(s, layout))
    assert body != program.body
    return replace(program, body=body)


def _mapped(s, layout):
    if isinstance(s, AsyncCopy) and s.store.shared.name == "a_lds":
        return [replace(s, store=replace(s.store, descriptor=layout))]
    return mapped(s, layout) if isinstance(s, MultiplyShared) else None


def test_another_map_is_refuted_though_it_is_written_and_read_alike():
    twisted = rows_of_k(128, 64, 8, 2, (1, 0))
    assert "it reads its elements" in refuted(one_map(product(), twisted))


def test_rows_that_are_not_swizzled_are_refuted():
    plain = planes(128, 64, False)  # of the other way
    assert refuted(one_map(product(), plain)) != ""


@pytest.mark.parametrize(
    ("kind", "number", "change", "about"),
    [
        (MultiplyShared, 0, other(along_k=(True, False)), "b_lds as wgmma"),
        (MultiplyShared, 0, other(along_k=(False, True)), "a_lds as wgmma"),
        (MultiplyShared, 0, later, "a_lds"),
        (Barrier, 0, lambda s: [], "has no barrier"),
        (AsyncCopy, 0, lambda s: [], "other copies than those before it"),
    ],
)
def test_one_wrong_statement_is_refuted(kind, number, change, about):
    body = changed(product().body, nth(kind, number, change))
    assert body != product().body
    assert about in refuted(replace(product(), body=body))


def test_sums_of_other_lanes_are_refused():
    (s,) = product().of(MultiplyShared)
    by_lanes = replace(s, product=replace(s.product, instruction=FMA))
    assert list(by_lanes.wrong()) == ["fma takes its operands from registers"]
    swapped = Multiply(s.product.c, s.product.b, s.product.a, s.product.instruction)
    assert "other tiles than those that are read" in next(replace(s, product=swapped).wrong())


def test_a_buffer_that_begins_between_patterns_is_refuted():
    body = changed(product().body, lambda s: _longer(s))
    assert "slots begin at 1024 bytes" in refuted(replace(product(), body=body))


def _longer(s):
    """A's buffer with a few elements more, so that B's begins elsewhere."""
    if isinstance(s, AsyncCopy) and s.store.shared.name == "a_lds":
        return [replace(s, store=replace(s.store, shared=replace(s.store.shared, elements=128 * 64 + 8)))]
    if isinstance(s, MultiplyShared):
        return [replace(s, a=replace(s.a, shared=replace(s.a.shared, elements=128 * 64 + 8)))]
    if hasattr(s, "buffers"):
        return [replace(s, buffers=tuple(
            replace(b, elements=128 * 64 + 8) if b.name == "a_lds" else b for b in s.buffers))]  # fmt: skip
    return None


def test_copies_into_the_slot_that_is_multiplied_are_refuted():
    def here(s):
        return [replace(s, store=replace(s.store, slot=(s.store.slot + 1) % 3))]

    body = changed(product().body, nth(AsyncCopy, 4, here))
    assert body != product().body
    assert refuted(replace(product(), body=body)) != ""


def stored(s: MultiplyShared) -> StoreShared:
    """A store of what a lane would hold of A to where it lies."""
    return StoreShared(s.a.shared, s.a.descriptor, s.a.registers, None, s.a.slot)


@pytest.mark.parametrize("change", [lambda s: [s, stored(s)], lambda s: [stored(s), s]])
def test_a_store_is_apart_from_reads_that_are_in_no_order_with_it(change):
    body = changed(product().body, nth(MultiplyShared, 0, change))
    wrong = [r.about for r in no_race(replace(product(), body=body)) if isinstance(prove(r.claim), Refuted)]
    assert len(wrong) == 1
    assert wrong[0].endswith("no race in a_lds")


def test_each_of_several_products_under_way_is_awaited():
    (s,) = product().of(MultiplyShared)
    more = replace(s.product.c, name="more")
    other_sum = replace(s, product=replace(s.product, c=more))
    texts = [*Writer(product()).body((s, other_sum, Clear(s.product.c)))]
    assert [text.count("await_products<0>();") for text in texts] == [0, 0, 1, 0]
    assert texts[2].count("hold<") == 2


def test_the_library_uses_it_for_whole_tiles_and_for_the_rest():
    whole = tuned("contraction", "sm_90", "f16", (8, 8), ProblemShape((4096,) * 3, (4096,) * 3))
    odd = tuned("contraction", "sm_90", "f16", (8, 8), ProblemShape((1000, 1032, 520), (1000, 1032, 520)))
    assert (whole.in_lds, whole.whole, odd.in_lds, odd.whole) == (True, True, True, False)
    assert not tuned("contraction", "sm_80", "f16", (8, 8)).in_lds


def test_registers_of_what_is_read_from_lds_hold_nothing():
    (s,) = product().of(MultiplyShared)
    kept = StoreShared(replace(s.a.shared, name="spare", slots=1), s.a.descriptor, s.a.registers)
    assert "reads a_held0, which nothing has filled" in refuted(replace(product(), body=(*product().body, kept)))


def test_an_instruction_that_reads_lds_multiplies_no_registers():
    (s,) = product().of(MultiplyShared)
    assert "takes its operands from LDS" in refuted(replace(product(), body=(*product().body, s.product)))


def test_operands_have_registers_of_their_own():
    def alike(s):
        if not isinstance(s, MultiplyShared):
            return None
        return [replace(s, b=replace(s.b, registers=s.a.registers), product=replace(s.product, b=s.a.registers))]

    program = product(cut=plan(groups=1))  # as large as one another: the second read would stand for both
    assert "a_held0 stands for both" in refuted(replace(program, body=changed(program.body, alike)))
