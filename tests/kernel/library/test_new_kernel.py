"""CONTRIBUTING's recipe, followed: one file and its name make a kernel that is emitted, run, listed and kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from layoutalg.cli import golden
from layoutalg.cli.app import main
from layoutalg.cli.programs import program_of
from layoutalg.kernel import library
from layoutalg.kernel.verify import verify

FILE = '''
"""Each row of a matrix twice, one below the other."""

import numpy as np

from layoutalg.index import symbol
from layoutalg.kernel.library.copies import LARGEST, Copy
from layoutalg.kernel.library.entry import Command, Kernel, Task, Work
from layoutalg.kernel.library.options import DTYPE, INPUT
from layoutalg.kernel.library.permute import few
from layoutalg.layout import make_naive_tensor_descriptor


def doubled_rows(dtype="f32"):
    """The program for all sizes: each row of the source twice, one below the other."""
    m, n = symbol("M", min=1, max=LARGEST >> 2), symbol("N", min=1, max=LARGEST >> 2)
    source = make_naive_tensor_descriptor((m, 2, n), (n, 0, 1))
    target = make_naive_tensor_descriptor((m, 2, n), (2 * n, n, 1))
    return Copy(f"doubled_rows_{dtype}", source, target, (m, n), dtypes=(dtype, dtype),
                requires=few((m, n, 2), 32)).program()


def work(target, dtype, input):
    """What is launched on a matrix, and what numpy says of it."""
    rows, columns = input.shape
    task = Task(doubled_rows(dtype), {"M": rows, "N": columns}, (2 * rows, columns))
    return Work([input], (task,), lambda: np.repeat(input, 2, axis=0))


KERNELS = (
    Kernel(
        "doubled_rows",
        Command("Each row of a matrix twice.", lambda target, dtype: doubled_rows(dtype), (DTYPE,)),
        Command("Each row of a matrix twice.", work, (INPUT,)),
        golden={"doubled_rows": doubled_rows},
    ),
)
'''


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The library with one file more."""
    name = "layoutalg.kernel.library.doubled_rows"
    module = ModuleType(name)
    exec(compile(FILE, name, "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(library, "MODULES", (*library.MODULES, module))
    library.kernels.cache_clear()
    library.folder.cache_clear()
    yield
    monkeypatch.undo()
    library.kernels.cache_clear()
    library.folder.cache_clear()


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    """The command line's exit code."""
    monkeypatch.setattr(sys, "argv", ["layoutalg", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.usefixtures("added")
def test_it_is_emitted_proved(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "emit", "doubled_rows", "--dtype", "f16") == 0
    text = capsys.readouterr().out
    assert text.startswith("// doubled_rows_f16: ")
    assert "[refuted]" not in text


@pytest.mark.usefixtures("added")
def test_it_runs_and_is_compared_with_numpy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = np.random.default_rng(0).standard_normal((5, 37), np.float32)
    np.save(tmp_path / "x.npy", source)
    files = ("--input", tmp_path / "x.npy", "--output", tmp_path / "y.npy")
    assert run(monkeypatch, "run", "doubled_rows", *files, "--device", "cpu") == 0
    assert "exact against numpy" in capsys.readouterr().out
    assert np.array_equal(np.load(tmp_path / "y.npy"), np.repeat(source, 2, axis=0))


@pytest.mark.usefixtures("added")
def test_it_is_listed_and_kept(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for group in ("run", "emit"):
        assert run(monkeypatch, group, "--help") == 0
        assert "doubled_rows" in capsys.readouterr().out
    files = golden.files(golden.programs()["doubled_rows"])
    assert set(files) == {"doubled_rows_f32.hip", "spec.toml", "report.md"}
    assert verify(program_of("doubled_rows", "gfx942")).failures == ()
    assert program_of("doubled_rows_f32", "gfx942").name == "doubled_rows_f32"


def test_every_kernel_has_an_entry_of_its_own_name() -> None:
    entries = list(library.kernels().values())
    assert len({e.name for e in entries}) == len(entries) >= 12
    folders = [name for e in entries for name in (*e.golden, *e.golden_for)]
    assert sorted(folders) == sorted(set(folders))
