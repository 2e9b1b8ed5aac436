"""Contractions by matrix instructions, run from the binary."""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Operand
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.scaled import FOURS
from layoutalg.isa.run.spaces import GlobalMemory
from layoutalg.target.eights import values
from layoutalg.target.matrix import matrix_instruction
from tests.isa.decode.test_allowed import decoded, word
from tests.isa.semantics.test_table_every_bit import ALL, assembled_line
from tests.matrix import each

TARGETS = {"gfx90a": (32, 64), "gfx942": (32, 64), "gfx950": (32, 64), "gfx1100": (16, 32), "gfx1201": (16, 32)}


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize("opt_level", each([0, 1, 3], 3))
def test_contraction_is_within_the_rounding_of_f32(program, target, opt_level):
    tile, threads = TARGETS[target]
    m, n, k = 64, 96, 64 if opt_level else 32
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal((rows, k)).astype(np.float16) for rows in (m, n))
    c = np.full((m, n), np.nan, np.float32)
    kernel = program("contraction", "contraction", target, opt_level)
    run = execute(kernel, (n // tile, m // tile), (threads,), [a, b, c, n, k])
    exact = a.astype(np.float64) @ b.astype(np.float64).T
    bound = k * 2.0**-24 * (np.abs(a.astype(np.float64)) @ np.abs(b.astype(np.float64)).T)
    assert (np.abs(run.outputs[2] - exact) <= bound).all()


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_contraction_of_small_integers_is_exact(program, target):
    tile, threads = TARGETS[target]
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-8, 9, (rows, 48)).astype(np.float16) for rows in (tile, 2 * tile))
    c = np.zeros((tile, 2 * tile), np.float32)
    run = execute(program("contraction", "contraction", target), (2, 1), (threads,), [a, b, c, 2 * tile, 48])
    assert np.array_equal(run.outputs[2], a.astype(np.float32) @ b.astype(np.float32).T)


@pytest.mark.parametrize(("target", "fnuz"), [("gfx942", True), ("gfx950", False)])
@pytest.mark.parametrize(("a_kind", "b_kind"), [("fp8", "bf8"), ("bf8", "fp8")])
def test_a_product_of_numbers_of_eight_bits(target, fnuz, a_kind, b_kind):
    """Each lane's bytes put where the operand maps say, in the format of the target, against numpy's product."""
    code = assembled_line(target, f"v_mfma_f32_16x16x32_{a_kind}_{b_kind} v[0:3], v[8:9], v[10:11], 0")
    program = decoded(target, code, **ALL)
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, 64, GlobalMemory([]), 1, LdsMeter(target), strict=False
    )
    rng, held = np.random.default_rng(3), {}
    for first in (8, 10):
        codes = rng.integers(1, 0x60, (64, 8), np.uint8) | rng.integers(0, 2, (64, 8), np.uint8) << 7  # all are numbers
        held[first] = codes
        for k, words in enumerate(codes.view(np.uint32).T):
            machine.registers.write_register(Operand("v", first + k), 32, np.broadcast_to(words, (2, 1, 1, 64)).copy())
    (instruction,) = program.instructions
    machine.step(instruction)
    shape = matrix_instruction(f"mfma_f32_16x16x32_{a_kind}_{b_kind}")
    a, b = shape.a.gather(values(a_kind, fnuz)[held[8]]), shape.b.gather(values(b_kind, fnuz)[held[10]])
    found = [machine.registers.vector("v", k).view(np.float32).reshape(-1, 64)[0] for k in range(4)]
    assert np.array_equal(np.stack(found, axis=1), shape.d.spread(a @ b).astype(np.float32))


def machine_with(target, code, **held):
    """A machine whose registers from some on hold these words of each lane, and what an instruction is decoded to."""
    (instruction,) = (program := decoded(target, code, **ALL)).instructions
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, 64, GlobalMemory([]), 1, LdsMeter(target), strict=False
    )
    for first, words in held.items():
        for k, one in enumerate(words.T):
            operand = Operand("v", int(first.removeprefix("v")) + k)
            machine.registers.write_register(operand, 32, np.broadcast_to(one, (2, 1, 1, 64)).copy())
    return machine, instruction


def sums(machine, count):
    """The f32 that each lane holds from v0 on."""
    found = [machine.registers.vector("v", k).view(np.float32).reshape(-1, 64)[0] for k in range(count)]
    return np.stack(found, axis=1)


