"""Between what is proved and what is printed there is nothing but the printer, which tests/index/test_c.py runs."""

from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device import Device, DeviceArray, LaunchError
from layoutalg.device.kernels import build, launch, launch_sizes
from layoutalg.index import symbol
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library import folder, folders
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.library.views import copy
from layoutalg.kernel.program import Load, Program
from layoutalg.kernel.verify import requirements, verify
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import Limits, Proved, prove
from tests.matrix import some


def kernel(name: str) -> Program:
    """One program of a folder of kernels/."""
    return next(iter(folder(name).values()))


@pytest.mark.parametrize("name", some(folders(), 2))
def test_z3_itself_proves_that_what_is_emitted_is_the_map(name: str) -> None:
    """Coordinates, digits, offsets, words and conditions, as they are printed; no other route takes part."""
    asked = [r for r in requirements(kernel(name)) if "emitted" in r.about]
    assert sum("the emitted coordinates" in r.about for r in asked) >= 2
    for r in asked:
        assert isinstance(prove(r.claim, strategy="z3", limits=Limits(seconds=10)), Proved), r.about


FORMULAS = {
    "transpose_lds": "target[row, column] = source[row, column]",
    "reduce_sum": "target[m] = sum over k of source[m, k]",
    "reduce_max": "target[m] = greatest over k of source[m, k]",
    "gemm_f16": "target[g, m, n] = relu(add(sum over k of a[g, m, k] · b[g, n, k], bias[g, m, n]))",
    "conv_f16": "target[g, m, n] = sum over k of a[g, m, k] · b[g, n, k]",
    "pad": "target[d0, d1] = source[d0, d1]",
}


@pytest.mark.parametrize("name", some(FORMULAS, 3))
def test_the_first_line_is_the_formula_that_was_proved(name: str) -> None:
    program = kernel(name)
    assert program.summary == FORMULAS[name]
    assert emit(verify(program)).splitlines()[0] == f"// {program.name}: {FORMULAS[name]}, laid out as below"


def test_nothing_of_another_source_is_said_over_a_changed_one() -> None:
    """Every other row of the source: provable, and no transposition of the whole matrix."""
    right = register_transpose(64, 64)
    rows = replace(right.source, descriptor=make_naive_tensor_descriptor((64, 64), (128, 1)))
    load, store = right.body
    assert isinstance(load, Load)
    text = emit(verify(replace(right, source=rows, body=(replace(load, tensor=rows), store))))
    said = [line.strip("/ ") for line in text.splitlines() if line.startswith("//")]
    assert said[0] == "transpose_register_f32_64x64: target[row, column] = source[row, column], laid out as below"
    assert "f32 source[row, column] at row * 128 + column" in said
    assert "f32 target[row, column] at column * 64 + row" in said
    assert not [line for line in said if "matrix" in line or "[i, j]" in line]


def test_what_a_descriptor_means_is_said_with_its_element() -> None:
    says = [about for about, _ in verify(kernel("batched_transpose")).verdicts if "its element" in about]
    assert says == [
        "source at (i0, i1, i2): its element is D1 * D2 * i0 + D2 * i1 + i2",
        "target at (i0, i1, i2): its element is D1 * D2 * i0 + D1 * i2 + i1",
    ]


def test_a_target_without_a_description_is_said_so() -> None:
    verified = verify(lds_transpose())
    assert "sm_80 is not described" in emit(verified, "sm_80")
    assert "not described" not in emit(verified, "gfx942")


def test_every_limit_of_a_size_is_said_before_a_launch_and_at_it() -> None:
    size = symbol("P", min=1, max=1024, power_of_two=True)
    row = make_naive_tensor_descriptor((size, 64), (64, 1))
    program = copy(row, row)
    assert "for all 1 <= P <= 1024, a power of two." in emit(verify(program))
    with pytest.raises(LaunchError, match="copy is proved for 1 <= P <= 1024, a power of two; not for 6"):
        launch_sizes(program, {"P": 6})


def test_what_a_launch_must_give_is_said_and_checked(cpu: Device) -> None:
    verified = verify(lds_transpose(vector=4))
    text = emit(verified)
    assert "before a launch: source, target begin at multiples of 16 bytes; target overlaps no other tensor" in text
    module = cpu.load(build(verified, "cpu"))
    memory = cpu.array(np.arange(64 * 64 + 64, dtype=np.float32))
    whole = memory.numpy()
    source, target = whole[: 64 * 32], whole[64 * 32 + 4 : 64 * 64 + 4]
    launch(verified, module, (source, target), M=64, N=32)
    assert np.array_equal(target.reshape(32, 64), source.reshape(64, 32).T)
    with pytest.raises(LaunchError, match="target overlaps source in memory"):
        launch(verified, module, (source, whole[64 * 32 - 4 : 64 * 64 - 4]), M=64, N=32)
    with pytest.raises(LaunchError, match="multiple of 16 bytes"):
        launch(verified, module, (source, whole[64 * 32 + 1 : 64 * 64 + 1]), M=64, N=32)
    odd = DeviceArray(cpu, (64, 32), np.dtype(np.float32), memory.pointer + 4, memory)
    with pytest.raises(LaunchError, match="no multiple of 16 bytes"):
        launch(verified, module, (odd, target), M=64, N=32)
    with pytest.raises(LaunchError, match="elements"):
        launch(verified, module, (source[4:], target), M=64, N=32)
    with pytest.raises(LaunchError, match="elements of float64"):
        launch(verified, module, (np.zeros(64 * 32), target), M=64, N=32)
