"""Results that go through LDS to memory: proved in every order, free of conflicts, and wrong ways are refused."""

from dataclasses import replace

import pytest

from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit.kernel import emit
from layoutalg.kernel.library.contraction import contraction, merged, parse_einsum
from layoutalg.kernel.library.convolution import convolution_task
from layoutalg.kernel.library.lds_layouts import rows_of_k
from layoutalg.kernel.library.plans import Cut, Plan, copied, plan_for
from layoutalg.kernel.program import Barrier, LoadShared, Program, Store, StoreShared
from layoutalg.kernel.verify import verify
from layoutalg.target.dtypes import DTYPES
from tests.kernel.obligations.test_asynchronous import changed, refuted

WGMMA = "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{{0}}.{{0}}"


def plan(n: int = 128, stages: int = 2, dtype: str = "f16", *, whole: bool = False) -> Plan:
    cut = Cut((1, 1), (2, 1), 64, stages, whole=whole, instruction=WGMMA.format(n), through=True)
    return copied(plan_for("sm_90", dtype), cut)


def product(
    einsum: str = "ik,jk->ij", dtype: str = "f16", result: str = "f16", store: int = 8, cut: Plan | None = None
) -> Program:
    parsed = merged(parse_einsum(einsum))
    return contraction(parsed, dtype, result, plan=cut or plan(dtype=dtype), widths=(8, 8, store))


def names(program: Program) -> list[str]:
    return [shared.name for shared in program.shared]


@pytest.mark.parametrize(("n", "stages", "dtype"), [(64, 4, "bf16"), (128, 2, "f16")])
def test_results_through_lds_are_proved_for_all_sizes(n, stages, dtype):
    program = product("ik,kj->ij", dtype, dtype, cut=plan(n, stages, dtype))
    assert names(program) == ["a_lds", "b_lds", "target_lds"]
    assert verify(program).failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("einsum", ["ik,jk->ij", "ik,kj->ij", "ki,kj->ij", "ki,jk->ij"])
@pytest.mark.parametrize("whole", [True, False])
def test_results_of_large_tiles_are_proved(einsum, whole):
    assert verify(product(einsum, cut=plan(256, 3, whole=whole))).failures == ()


def test_convolutions_results_are_proved():
    shapes = (2, 8, 8, 64), (64, 3, 3, 64)
    task = convolution_task(*shapes, "f16", stride=(1,), pad=(1,), dilation=(1,), target="sm_90", plan=plan(64, 3))
    assert names(task.program)[-1] == "target_lds"
    assert verify(task.program).failures == ()


@pytest.mark.parametrize("n", [64, 128, 256])
def test_neither_way_meets_bank_conflicts(n):
    program = product(cut=plan(n, 2))
    ways = [p for p in priced(program, "sm_90") if p.access.shared.name == "target_lds"]
    assert [(p.instruction, p.cycles) for p in ways] == [("st.shared.32", 1), ("ld.shared.128", 1)]


@pytest.mark.parametrize(("result", "store"), [("f32", 4), ("f16", 4), ("f16", 1)])
def test_other_results_are_stored_as_lanes_hold_them(result, store):
    program = product(result=result, store=store)
    assert "target_lds" not in names(program)
    (store,) = program.of(Store)
    assert store.registers.name == "sums"


def last_barrier(program: Program) -> Program:
    body = list(program.body)
    del body[max(n for n, s in enumerate(body) if isinstance(s, Barrier))]
    return replace(program, body=tuple(body))


def read(program: Program, **fields) -> Program:
    """The program with other fields of the load of results."""
    return replace(program, body=changed(program.body, lambda s: _read(s, fields)))


def _read(s, fields):
    mine = isinstance(s, LoadShared) and s.shared.name == "target_lds"
    return [replace(s, **fields)] if mine else None


def rounded_before(program: Program) -> Program:
    """The program with results in LDS of another type of 16 bits."""
    other = DTYPES["bf16"]
    return replace(program, body=changed(program.body, lambda s: _of_type(s, other)))


def _of_type(s, other):
    if isinstance(s, StoreShared | LoadShared) and s.shared.name == "target_lds":
        return [replace(s, shared=replace(s.shared, dtype=other))]
    return None


@pytest.mark.parametrize(
    ("wrong", "about"),
    [
        (last_barrier, "no race in target_lds"),
        (lambda p: read(p, descriptor=rows_of_k(128, 128, 8, 2, (1, 0))), "what is read is what was written"),
        (rounded_before, "values are rounded once"),
    ],
)
def test_a_wrong_way_is_refused_by_name(wrong, about):
    program = product()
    changed_program = wrong(program)
    assert changed_program.body != program.body
    assert about in refuted(changed_program)


def test_the_text_ends_with_stores_of_rows():
    text = emit(verify(product()), "sm_90")
    order = ["await_products<0>();", "__syncthreads();", "// sums -> target_lds", "__syncthreads();",
             "// target_rows <- target_lds", "// target_rows -> target"]  # fmt: skip
    rest = text[text.rindex("await_products<0>();") :]
    for part in order:
        assert part in rest
        rest = rest.partition(part)[2]
