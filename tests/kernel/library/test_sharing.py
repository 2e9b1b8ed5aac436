"""Rows whose parts a wave's lanes add up: proved, right as machine code; what is wrong with them is not proved."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import Expr, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import NotProvedError, emit, emit_unverified
from layoutalg.kernel.library.reduce import reduction, sharing_for
from layoutalg.kernel.library.sharing import Sharing
from layoutalg.kernel.obligations.folds import fold
from layoutalg.kernel.program import Barrier, Fold, How, LoadShared, Program, Statement
from layoutalg.kernel.program.fragments import encoded
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from layoutalg.prove import Refuted, prove
from layoutalg.refine.refinement import prove_binary
from tests.kernel.obligations.test_asynchronous import changed, refuted
from tests.matrix import each


def by_wave(kinds: str = "kr", how: How = "sum", parts: int = 128, vector: int = 4, threads: int = 256) -> Program:
    dtype = "f32" if vector == 4 else "f16"
    return reduction(kinds, how, dtype, "f32", sharing=Sharing(parts, vector, 2, 1, threads, by_wave=True))


def last_fold(program: Program, change: Callable[[Fold], list[Statement]]) -> Program:
    return replace(
        program, body=changed(program.body, lambda s: change(s) if isinstance(s, Fold) and s.lanes else None)
    )


@pytest.mark.parametrize("parts", each([128, 256], 256))
def test_rows_that_waves_add_up_are_proved(parts: int) -> None:
    assert verify(by_wave("kr", "sum", parts)).failures == ()


@cache
def text(how: How) -> str:
    return emit_unverified(by_wave(how=how))


def compiled(source: str, target: str, how: How = "sum") -> MachineCode:
    return decode_kernel(read_kernels(compile_source(source, target).payload)[by_wave(how=how).name])


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx1100", "gfx1201"], "gfx1100"))
@pytest.mark.parametrize("how", ["sum", "max"])
def test_their_machine_code_is_the_program_and_numpys(target: str, how: How) -> None:
    binary = compiled(text(how), target, how)
    assert prove_binary(binary, by_wave(how=how)).proved
    given = np.random.default_rng(5).integers(-9, 10, (5, 1032)).astype(np.float32)
    out = np.full(5, 77, np.float32)
    got = execute(binary, [3], by_wave().block, [given, out, 5, 1032]).outputs[-1]
    assert np.array_equal(got, given.sum(1) if how == "sum" else given.max(1))


WRONG_TEXTS = {
    "no barrier": ("__syncthreads();", ""),
    "a bit is left out": ("of_lane(v, 16)", "of_lane(v, 8)"),
    "a part is left out": ("y1 = 0; y1 < 4; ++y1)\n            v +=", "y1 = 1; y1 < 4; ++y1)\n            v +="),
    "sums are taken of parts alone": ("taken[0] += v;", "taken[0] += parts[0][0];"),
    "another row's parts": ("const int m = (tx >> 5) & 1;", "const int m = (tx >> 6) & 1;"),
    "parts lie elsewhere": ("(y0 * 32 + (tx & 31)) * 4", "(y0 * 32 + (tx & 31)) * 2"),
    "each wave stores": ("(tx >> 5) >> 1 == 0 && ", ""),
    "another lane's sum": ("of_lane(v, 4);", "of_lane(v, 4) + 0 * of_lane(v, 1);"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", list(WRONG_TEXTS))
@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
def test_a_wrong_text_is_not_proved(wrong: str, target: str) -> None:
    before, after = WRONG_TEXTS[wrong]
    assert text("sum").count(before) == 1
    assert not prove_binary(compiled(text("sum").replace(before, after), target), by_wave()).proved


def test_loads_say_that_they_are_not_repeated() -> None:
    text = emit(verify(by_wave(vector=8, parts=256)), "sm_90")
    assert b"ld.global.cs.v4" in compile_source(text, "sm_90").payload
    assert "of_lane(v, 16)" in text


def test_blocks_share_long_rows_where_that_was_measured() -> None:
    assert sharing_for("kr", (8192, 8192), "f16", "sm_90").by_wave
    assert not any(
        sharing_for("kr", lengths, "f32", target).by_wave
        for lengths, target in (((8192, 8192), "gfx942"), ((8192, 8192), "cpu"), ((64, 8192), "sm_90"))
    )


def test_a_processor_has_no_lanes() -> None:
    with pytest.raises(NotProvedError, match="exchanges of lanes"):
        emit(verify(by_wave()), "cpu")


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lanes", [(), (1, 2, 4, 8), (2, 4, 8, 16), (1, 1, 2, 4, 8), (1, 2, 4, 8, 32), (3,), (16, 16)])
def test_other_lanes_lose_parts_or_count_them_twice(lanes: tuple[int, ...]) -> None:
    assert refuted(last_fold(by_wave(), lambda s: [replace(s, lanes=lanes)]))


def test_parts_that_two_lanes_read_are_refuted() -> None:
    """Lanes of a wave read the same parts by fours; one of two reads is missing."""

    def again(s: Statement) -> list[Statement] | None:
        if not isinstance(s, LoadShared | Fold) or (isinstance(s, Fold) and not s.lanes):
            return None
        tile = encoded([4, 4], [[2], [8, 2, 8]], [[(0, 0), (1, 0), (0, 1), (2, 0)]], [(2, 1), (2, 2)])
        if isinstance(s, LoadShared):
            return [replace(s, registers=replace(s.registers, distribution=tile))]
        return [replace(s, a=replace(s.a, distribution=tile))]

    program = by_wave()
    assert refuted(replace(program, body=changed(program.body, again)))


@pytest.mark.parametrize("lanes", [lambda t: (t + 1) % 256, lambda t: t // 32 + t % 32 * 8, lambda t: 255 - t])
def test_lanes_that_are_not_the_hardwares_are_refuted(lanes: Callable[[Expr], Expr]) -> None:
    program = by_wave()
    (thread,), (over,) = program.threads, (s for s in program.of(Fold) if s.lanes)
    asked = fold(replace(program, lanes=(lanes(thread),)), 8, over)
    assert any(isinstance(prove(r.claim), Refuted) for r in asked if "hardware" in r.about or "side by side" in r.about)


def test_threads_in_another_order_are_refuted() -> None:
    slow, fast = var("tx", 8), var("ty", 32)
    assert refuted(replace(by_wave(), threads=(slow, fast), lanes=(slow * 32 + fast,)))
    assert refuted(replace(by_wave(), threads=(fast, slow), lanes=(slow * 32 + fast,))) == ""


def test_no_barrier_before_the_parts_is_a_race() -> None:
    program = by_wave()
    assert "no race" in refuted(
        replace(program, body=changed(program.body, lambda s: [] if isinstance(s, Barrier) else None))
    )


@pytest.mark.parametrize("sharing", [Sharing(64, 4, 2, 1, 256, True), Sharing(512, 4, 2, 1, 256, True),
                                     Sharing(128, 4, 2, 2, 256, True)])  # fmt: skip
def test_shares_that_no_wave_has_are_refused(sharing: Sharing) -> None:
    with pytest.raises(LayoutError):
        reduction("kr", "sum", "f32", sharing=sharing)
