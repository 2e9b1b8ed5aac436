"""Words that lanes give each other: proved, carried out on numbers and as machine code; wrong ones are not proved."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.index import as_expr, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit.kernel import NotProvedError, emit
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.plans import WGMMA, Cut, copied, plan_for
from layoutalg.kernel.obligations.limits import lacks
from layoutalg.kernel.obligations.products import side_by_side
from layoutalg.kernel.program import Exchange, Load, Loop, Program, Registers, Statement, Store, Tensor
from layoutalg.kernel.program.fragments import Outer, encoded, exchanged, fragment_tile
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, PassThrough, make_naive_tensor_descriptor, make_single_stage_tensor_adaptor
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.matrix import matrix_instruction
from tests.kernel.obligations.test_asynchronous import changed, refuted
from tests.kernel.obligations.test_ring import plan, product
from tests.kernel.reference_run import run
from tests.matrix import each, some

NAMES = ("g", "m", "n")


@cache
def in_lanes(einsum: str = "ik,kj->ij", persistent: int = 132, n: int = 64, whole: bool = False) -> Program:
    return product(einsum, replace(plan(n, whole=whole), persistent=persistent, exchanged=True))


@cache
def moved(held: str = "f32", kept: str = "f16", n: int = 64) -> Program:
    """A tile that wgmma would leave in registers, loaded so, exchanged, and stored 16 bytes at once."""
    source = fragment_tile(matrix_instruction(f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16").d, "c", Outer(1),
                           Outer(1))  # fmt: skip
    tile, y, lanes = exchanged(source)
    return carried(Registers("held", DTYPES[held], source), Registers("taken", DTYPES[kept], tile), y, lanes,
                  (y + 1, len(tile.ys) - 1), (1, 64, n))  # fmt: skip


def carried(
    held: Registers, taken: Registers, y: int, lanes: int, wide: int | tuple[int, ...], lengths: tuple[int, ...]
) -> Program:
    wave = int(held.distribution.ps[-1])
    thread, blocks = var("tx", 128), (var("bx", 1),)
    strides = [int(np.prod(lengths[d + 1 :])) for d in range(len(lengths))]
    source, target = (
        Tensor(name, dtype, make_naive_tensor_descriptor(lengths, strides), NAMES)
        for name, dtype in (("source", held.dtype), ("target", taken.dtype))
    )
    maps = [PassThrough(as_expr(1)) for _ in lengths]
    tiles = make_single_stage_tensor_adaptor(maps, [[0], [1], [2]], [[0], [1], [2]])
    zero = (as_expr(0),) * 3
    body = (Load(held, source, zero, None, False), Exchange(taken, held, y, lanes),
            Store(target, taken, zero, wide, False))  # fmt: skip
    return Program("exchanged", source, target, (), (*blocks, var("by", 1), var("bz", 1)), (thread,),
                   (thread // wave, thread % wave), tiles, lengths, body)  # fmt: skip


def changed_exchange(program: Program, change: Callable[[Exchange], Sequence[Statement]]) -> Program:
    return replace(program, body=changed(program.body, lambda s: change(s) if isinstance(s, Exchange) else None))


# --- what is right ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("persistent", [0, 132])
def test_products_whose_results_are_exchanged_are_proved(persistent):
    assert verify(in_lanes(persistent=persistent)).failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("einsum", some(["ik,jk->ij", "ki,kj->ij", "bik,bkj->bij"], 2))
@pytest.mark.parametrize(("n", "whole"), [(256, True), (128, False)])
def test_products_of_other_tiles_are_proved(einsum, n, whole):
    assert verify(in_lanes(einsum, 132, n, whole)).failures == ()


def test_bfloat16_is_proved():
    cut = Cut((1, 1), (2, 1), 64, 3, 1, False, WGMMA.format(64), boxes=True, exchanged=True)
    program = contraction(merged(parse_einsum("ik,kj->ij")), "bf16", plan=copied(plan_for("sm_90", "bf16"), cut),
                          widths=(8, 8, 8))  # fmt: skip
    assert "to_bf16(" in emit(verify(program), "sm_90")


@pytest.mark.parametrize(("held", "kept"), each([("f32", "f16"), ("f32", "f32"), ("f16", "f16")], ("f32", "f16")))
def test_a_tile_that_is_loaded_exchanged_and_stored_is_proved(held, kept):
    program = moved(held, kept)
    if kept == "f32":  # a word is an element: 8 of them are no one access
        program = replace(program, body=(*program.body[:2], replace(program.body[2], vector=5)))
    assert verify(program).failures == ()


@pytest.mark.parametrize("target", each(["gfx90a", "gfx942", "gfx1100", "gfx1201"], "gfx942"))
def test_the_machine_code_of_an_exchange_keeps_coordinates(target):
    program = moved()
    binary = decode_kernel(read_kernels(compile_source(emit(verify(program), target), target).payload)["exchanged"])
    given = np.random.default_rng(7).standard_normal((64, 64)).astype(np.float32)
    out = np.full((64, 64), 77, np.float16)
    got = execute(binary, [1, 1, 1], program.block, [given, out]).outputs[-1]
    assert np.array_equal(got, given.astype(np.float16))


def test_a_product_carried_out_on_numbers_is_numpys():
    program = in_lanes(persistent=0)
    sizes = {"N_i": 130, "N_j": 72, "N_k": 136}
    random = np.random.default_rng(3)
    a, b = (random.integers(-4, 5, shape).astype(float) for shape in ((130, 136), (136, 72)))
    for late in (False, True):
        found = run(program, {"a": a.ravel(), "b": b.ravel()}, sizes, late)
        assert np.array_equal(found.reshape(130, 72), a @ b)


def test_results_are_stored_16_bytes_at_once_and_touch_no_lds():
    text = emit(verify(in_lanes()), "sm_90")
    order = ["turn_words<4, 1>(words);", "turn_words<4, 2>(words);", "*(float16x8*)(target + "]
    for part in order:
        assert part in text, part
        text = text.partition(part)[2]
    assert "meet<256>();" not in text
    assert b"shfl.sync.bfly" in compile_source(emit(verify(in_lanes()), "sm_90"), "sm_90").payload


def test_a_processor_has_no_lanes_to_exchange():
    assert "exchanges of lanes" in lacks(moved(), "cpu")
    with pytest.raises(NotProvedError, match="exchanges of lanes"):
        emit(verify(moved()), "cpu")


# --- what is wrong ----------------------------------------------------------------------------------------------------


def test_lanes_that_keep_their_words_are_refuted():
    """The registers are the source's, with one Y as two: nothing changes hands."""

    def kept(s: Exchange) -> list[Statement]:
        of = s.source.distribution.encoding
        n = of.hs[2]
        tile = encoded([1], [[], of.hs[1], [*n[:2], 2, 4, *n[3:]]],
                       [list(zip(p, (m + (a == 3 and m > 1) for a, m in zip(p, q, strict=True)), strict=True))
                        for p, q in zip(of.ps_major, of.ps_minor, strict=True)],
                       [(2, 0), (3, 0), (3, 2), (3, 3), (2, 3), (3, 5)])  # fmt: skip
        return [replace(s, registers=replace(s.registers, distribution=tile))]

    wrong = changed_exchange(in_lanes(), kept)
    wrong = replace(wrong, body=(*wrong.body[:-1], replace(wrong.body[-1], registers=next(
        s.registers for s in wrong.of(Exchange)), vector=None)))  # fmt: skip
    assert "exchanged: coordinates are kept" in refuted(wrong)