@pytest.mark.parametrize(("side", "k", "count"), [(16, 128, 4), (32, 64, 16)])
@pytest.mark.parametrize(("bytes_", "picked"), [((0, 0), ""), ((2, 1), " op_sel:[0,1,0] op_sel_hi:[1,0,0]")])
def test_a_product_of_fp4_with_scales(side, k, count, bytes_, picked):
    """Lane l has 32 elements of row l mod S, of block l / S, and their scale; numpy multiplies the rows."""
    rng = np.random.default_rng(11)
    codes = {first: rng.integers(0, 256, (64, 16), np.uint8) for first in ("v24", "v28")}
    scales = {first: rng.integers(120, 134, (64, 4), np.uint8) for first in ("v32", "v33")}
    name = f"v_mfma_scale_f32_{side}x{side}x{k}_f8f6f4"
    line = f"{name} v[0:{count - 1}], v[24:27], v[28:31], 0, v32, v33{picked} cbsz:4 blgp:4"
    held = {first: one.view(np.uint32) for first, one in (codes | scales).items()}
    machine, instruction = machine_with("gfx950", assembled_line("gfx950", line), **held)
    machine.step(instruction)
    rows = []
    for (first, scale), byte in zip((("v24", "v32"), ("v28", "v33")), bytes_, strict=True):
        fours = np.stack((codes[first] & 15, codes[first] >> 4), axis=-1).reshape(64, 32)
        values = (
            np.concatenate([FOURS, -FOURS])[fours] * np.ldexp(1.0, scales[scale][:, byte].astype(int) - 127)[:, None]
        )
        rows.append(values.reshape(-1, side, 32).swapaxes(0, 1).reshape(side, k))
    wanted = matrix_instruction(f"mfma_scale_f32_{side}x{side}x{k}_f8f6f4.fp4.fp4").d.spread(rows[0] @ rows[1].T)
    assert np.array_equal(sums(machine, count), wanted.astype(np.float32))


def test_a_scale_of_all_ones_is_no_number_and_a_constant_counts_by_its_exponent():
    code = assembled_line(
        "gfx950", "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[24:27], v[28:31], 0, v32, v33 cbsz:4 blgp:4"
    )
    four = word(code, (32, 40, 246))  # the constant 4.0 for v32
    ones = np.full((64, 4), 0x22222222, np.uint32)  # 1.0 everywhere
    scale = np.where(np.arange(64)[:, None] == 21, np.uint32(0xFF), np.uint32(126))  # of column 5, block 1
    machine, instruction = machine_with("gfx950", four, v24=ones, v28=ones, v33=scale)
    machine.step(instruction)
    found = sums(machine, 4)
    column = np.arange(64) % 16
    assert np.isnan(found[column == 5]).all()
    assert (found[column != 5] == 128 * 4.0 * 0.5).all()


@pytest.mark.parametrize("mode", [0xF0, 0xC0, 0x3F, 0x30])
def test_a_product_of_narrow_numbers_looks_at_no_mode(mode):
    """Denormals of f16, as they are in the sum of f32, itself denormal (CDNA 4 ISA, 7.4)."""
    code = assembled_line("gfx950", "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]")
    (instruction,) = (program := decoded("gfx950", code, **ALL, float_mode=mode)).instructions
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, 64, GlobalMemory([]), 1, LdsMeter("gfx950"), strict=False
    )
    words = {**dict.fromkeys(range(4), 1), 8: 1, 9: 0, 10: 0, 11: 0}  # C is the least denormal of f32
    for k, one in words.items():
        machine.registers.write_register(Operand("v", k), 32, np.full((2, 1, 1, 64), one, np.uint32))
    machine.step(instruction)
    assert (machine.registers.vector("v", 0)[0] == 1).all()


