"""What the kernels' tests share: random arrays of each element type, and a task run on the CPU."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from layoutalg.device import Device, choose_device
from layoutalg.device.kernels import run
from layoutalg.kernel.library.entry import Task
from layoutalg.kernel.program import Program
from layoutalg.kernel.verify import Verified, verify
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.elements import stored

Array = NDArray[Any]


@cache
def proved(program: Program) -> Verified:
    """The verified program; every obligation is proved."""
    verified = verify(program)
    assert verified.failures == ()
    return verified


@pytest.fixture(scope="session")
def cpu() -> Device:
    return choose_device("cpu")


@pytest.fixture(scope="session")
def launch(cpu: Device) -> Callable[..., Array]:
    def launched(tasks: Task | Sequence[Task], *arrays: Array) -> Array:
        for task in (tasks,) if isinstance(tasks, Task) else tasks:
            result = run(proved(task.program), cpu, arrays[0], task.shape, *arrays[1:], **task.sizes)
            arrays = (result.output,)
        return arrays[0]

    return launched


@pytest.fixture(scope="session")
def random() -> Callable[..., Array]:
    def made(dtype: str, *shape: int) -> Array:
        values = np.random.default_rng([len(dtype), *shape]).uniform(-1, 1, shape)
        return stored(values.astype(np.float32), DTYPES[dtype])

    return made