@pytest.mark.parametrize(
    "lanes",
    [
        lambda t: (t // 128, (t + 1) % 128),
        lambda t: (t // 128, 127 - t % 128),
        lambda t: (t // 128, t % 128 // 4 + t % 4 * 32),
        lambda t: (t * 0, t % 64 * 2 + t // 64),
    ],
)
def test_lanes_that_are_not_the_hardwares_are_refuted(lanes):
    program = moved()
    (thread,) = program.threads
    assert "lanes" in refuted(replace(program, lanes=lanes(thread)))


def test_lanes_of_which_some_are_no_threads_are_refused():
    with pytest.raises(LayoutError, match="128 threads are no whole groups of 256 lanes"):
        list(side_by_side("words", moved(), 256))


def test_threads_in_another_order_are_refuted():
    """Lanes side by side are threads 32 apart, and so of four waves."""
    program, slow, fast = moved(), var("tx", 32), var("ty", 4)
    across = replace(program, threads=(slow, fast), lanes=(slow * 0, slow * 4 + fast))
    assert "lanes are the hardware's" in refuted(across)
    along = replace(program, threads=(fast, slow), lanes=(slow * 0, slow * 4 + fast))
    assert refuted(along) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lanes": 2}, "are not those of"),
        ({"lanes": 8}, "are not those of"),
        ({"lanes": 3}, "a power of two from 2 to 32"),
        ({"lanes": 64}, "a power of two from 2 to 32"),
        ({"y": 1}, "are not those of"),
        ({"y": 4}, "words at the end"),
        ({"y": 9}, "words at the end"),
        ({"y": -1}, "words at the end"),
    ],
)
def test_other_lanes_and_ys_are_refused(change, said):
    assert said in refuted(changed_exchange(in_lanes(), lambda s: [replace(s, **change)]))


def test_words_of_no_pair_are_refused():
    program = moved()
    held, taken = (s.distribution for s in (program.body[0].registers, program.body[1].registers))
    wide = DTYPES["f16"]
    other = encoded([], [[], [16], [4, 2, 4]], [[(2, 0), (3, 2)]], [(3, 0), (3, 1)])
    assert held.ys[-1] == taken.ys[-1] == 2
    wrong = Exchange(Registers("taken", wide, other), Registers("held", wide, other), 0, 4)
    assert any("the last Y" in said or "Ys" in said for said in wrong.wrong())


def test_results_before_the_products_are_refused():
    program = in_lanes()
    (taken,) = program.of(Exchange)
    loop = next(n for n, s in enumerate(program.body) if isinstance(s, Loop))
    early = (*program.body[:loop], taken, *(s for s in program.body[loop:] if s is not taken))
    assert refuted(replace(program, body=early))
    inside = changed(program.body, lambda s: [replace(s, body=(*s.body, taken))] if isinstance(s, Loop) else
                     [] if s is taken else None)  # fmt: skip
    assert refuted(replace(program, body=inside))


def test_nothing_is_stored_that_was_not_exchanged():
    assert "has filled" in refuted(changed_exchange(in_lanes(), lambda s: []))


def test_a_value_is_rounded_once():
    """To bfloat16 in registers, and then to f16."""
    program = in_lanes()
    (s,) = program.of(Exchange)
    other = replace(s.registers, dtype=DTYPES["bf16"])
    body = changed(program.body, lambda x: [replace(x, registers=other)] if isinstance(x, Exchange | Store) else None)
    assert "rounded once" in refuted(replace(program, body=body))


def test_a_tile_with_no_y_beside_its_lanes_is_none_that_is_exchanged():
    tile = encoded([], [[], [8], [4, 2]], [[(2, 0)], [(3, 0)]], [(3, 1)])
    with pytest.raises(LayoutError, match="what a Y runs over"):
        exchanged(tile)