@pytest.mark.parametrize(("target", "kept"), [("gfx90a", False), ("gfx942", True)])
def test_subnormal_halves_of_a_product_are_zeros_on_gfx90a(target, kept):
    """Of the least f16 and 1, and of what is added to a subnormal f32 (MIOpen's documentation of MI200)."""
    blocks = "" if target == "gfx90a" else "_f16"
    line = f"v_mfma_f32_16x16x16{blocks or 'f16'} v[0:3], v[8:9], v[10:11], v[0:3]"
    (instruction,) = (program := decoded(target, assembled_line(target, line), **ALL)).instructions
    for c, factor in ((0, 0x3C00), (1, 0)):
        machine = ConcreteMachine(
            program.kernel, np.zeros((1, 3), np.int64), 1, 64, GlobalMemory([]), 1, LdsMeter(target), strict=False
        )
        words = {**dict.fromkeys(range(4), c), 8: 1, 9: 0, 10: factor, 11: 0}
        for k, one in words.items():
            machine.registers.write_register(Operand("v", k), 32, np.full((2, 1, 1, 64), one, np.uint32))
        machine.step(instruction)
        (found,) = np.unique(machine.registers.vector("v", 0))
        assert (found != 0) == kept


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("gfx950", "v_mfma_f32_16x16x4_f32 v[0:3], v8, v9, 0"),
        ("gfx1100", "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"),
    ],
)
@pytest.mark.parametrize("mode", [0xC0, 0x30])
def test_products_that_look_at_the_mode_are_done_in_one(target, line, mode):
    (instruction,) = (program := decoded(target, assembled_line(target, line), **ALL, float_mode=mode)).instructions
    lanes = program.kernel.wave_size
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, lanes, GlobalMemory([]), 1, LdsMeter(target), strict=False
    )
    with pytest.raises(UnsupportedInstructionError, match=f"in the float mode {mode:#x}"):
        machine.step(instruction)


CDNA_5 = [
    ("16x16x4_f32", 2, np.float32), ("16x16x64_fp8_bf8", 8, "fp8 bf8"), ("16x16x64_bf8_fp8", 8, "bf8 fp8"),
    ("16x16x128_fp8_fp8", 16, "fp8 fp8"), ("16x16x128_bf8_fp8", 16, "bf8 fp8"), ("16x16x64_iu8", 8, np.int8),
]  # fmt: skip


@pytest.mark.parametrize(("form", "registers", "held"), CDNA_5)
def test_products_of_cdna_5_are_numpys(form, registers, held):
    """Lanes hold what the operand maps say, as most code loads it; the machine reads A and B in the manual's order."""
    kind, result = ("i32", np.int32) if held is np.int8 else ("f32", np.float32)
    b, d = 32 + registers, 32 + 2 * registers
    text = f"v_wmma_{kind}_{form} v[{d}:{d + 7}], v[32:{b - 1}], v[{b}:{d - 1}], 0"
    code = assembled_line("gfx1250", text + (" neg_lo:[1,1,0]" if held is np.int8 else ""))
    rng, one = np.random.default_rng(2), matrix_instruction(f"wmma_{kind}_{form}")
    if isinstance(held, str):
        codes = [rng.integers(0x20, 0x58, (32, 4 * registers), np.uint8) for _ in "ab"]
        numbers = [values(which, False)[bits] for which, bits in zip(held.split(), codes, strict=True)]
    else:
        each_has = registers * 4 // np.dtype(held).itemsize
        numbers = codes = [rng.integers(-8, 9, (32, each_has)).astype(held) for _ in "ab"]
    words = {f"v{first}": bits.view(np.uint32) for first, bits in zip((32, b), codes, strict=True)}
    program = decoded("gfx1250", code, **ALL)
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, 32, GlobalMemory([]), 1, LdsMeter("gfx1250"), strict=False
    )
    for first, lanes in words.items():
        for k, word_of in enumerate(lanes.T):
            machine.registers.write_register(
                Operand("v", int(first[1:]) + k), 32, np.broadcast_to(word_of, (1, 1, 1, 32)).copy()
            )
    machine.step(*program.instructions)
    product = one.a.gather(numbers[0]).astype(np.float64) @ one.b.gather(numbers[1]).astype(np.float64)
    found = np.stack([machine.registers.vector("v", d + k).reshape(-1, 32)[0] for k in range(8)], axis=1)
    assert np.array_equal(found.view(result), one.d.spread(product).astype(result))


def test_bytes_without_signs_are_refused():
    code = assembled_line("gfx1250", "v_wmma_i32_16x16x64_iu8 v[48:55], v[32:39], v[40:47], 0 neg_lo:[1,0,0]")
    machine, instruction = machine_with("gfx1250", code)
    with pytest.raises(UnsupportedInstructionError, match="unsigned"):
        machine.step(instruction)
