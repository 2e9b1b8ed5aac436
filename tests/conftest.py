"""Code objects of the kernels in isa/kernels, compiled once a run; and which targets and types quick tests take."""

import functools
import os
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from tests.browser import browser  # noqa: F401  a fixture

os.environ["LAYOUTALG_KEEP_PROOFS"] = "no"  # each test of `check` decides anew

KERNELS = Path(__file__).parent / "isa" / "kernels"


@functools.cache
def _kernels(file: str, target: str, opt_level: int) -> dict[str, KernelBinary]:
    source = (KERNELS / f"{file}.hip").read_text()
    return dict(read_kernels(compile_source(source, target, opt_level=opt_level).payload))


@functools.cache
def _program(file: str, kernel: str, target: str, opt_level: int = 3) -> MachineCode:
    return decode_kernel(_kernels(file, target, opt_level)[kernel])


@pytest.fixture(scope="session")
def program() -> Callable[..., MachineCode]:
    """`program(file, kernel, target, opt_level=3)`: the decoded kernel of a source in `kernels/`."""
    return _program


@pytest.fixture
def unrun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts without the runs that refute: for what must not be proved, whether or not a run shows it wrong."""
    for limit in ("STEPS", "ALL_STEPS"):
        monkeypatch.setattr(f"layoutalg.refine.replay.{limit}", 1)


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Of a test of several targets or element types a quick run takes one, which its name picks: each has its turn."""
    for what in ("target", "dtype"):
        alike: dict[str, list[pytest.Function]] = {}
        for item in items:
            if isinstance(item, pytest.Function) and isinstance(one := _given(item, what), str):
                alike.setdefault(item.nodeid.replace(one, what), []).append(item)
        for name, each in alike.items():
            quick = [item for item in each if item.get_closest_marker("slow") is None]
            for item in quick:
                if item is not quick[zlib.crc32(name.encode()) % len(quick)]:
                    item.add_marker(pytest.mark.slow)


def _given(item: pytest.Function, what: str) -> object:
    return item.callspec.params.get(what) if hasattr(item, "callspec") else None
