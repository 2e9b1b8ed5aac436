"""Plans of products: tiles that lanes read 16 bytes of at once, and larger tiles where there are many."""

from dataclasses import replace

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.kernel.access.prices import priced
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library.contraction import contraction, contraction_task, parse_einsum
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.library.epilogues import Epilogue, ProductD
from layoutalg.kernel.library.plans import Plan, ProblemShape, enlarged, packed, plan_for
from layoutalg.kernel.program import Barrier, Load, LoadShared, Loop, Multiply, Statement
from layoutalg.kernel.verify import verify
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from layoutalg.target import target as gpu
from tests.kernel.obligations.test_asynchronous import changed, refuted
from tests.matrix import each, turns

LARGE = ("gfx942", "gfx950")


def sizes(m: int, n: int, k: int, batches: int = 1) -> ProblemShape:
    return ProblemShape((m, n, k), (m, n, k), batches)


def large(target: str, dtype: str = "f16") -> Plan:
    return enlarged(plan_for(target, dtype), target, sizes(4096, 4096, 64))


def compiled(task: Task, target: str) -> MachineCode:
    source = emit(verify(task.program), target)
    return decode_kernel(read_kernels(compile_source(source, target).payload)[task.program.name])


@pytest.mark.parametrize(
    ("target", "dtype"),
    [("gfx950", "f16"), ("gfx1201", "bf16"), ("gfx942", "f32"), ("sm_90", "f16"), ("cpu", "f16")],
)
def test_lanes_that_read_enough_are_left_alone(target: str, dtype: str) -> None:
    assert packed(plan_for(target, dtype)) == plan_for(target, dtype)


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942"], "gfx90a"))
@pytest.mark.parametrize("dtype", each(["f16", "bf16"], "bf16"))
def test_operands_along_k_are_read_16_bytes_at_a_time_without_conflicts(target: str, dtype: str) -> None:
    program = contraction(parse_einsum("ik,jk->ij"), dtype, target=target, widths=(8, 8, 8))
    found = [p for p in priced(program, target) if isinstance(p.access, LoadShared)]
    assert {(p.instruction, p.cycles) for p in found} == {("ds_read_b128", 1)}
    assert verify(program).failures == ()


def test_a_and_b_with_different_orders_of_k_are_refuted() -> None:
    plan = packed(plan_for("gfx942", "f16"))
    program = contraction(parse_einsum("ik,jk->ij"), "f16", plan=plan, widths=(8, 8, 8))
    other = replace(plan, packed=False).operand("b")

    def unpacked(s: Statement) -> list[Statement] | None:
        if isinstance(s, Multiply):
            return [replace(s, b=replace(s.b, distribution=other))]
        if isinstance(s, LoadShared) and s.registers.name == "b_held":
            return [replace(s, registers=replace(s.registers, distribution=other), vector=len(other.ys) - 1)]
        return None

    assert not refuted(program)
    assert refuted(replace(program, body=changed(program.body, unpacked)))


@pytest.mark.parametrize(
    ("target", "given", "tile"),
    [
        ("gfx942", sizes(2048, 2048, 4096), 128),
        ("gfx942", sizes(4096, 4096, 4096), 256),  # 256 blocks and 4 · 256: one, or four, for each of 304 units
        ("gfx942", sizes(8192, 8192, 8192), 128),  # four, or 14: a seventh more
        ("gfx942", sizes(1 << 14, 1 << 14, 64), 256),  # 14, or 54
        ("gfx950", sizes(4096, 4096, 4096, batches=2), 256),  # two of the large ones, or eight, for each of 256 units
        ("gfx950", sizes(4097, 4097, 64), 128),  # two, or five
        ("gfx90a", sizes(1 << 15, 1 << 15, 64), 128),
    ],
)
def test_a_large_tile_is_taken_where_no_unit_has_much_more_to_multiply(
    target: str, given: ProblemShape, tile: int
) -> None:
    plan = enlarged(plan_for(target, "f16"), target, given)
    assert (plan.m, plan.n) == (tile, tile)


