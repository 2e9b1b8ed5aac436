"""Between what is proved and what is printed there is nothing but the printer, which tests/index/test_c.py runs."""

import numpy as np
import pytest

from layoutalg.cli.golden import programs
from layoutalg.device import Device, DeviceArray, LaunchError
from layoutalg.device.kernels import build, launch, launch_sizes
from layoutalg.index import symbol
from layoutalg.kernel.emit import emit
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.library.views import copy
from layoutalg.kernel.program import Program
from layoutalg.kernel.verify import requirements, verify
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import Limits, Proved, prove


def kernels() -> dict[str, Program]:
    """One program of each folder of kernels/."""
    return {name: next(iter(folder.values())) for name, folder in programs().items()}


@pytest.mark.parametrize("name", kernels())
def test_z3_itself_proves_that_what_is_emitted_is_the_map(name: str) -> None:
    """Coordinates, digits, offsets, words and conditions, as they are printed; no other route takes part."""
    asked = [r for r in requirements(kernels()[name]) if "emitted" in r.about]
    assert sum("the emitted coordinates" in r.about for r in asked) >= 2
    for r in asked:
        assert isinstance(prove(r.claim, strategy="z3", limits=Limits(seconds=10)), Proved), r.about


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
