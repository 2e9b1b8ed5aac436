"""Code objects of the kernels in isa/kernels, compiled once a run; the day's seed and its part of each matrix."""

import functools
import gc
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from layoutalg.audit.ask import Open, unseen
from layoutalg.audit.claims import at_first
from layoutalg.audit.claims.claim import Finding, KernelClaim
from layoutalg.audit.followed import Followed
from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from tests.browser import browser  # noqa: F401  a fixture
from tests.fuzzing import SEED
from tests.matrix import today

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
    for room, limit in (
        ("refine.replay", "STEPS"), ("refine.replay", "ALL_STEPS"), ("audit.runs", "ALL_STEPS"),
        ("audit.alone", "ALL_STEPS"),
    ):  # fmt: skip
        monkeypatch.setattr(import_module(f"layoutalg.{room}"), limit, 0)


@pytest.fixture
def until_open(unrun: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, and of a kernel of which one claim is open no other is asked: for what is not proved in all claims."""
    asked, opened = at_first.findings, list[Followed]()

    def findings(claim: KernelClaim, kernel: Followed) -> tuple[Finding, ...]:
        if any(one is kernel for one in opened):
            return (Finding(claim.NAME, *unseen("", Open("another claim is open"))),)
        found = asked(claim, kernel)
        opened.extend([kernel] * (not all(one.verdict for one in found)))
        return found

    monkeypatch.setattr(at_first, "findings", findings)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What repeats this run on another day."""
    terminalreporter.write_line(f"again with LAYOUTALG_SEED={SEED}")


gc.set_threshold(100_000, 20, 50)  # terms and traces live as long as a test: looking through them finds no garbage


def pytest_collection_finish() -> None:
    """What was collected stays until the end: no use in going through it at each collection of garbage."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Cells of a matrix that are of another day's part."""
    for item in items:
        if item.get_closest_marker("matrix") and not today(item):
            item.add_marker(pytest.mark.another_day)
