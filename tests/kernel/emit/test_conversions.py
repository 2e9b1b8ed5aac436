"""What emitted kernels make of bfloat16, with compilers whose casts are right and with those whose are not."""

import re

import numpy as np
import pytest

from layoutalg.device import Device
from layoutalg.device.compile import compile_source
from layoutalg.kernel.emit import emit, emit_unverified
from layoutalg.kernel.emit.conversions import CONVERSIONS, used
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.reduce import reduction
from layoutalg.kernel.library.views import cast
from layoutalg.kernel.verify import verify
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.elements import from_bits, to_bits

#: Lower halves: none, the least, around the half of the last place, the greatest; nothing else matters to a rounding.
LOWER = (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)
VALUES = (np.arange(1 << 16, dtype=np.uint32)[:, None] << 16 | np.uint32(LOWER)).ravel().view(np.float32)


def called(major: int, minor: int = 0) -> tuple[str, ...]:
    """Flags by which the compiler takes itself for another version of clang."""
    return tuple(f"-{how}__clang_{part}__{value}" for part, number in (("major", major), ("minor", minor))
                 for how, value in (("U", ""), ("D", f"={number}")))  # fmt: skip


def run(cpu: Device, given: str, wanted: str, source: np.ndarray, flags: tuple[str, ...]) -> np.ndarray:
    verified = verify(cast(given, wanted, 4))
    target = cpu.empty(source.size, DTYPES[wanted].numpy)
    module = cpu.load(compile_source(emit(verified), "cpu", flags=flags))
    grid = -(-source.size // 4096)
    module.launch(verified.program.name, grid, 256, (cpu.array(source), target, source.size))
    return target.numpy()


@pytest.mark.parametrize("version", [(16,), (18, 1), None])
def test_each_number_is_rounded_to_nearest_even_and_no_nan_is_lost(cpu, version):
    """Infinities and denormal numbers among them; a NaN keeps its upper half."""
    found = run(cpu, "f32", "bf16", VALUES, () if version is None else called(*version))
    assert np.array_equal(found, np.where(np.isnan(VALUES), VALUES.view(np.uint32) >> 16 | 0x40, to_bits(VALUES)))


@pytest.mark.parametrize("flags", [(), called(16, 0)])
def test_each_bfloat16_is_its_float(cpu, flags):
    bits = np.arange(1 << 16, dtype=np.uint16)
    found, meant = run(cpu, "bf16", "f32", bits, flags), from_bits(bits)
    assert np.array_equal(found[~np.isnan(meant)], meant[~np.isnan(meant)])
    assert np.all(np.isnan(found[np.isnan(meant)]))


@pytest.mark.parametrize(("given", "wanted", "functions"), [
    ("f32", "bf16", {"to_bf16"}), ("bf16", "f32", {"from_bf16"}), ("bf16", "f16", {"from_bf16"}), ("f16", "f32", set()),
])  # fmt: skip
def test_a_kernel_has_the_functions_that_it_calls(given, wanted, functions):
    text = emit(verify(cast(given, wanted)))
    assert {name for name in CONVERSIONS if f" {name}(" in text} == functions
    assert ("__bf16)" in used(text)) == ("to_bf16" in functions)


@pytest.mark.parametrize("program", [
    reduction("kr", "max", dtype="bf16"), reduction("rk", "sum", dtype="bf16"),
    contraction(parse_einsum("mk,nk->mn"), "bf16"),
])  # fmt: skip
def test_a_bfloat16_is_converted_by_functions_alone(program):
    """clang 16 has neither casts of them nor assignments of numbers to them."""
    body = emit_unverified(program).split('extern "C"')[1]
    names = {t.name for t in program.tensors} | {
        r.name for r in (*program.registers, *program.shared) if r.dtype.name == "bf16"
    }
    assert "(__bf16)" not in body
    assert not re.search(rf"\(float\)({'|'.join(names)}|v)\[", body)
    assert not re.search(rf"\b({'|'.join(names)})(\[\w+\])+ = (0|-)", body)
    assert re.search(r"\b(to|from)_bf16\(", body)