@pytest.mark.parametrize("target", each(LARGE, "gfx950"))
def test_a_large_tile_has_two_slots_in_lds_and_8_waves(target: str) -> None:
    plan = large(target)
    assert (plan.m, plan.n, plan.k, plan.waves) == (256, 256, 32, (2, 4))
    assert 2 * (plan.m + plan.n) * plan.k * 2 <= gpu(target).lds_bytes
    assert enlarged(plan_for(target, "f32"), target, sizes(1 << 15, 1 << 15, 64)) == plan_for(target, "f32")


def test_only_results_that_are_stored_as_they_are_have_large_tiles() -> None:
    def tile(einsum: str, epilogue: str = "PassThrough", ds: tuple[ProductD, ...] = ()) -> tuple[int, ...]:
        shape = tuple(64 if letter == "q" else 4096 for letter in einsum.split(",")[0])
        task = contraction_task(einsum, shape, (4096, 4096), "f16", target="gfx950", epilogue=Epilogue(epilogue, ds))
        return tuple(map(int, task.program.tile[1:]))

    assert tile("mk,kn->mn") == tile("mk,kn->mn", "Relu") == (256, 256)
    assert tile("mk,kn->mn", "Add", (ProductD(("n",), "f32", "bias"),)) == tile("mk,kn->mn", "Scale") == (128, 128)
    assert tile("mqk,kn->qnm") == (128, 128)


@pytest.mark.parametrize("einsum", each(["mk,nk->mn", "mk,kn->mn", "km,kn->mn"], "mk,kn->mn"))
@pytest.mark.parametrize("dtype", ["f16", pytest.param("bf16", marks=pytest.mark.slow)])
@pytest.mark.parametrize("target", each(LARGE, "gfx942"))
def test_products_of_large_tiles_are_proved_and_do_not_spill(target: str, dtype: str, einsum: str) -> None:
    task = contraction_task(einsum, (4096, 4096), (4096, 4096), dtype, target=target)
    assert task.program.tile[1:] == (256, 256)
    straight = target == "gfx950"
    assert f"_256x256x{'64_whole' if straight else '32'}_" in task.program.name
    metadata = compiled(task, target).kernel.metadata
    assert (metadata.vgpr_spills, metadata.scratch_bytes) == (0, 0)
    assert metadata.vgprs <= 256  # of a lane: two waves for each SIMD


@pytest.mark.parametrize("target", turns(LARGE))
def test_the_machine_code_of_large_tiles_is_proved_and_exact(target: str) -> None:
    plan = packed(large(target))
    task = contraction_task("mk,nk->mn", (264, 72), (248, 72), "f16", target=target, plan=plan)
    code = compiled(task, target)
    assert prove_binary(code, task.program).proved
    case = make_case(task.program, {size: task.sizes[size.value.name] for size in task.program.sizes})
    assert attempt(code, task.program, case).exact


def test_guards_are_ranges_where_operands_fit_one_and_their_vectors_are_of_16_bytes() -> None:
    def ranged(rows: int, k: int, target: str = "gfx942", dtype: str = "f16") -> list[bool]:
        program = contraction_task("mk,nk->mn", (rows, k), (128, k), dtype, target=target).program
        return [load.ranged for load in program.of(Load)]

    most = 1 << 15
    assert ranged(most - 8, most) == [True] * 4
    assert set(ranged(200, 72, "gfx950")) == {True}
    assert ranged(most, most) == ranged(200, 68) == ranged(200, 72, "gfx90a") == [False] * 4
    assert ranged(200, 68, dtype="f32") == [True] * 4


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_one_slot_is_proved_and_needs_each_of_its_barriers(target: str) -> None:
    program = contraction(parse_einsum("ik,jk->ij"), "f16", target=target, widths=(8, 8, 8))
    assert [shared.slots for shared in program.shared] == [1, 1]
    assert verify(program).failures == ()
    (number,) = (n for n, s in enumerate(program.body) if isinstance(s, Loop))
    loop = program.body[number]
    assert isinstance(loop, Loop)
    barriers = [n for n, s in enumerate(loop.body) if isinstance(s, Barrier)]
    assert len(barriers) == 2
    for at in barriers:
        without = replace(loop, body=loop.body[:at] + loop.body[at + 1 :])
        wrong = replace(program, body=(*program.body[:number], without, *program.body[number + 1 :]))
        assert not verify(wrong).proved
