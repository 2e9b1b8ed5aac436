"""Copies past the registers and reads of a whole wave: proved in products; one thing wrong, and nothing is emitted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.index import TRUE, Expr, as_expr, extent_of, variables
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit import NotProvedError, emit
from layoutalg.kernel.library.contraction import contraction, contraction_task
from layoutalg.kernel.library.convolution import convolution, convolution_task
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.epilogues import Epilogue, ProductD
from layoutalg.kernel.library.lds_layouts import rows_of_k, rows_of_n
from layoutalg.kernel.library.plans import Plan, ProblemShape, tuned
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program import AsyncCopy, Await, Barrier, Commit, LoadShared, Loop, Multiply, Program, Statement
from layoutalg.kernel.program.fragments import FMA, one_of, paired
from layoutalg.kernel.verify import requirements, verify
from layoutalg.layout import LayoutError
from layoutalg.prove import Refuted, prove
from layoutalg.target.matrix import matrix_instruction
from tests.matrix import each, some

MMA = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
SMALL = Plan(paired(matrix_instruction(MMA)), (2, 2), (2, 2), 32, 16, "sm_90", direct=True, stages=3, whole=True)
BY_LANES = Plan(FMA, (4, 4), (16, 16), 16, 1, direct=True, stages=3)

Change = Callable[[Statement], Sequence[Statement] | None]


@cache
def product(einsum: str = "ik,jk->ij", plan: Plan = SMALL) -> Program:
    return contraction(merged(parse_einsum(einsum)), "f16", plan=plan, widths=(8, 8, 8))


def changed(body: Sequence[Statement], change: Change) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for s in body:
        new = change(s)
        if new is None and isinstance(s, Loop):
            new = [replace(s, body=changed(s.body, change))]
        found += [s] if new is None else new
    return tuple(found)


def refuted(program: Program) -> str:
    """The first obligation that is refuted, or why the program is refused; "" where all is proved."""
    try:
        return next((r.about for r in requirements(program) if isinstance(prove(r.claim), Refuted)), "")
    except (LayoutError, ValueError) as error:
        return str(error)


@pytest.mark.parametrize("einsum", some(["ik,jk->ij", "ik,kj->ij", "ki,kj->ij", "ki,jk->ij"], 2))
def test_products_are_proved_however_their_operands_lie(einsum: str) -> None:
    assert verify(product(einsum)).failures == ()


@pytest.mark.parametrize("dtype", each(["f16", "bf16"], "f16"))
def test_any_sizes_are_proved_with_bias_and_relu(dtype: str) -> None:
    program = contraction(
        parse_einsum("mk,kn->mn"),
        dtype,
        target="sm_80",
        widths=(8, 8, 8),
        epilogue=Epilogue("AddRelu", (ProductD(("n",), "f32", "bias"),)),
    )
    verified = verify(program)
    assert verified.failures == ()
    text = emit(verified, "sm_80")
    assert "cp.async.wait_group" in text
    assert "ldmatrix.sync.aligned.m8n8.x4.trans" in text


def nth(kind: type, number: int, change: Change) -> Change:
    """A change of one statement: the number-th of its kind in the program."""
    seen: list[Statement] = []

    def one(s: Statement) -> Sequence[Statement] | None:
        if isinstance(s, kind):
            seen.append(s)
            if len(seen) == number + 1:
                return change(s)
        return None

    return one


def with_slot(s: AsyncCopy, by: int) -> list[Statement]:
    return [replace(s, store=replace(s.store, slot=(s.store.slot + by) % 3))]


def at_k(s: AsyncCopy, by: int) -> list[Statement]:
    *rows, k = s.load.origin
    return [replace(s, load=replace(s.load, origin=(*rows, k + by)))]


@dataclass(frozen=True)
class Wrong:
    """One statement changed, the number-th of its kind; and what the answer must speak of."""

    kind: type
    number: int
    change: Change

    def program(self) -> Program:
        body = changed(product().body, nth(self.kind, self.number, self.change))
        assert body != product().body
        return replace(product(), body=body)


def sooner(condition: Expr) -> Expr:
    """A comparison that ends one earlier."""
    return condition.args[0] + 1 < condition.args[1]


# Copies of the program: 0, 1 of tile 0; 2, 3 of tile 1; 4, 5 in the loop. Awaits: before, in, after the loop.
MUTANTS = {
    "one group more may be under way": (Wrong(Await, 1, lambda s: [replace(s, groups=2)]), "under way"),
    "one group more before the loop": (Wrong(Await, 0, lambda s: [replace(s, groups=2)]), "under way"),
    "one group less may be under way": (Wrong(Await, 1, lambda s: [replace(s, groups=0)]), "under way"),
    "not awaited": (Wrong(Await, 1, lambda s: []), "under way"),
    "not awaited at the end": (Wrong(Await, 2, lambda s: []), "await all"),
    "barrier before the loop dropped": (Wrong(Barrier, 0, lambda s: []), "no race"),
    "barrier in the loop dropped": (Wrong(Barrier, 1, lambda s: []), "no barrier"),
    "not committed in the loop": (Wrong(Commit, 2, lambda s: []), "under way"),
    "not committed before it": (Wrong(Commit, 1, lambda s: []), ""),
    "copied to the next slot": (Wrong(AsyncCopy, 4, lambda s: with_slot(s, 1)), "no race"),
    "the first copied to another slot": (Wrong(AsyncCopy, 0, lambda s: with_slot(s, 1)), ""),
    "copied a tile too far": (Wrong(AsyncCopy, 4, lambda s: at_k(s, 32)), ""),
    "the second tile copied from elsewhere": (Wrong(AsyncCopy, 2, lambda s: at_k(s, 8)), "inside the tensor"),
    "copied past the last tile": (
        Wrong(AsyncCopy, 4, lambda s: [replace(s, load=replace(s.load, only=TRUE))]), "inside the tensor",
    ),
    "copied where it is not needed alone": (
        Wrong(AsyncCopy, 4, lambda s: [replace(s, load=replace(s.load, only=sooner(s.load.only)))]),
        "filled before the loop",
    ),
    "a vector of another shape copied": (
        Wrong(AsyncCopy, 4, lambda s: [AsyncCopy(replace(s.load, vector=None), replace(s.store, vector=None))]),
        "other copies",
    ),
    "a copy dropped": (Wrong(AsyncCopy, 5, lambda s: []), ""),
    "read from the slot that is being filled": (
        Wrong(LoadShared, 2, lambda s: [replace(s, slot=(s.slot + 2) % 3)]), "",
    ),
    "read from the next slot": (Wrong(LoadShared, 2, lambda s: [replace(s, slot=(s.slot + 1) % 3)]), ""),
    "rows and columns taken for each other": (
        Wrong(LoadShared, 2, lambda s: [replace(s, by="ldmatrix.trans")]), "what it is to hold",
    ),
    "read lane by lane": (Wrong(LoadShared, 2, lambda s: [replace(s, by="")]), ""),
    "read by another layout": (
        Wrong(LoadShared, 2, lambda s: [replace(s, descriptor=rows_of_n(64, 32))]), "",
    ),
    "read by an unknown instruction": (Wrong(LoadShared, 2, lambda s: [replace(s, by="ldmatrix.x2")]), "no matrix"),
    "an earlier step's fragments": (Wrong(LoadShared, 2, lambda s: []), ""),
    "multiplied by one instruction for two": (
        Wrong(Multiply, 0, lambda s: [replace(s, instruction=one_of(s.instruction))]), "elements a lane",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", some(tuple(MUTANTS), 6, slow=True))
def test_what_is_wrong_in_one_place_is_not_emitted(name: str) -> None:
    wrong, about = MUTANTS[name]
    found = refuted(wrong.program())
    assert found
    assert about in found


def test_a_lane_reads_a_row_whose_elements_lie_together() -> None:
    program = product()
    apart = rows_of_k(64, 32, 4, 2)  # runs of 4, so that a row of 8 lies in two places
    parts = (LoadShared, AsyncCopy)

    def change(s: Statement) -> Sequence[Statement] | None:
        if not isinstance(s, parts) or (s.store.shared if isinstance(s, AsyncCopy) else s.shared).name != "a_lds":
            return None
        if isinstance(s, AsyncCopy):
            return [replace(s, store=replace(s.store, descriptor=apart))]
        return [replace(s, descriptor=apart)]

    assert refuted(replace(program, body=changed(program.body, change)))


def test_a_condition_is_for_copies_alone() -> None:
    program = contraction(parse_einsum("ik,kj->ij"))

    def change(s: Statement) -> Sequence[Statement] | None:
        return [replace(s, only=as_expr(0))] if hasattr(s, "only") else None

    assert "only copies may" in refuted(replace(program, body=changed(program.body, change)))


def test_a_condition_is_computed_in_the_index_type() -> None:
    (loop,) = (s for s in product().body if isinstance(s, Loop))
    count = extent_of(loop.index)

    def wide(s: Statement) -> Sequence[Statement] | None:
        if not isinstance(s, AsyncCopy) or loop.index not in variables(s.load.only):
            return None
        only = (loop.index + 2) * (1 << 20) < count * (1 << 20)  # the same, but for what 32 bits hold
        return [replace(s, load=replace(s.load, only=only))]

    assert "coordinates fit 32 bits" in refuted(replace(product(), body=changed(product().body, wide)))


def test_a_copys_own_load_is_no_copy_where_it_stands_alone() -> None:
    (loop,) = (s for s in product().body if isinstance(s, Loop))
    copy = next(s for s in loop.body if isinstance(s, AsyncCopy))
    assert copy.load.only is not TRUE
    alone = replace(loop, body=(*loop.body, copy.load))
    body = changed(product().body, lambda s: [alone] if s is loop else None)
    assert "only copies may" in refuted(replace(product(), body=body))


def test_a_refuted_product_is_not_emitted() -> None:
    wrong, _ = MUTANTS["copied to the next slot"]
    with pytest.raises(NotProvedError):
        emit(verify(wrong.program()))


@pytest.mark.parametrize("sizes", some([((1, 4, 4),), ((7, 8, 64),), ((65, 68, 12),), ((3, 132, 100),)], 2))
def test_where_a_copy_is_a_load_and_a_store_results_are_the_same(sizes, launch, random) -> None:
    k, i, j = sizes
    program = contraction(merged(parse_einsum("ki,kj->ij")), "f32", plan=BY_LANES, widths=(4, 4, 4))
    a, b = random("f32", k, i), random("f32", k, j)
    found = launch(Task(program, {"N_k": k, "N_i": i, "N_j": j}, (i, j)), a, b)
    wanted = a.astype(np.float64).T @ b.astype(np.float64)
    assert np.abs(found - wanted).max() <= 1e-5 * max(1, np.abs(wanted).max())


def test_more_lds_than_a_kernel_may_declare_is_asked_for() -> None:
    task = contraction_task("ik,jk->ij", (4096, 4096), (4096, 4096), "f16", target="sm_90")
    code = CodeObject.read(compile_source(emit(verify(task.program), "sm_90"), "sm_90").payload)
    kernel = code.kernels[task.program.name]
    assert (kernel.lds_bytes, kernel.asked_lds_bytes) == (0, (128 + 256) * 64 * 2 * 4 + 4 * 16)
    assert kernel.asked_lds_bytes == task.program.aligned_lds_bytes


WINDOWS = {
    "3 x 3": Windows((3, 3), (1, 1), (1, 1), (1, 1)),
    "strides, dilation, groups": Windows((3, 2), (2, 1), (1, 3), (2, 0), 2),
    "1-D": Windows((5,), (1,), (1,), (2,)),
}


CONVOLUTIONS = [(name, channels, fixed) for name in WINDOWS for channels in (None, 64) for fixed in (False, True)]


@pytest.mark.parametrize(("name", "channels", "fixed"), some(CONVOLUTIONS, 2))
def test_convolutions_are_proved(name: str, channels: int | None, fixed: bool) -> None:
    plan, lengths = replace(SMALL, whole=channels is not None), (28, 30)[: len(WINDOWS[name].filter)]
    program = convolution(
        WINDOWS[name], "f16", plan=plan, widths=(8, 8), channels=channels, fixed=lengths if fixed else None
    )
    assert len(program.sizes) == 2 + (channels is None) + (0 if fixed else len(lengths))
    verified = verify(program)
    assert verified.failures == ()
    assert "data_inside" in emit(verified, "sm_90")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("image", "filter"), [((2, 15, 14, 64), (192, 1, 1, 64)), ((1, 28, 28, 256), (256, 3, 3, 256))]
)
def test_convolutions_of_few_and_of_many_tiles_are_proved(image: tuple[int, ...], filter: tuple[int, ...]) -> None:
    task = convolution_task(image, filter, "f16", stride=(1,), pad=(filter[1] // 2,), dilation=(1,), target="sm_90")
    assert any(isinstance(s, AsyncCopy) for _, s in task.program.statements())
    assert verify(task.program).failures == ()


def test_channels_that_are_no_multiple_of_the_tile_are_refuted() -> None:
    program = convolution(WINDOWS["3 x 3"], "f16", plan=SMALL, widths=(8, 8), channels=24)
    assert "inside the tensor" in refuted(program)


@pytest.mark.parametrize("einsum", ["ik,jk->ij", "ik,kj->ij", "ki,jk->ij"])
def test_reads_of_a_whole_wave_are_free_of_conflicts(einsum: str) -> None:
    for plan in (SMALL, tuned("contraction", "sm_80", "f16", (8, 8))):
        reads = [p for p in priced(product(einsum, plan), "sm_90") if isinstance(p.access, LoadShared)]
        assert len(reads) >= 4
        assert {p.cycles for p in reads} == {1}


def test_lds_beyond_the_target_is_refuted() -> None:
    plan = replace(tuned("contraction", "sm_80", "f16", (8, 8)), stages=9)
    assert "LDS: 294912 bytes of 232448" in refuted(product("ik,jk->ij", plan))


def test_plans_follow_the_sizes() -> None:
    def chosen(m: int, n: int, k: int) -> Plan:
        return tuned("contraction", "sm_90", "f16", (8, 8), ProblemShape((m, n, k), (m, n, k)))

    assert chosen(4096, 4096, 4096).whole
    assert not chosen(4104, 4096, 4096).whole
    assert chosen(128, 128, 128).n < chosen(8192, 8192, 8192).n


def test_an_amd_product_has_no_such_copies() -> None:
    program = contraction(merged(parse_einsum("ik,jk->ij")), "f16", target="gfx942", widths=(8, 8, 8))
    assert not any(isinstance(s, AsyncCopy) for _, s in program.statements())


def test_a_thread_is_in_no_order_with_its_own_copy() -> None:
    """Each thread keeps to its own words, so only the copy's time is wrong: it may end before the store or after."""
    program = lds_transpose("f32", vector=4)
    load, store, barrier, read, out = program.body
    copied = (AsyncCopy(load, store), Commit(), Await(0, (store.shared,)))
    assert not refuted(replace(program, body=(*copied, barrier, read, out)))
    both = (load, store, *copied, barrier, read, out)
    assert "no race in lds" in refuted(replace(program, body=both))
