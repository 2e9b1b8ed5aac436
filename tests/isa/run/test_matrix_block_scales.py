"""Products of CDNA 5 of eight bits and fewer, with scales of blocks, against numpy's.

Registers are filled as CK's test of them has it (ROCm/rocm-libraries, test/wmma_scale): of 8 bits a lane has the k of
16 · (2 · j + l / 16) … 15 more in its registers 4 · j … 4 · j + 3, of fewer those of 32 · (2 · j + l / 16) … 31 more.
"""

import numpy as np
import pytest

from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.decode.instructions import Operand
from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.scaled import FOURS, SIXES
from layoutalg.isa.run.spaces import GlobalMemory
from layoutalg.target.eights import values
from tests.isa.decode.test_allowed import decoded
from tests.isa.semantics.test_table_every_bit import ALL, assembled_line
from tests.matrix import each

BITS = {"fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4}
NUMBERS = {
    "fp8": values("fp8", False), "bf8": values("bf8", False), **SIXES, "fp4": np.concatenate([FOURS, -FOURS]),
}  # fmt: skip
TYPES = [(a, b) for a in BITS for b in BITS]


def codes_of(rng, kind, rows):
    """Codes of numbers that have few bits between them, so that f64 sums them exactly."""
    low, high = {"fp8": (0x30, 0x50), "bf8": (0x38, 0x48)}.get(kind, (0, 1 << BITS[kind] - 1))
    return rng.integers(low, high, (rows, 128)) | rng.integers(0, 2, (rows, 128)) << BITS[kind] - 1


def registers_of(codes, kind):
    """The words of each lane: of rows of 128 codes, sixteen at a time."""
    run, found = 16 if BITS[kind] == 8 else 32, []
    for lane in range(32):
        held = []
        for first in range(0, len(codes), 16):
            row = codes[first + lane % 16].reshape(-1, 2, run)[:, lane // 16]
            held.extend(int(code) for code in row.ravel())
        whole = sum(code << BITS[kind] * k for k, code in enumerate(held))
        found.append(np.frombuffer(whole.to_bytes(len(held) * BITS[kind] // 8, "little"), np.uint32))
    return np.stack(found)


def scales_of(bytes_, upper):
    """The words of each lane: a row's bytes in its lane, of sixteen rows in half of the lanes, noise elsewhere."""
    rows, blocks = bytes_.shape
    held = np.full((32, blocks), 0x55, np.uint8)
    held[16 * upper : 16 * upper + rows] = bytes_
    return held.view(np.uint32)


def run(line, **held):
    (instruction,) = (program := decoded("gfx1250", assembled_line("gfx1250", line), **ALL)).instructions
    machine = ConcreteMachine(
        program.kernel, np.zeros((1, 3), np.int64), 1, 32, GlobalMemory([]), 1, LdsMeter("gfx1250"), strict=False
    )
    for first, words in held.items():
        for k, one in enumerate(words.T):
            machine.registers.write_register(
                Operand("v", int(first[1:]) + k), 32, np.broadcast_to(one, (1, 1, 1, 32)).copy()
            )
    machine.step(instruction)
    return machine


def sums(machine, count):
    """D: registers 0 … 7 have rows 8 · (l / 16) … 7 more of sixteen, 8 … 15 those of the next sixteen."""
    found = np.zeros((2 * count, 16), np.float32)
    for k in range(count):
        held = machine.registers.vector("v", k).view(np.float32).reshape(-1, 32)[0]
        for lane in range(32):
            found[16 * (k // 8) + 8 * (lane // 16) + k % 8, lane % 16] = held[lane]
    return found


def scaled(codes, kind, bytes_):
    numbers = NUMBERS[kind][codes]
    return numbers * np.repeat(np.ldexp(1.0, bytes_.astype(int) - 127), 128 // bytes_.shape[1], axis=1)


@pytest.mark.parametrize(("a", "b"), each(TYPES, ("fp8", "fp4"), ("bf6", "fp6"), ("fp4", "fp4"), ("bf8", "fp8")))
@pytest.mark.parametrize(("form", "blocks"), [("scale", 4), ("scale16", 8)])
@pytest.mark.parametrize(("upper_a", "upper_b"), [(0, 1), (1, 0)])
def test_a_product_with_scales_is_numpys(a, b, form, blocks, upper_a, upper_b):
    rng = np.random.default_rng(5)
    codes = codes_of(rng, a, 16), codes_of(rng, b, 16)
    bytes_ = [rng.integers(122, 132, (16, blocks), np.uint8) for _ in "ab"]
    last = 8 + BITS[a] * 2 - 1, 24 + BITS[b] * 2 - 1
    scale = ["v41", "v43"] if blocks == 4 else ["v[42:43]", "v[44:45]"]
    rows = "".join(f" matrix_{m}_scale:MATRIX_SCALE_ROW1" for m, upper in (("a", upper_a), ("b", upper_b)) if upper)
    formats = "".join(f" matrix_{m}_fmt:MATRIX_FMT_{kind.upper()}" for m, kind in (("a", a), ("b", b)) if kind != "fp8")
    machine = run(
        f"v_wmma_{form}_f32_16x16x128_f8f6f4 v[0:7], v[8:{last[0]}], v[24:{last[1]}], 0, {scale[0]}, {scale[1]}"
        + formats + rows,
        v8=registers_of(codes[0], a), v24=registers_of(codes[1], b),
        **{("v41", "v42")[blocks == 8]: scales_of(bytes_[0], upper_a),
           ("v43", "v44")[blocks == 8]: scales_of(bytes_[1], upper_b)},
    )  # fmt: skip
    wanted = scaled(codes[0], a, bytes_[0]) @ scaled(codes[1], b, bytes_[1]).T
    assert np.array_equal(sums(machine, 8), wanted.astype(np.float32))


@pytest.mark.parametrize(("form", "blocks"), [("scale_", 4), ("scale16_", 8), ("", 0)])
def test_a_product_of_32_rows_of_f4_is_numpys(form, blocks):
    rng = np.random.default_rng(6)
    a, b = codes_of(rng, "fp4", 32), codes_of(rng, "fp4", 16)
    ones = np.full((1, 1), 127, np.uint8)
    scale_a, scale_b = (
        (rng.integers(122, 132, (rows, blocks), np.uint8) if blocks else np.repeat(ones, rows, axis=0))
        for rows in (32, 16)
    )
    scales = {0: "", 4: ", v50, v52 matrix_b_scale:MATRIX_SCALE_ROW1", 8: ", v[50:51], v[52:53]"}[blocks]
    held = {"v50": scales_of(scale_a, 0), "v52": scales_of(scale_b, blocks == 4)} if blocks else {}
    line = f"v_wmma_{form}f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], 0{scales}"
    machine = run(line, v16=registers_of(a, "fp4").reshape(32, -1), v32=registers_of(b, "fp4"), **held)
    wanted = scaled(a, "fp4", scale_a) @ scaled(b, "fp4", scale_b).T
    assert np.array_equal(sums(machine, 16), wanted.astype(np.float32))


@pytest.mark.parametrize(("a", "b"), [("bf8", "fp8"), ("fp6", "fp4"), ("bf6", "bf6")])
def test_a_product_of_alike_widths_without_scales_is_numpys(a, b):
    rng = np.random.default_rng(7)
    codes = codes_of(rng, a, 16), codes_of(rng, b, 16)
    last = 8 + BITS[a] * 2 - 1, 24 + BITS[b] * 2 - 1
    formats = "".join(f" matrix_{m}_fmt:MATRIX_FMT_{kind.upper()}" for m, kind in (("a", a), ("b", b)) if kind != "fp8")
    machine = run(
        f"v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:{last[0]}], v[24:{last[1]}], 0{formats}",
        v8=registers_of(codes[0], a), v24=registers_of(codes[1], b),
    )  # fmt: skip
    wanted = NUMBERS[a][codes[0]] @ NUMBERS[b][codes[1]].T
    assert np.array_equal(sums(machine, 8), wanted.astype(np.float32))


@pytest.mark.parametrize(("a", "b", "k"), [("fp8", "bf8", 64), ("bf8", "bf8", 128)])
def test_sums_of_f16_lie_two_in_a_register_and_are_rounded_once(a, b, k):
    rng = np.random.default_rng(8)
    codes = rng.integers(0x28, 0x4C, (2, 16, k), np.uint8) | rng.integers(0, 2, (2, 16, k), np.uint8) << 7
    c = rng.standard_normal((16, 16)).astype(np.float16)
    held = [np.stack([one[lane % 16].reshape(-1, 2, 16)[:, lane // 16].ravel() for lane in range(32)]) for one in codes]
    old = np.stack([c[8 * (lane // 16) : 8 * (lane // 16) + 8, lane % 16] for lane in range(32)])
    last = k // 8
    line = f"v_wmma_f16_16x16x{k}_{a}_{b} v[0:3], v[8:{7 + last}], v[32:{31 + last}], v[4:7]"
    machine = run(line, v4=old.view(np.uint32), v8=held[0].view(np.uint32), v32=held[1].view(np.uint32))
    wanted = values(a, False)[codes[0]] @ values(b, False)[codes[1]].T + c
    found = np.stack([machine.registers.vector("v", i).reshape(-1, 32)[0] for i in range(4)], axis=1).view(np.float16)
    for lane in range(32):
        rows = slice(8 * (lane // 16), 8 * (lane // 16) + 8)
        assert np.array_equal(found[lane], wanted[rows, lane % 16].astype(np.float16))


def test_a_scale_of_all_ones_is_no_number():
    scale = np.full((16, 4), 127, np.uint8)
    scale[5, 2] = 0xFF
    one = np.full((16, 128), 2)  # 1.0 of fp4
    machine = run(
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:15], v[24:31], 0, v40, v41"
        " matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4",
        v8=registers_of(one, "fp4"), v24=registers_of(one, "fp4"),
        v40=scales_of(scale, 0), v41=scales_of(np.full((16, 4), 128, np.uint8), 0),
    )  # fmt: skip
    found = sums(machine, 8)
    assert np.isnan(found[5]).all()
    assert (np.delete(found, 5, axis=0) == 256).all()


WITH = "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], 0"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"{WITH}, 0, v41", "a scale that is 0"),
        (f"{WITH}, v40, s4", "different scales in scalar registers"),
        (f"{WITH}, v40, v41 matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3", "format_a"),
        (f"{WITH}, v40, v41 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3", "format_b"),
        (f"{WITH}, v40, v41 matrix_a_reuse", "reuse_a"),
        (f"{WITH}, v40, v41 matrix_b_reuse", "reuse_b"),
        ("v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[48:55], v40, v41 neg_lo:[0,0,1]", "neg"),
        ("v_wmma_scale_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], 0, v50, v51 matrix_a_scale:MATRIX_SCALE_ROW1",
         "row_a"),
        ("v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:31], 0 matrix_b_fmt:MATRIX_FMT_FP4", "no entry"),
        ("v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[24:39], v40", "no entry"),
        ("v_wmma_bf16_16x16x32_bf16 v[0:3], v[8:15], v[24:31], 0", "no entry"),
    ],
)  # fmt: skip
def test_what_sources_do_not_agree_on_is_refused_by_name(line, why):
    with pytest.raises(UnsupportedInstructionError, match=why):
        run(line)
