"""The folder of parsed headers goes with the process that parsed them, in whatever way that one ends."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from layoutalg.device.compilers import choose_compiler
from layoutalg.device.precompiled import precompiled


def _folder() -> str:
    command = choose_compiler("gfx942").steps("gfx942", 0, ())[0]
    command = command[: command.index("-S")]
    return str(Path(precompiled(command, "int before;\n")[-1]).parent)


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_a_pools_processes_leave_no_folder(way: str) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context(way)) as pool:
        folder = pool.submit(_folder).result()
    assert not Path(folder).exists()
