"""The folder of emitted kernels is what the builders make; `make kernels` makes it anew."""

from pathlib import Path

import pytest

from layoutalg.cli import golden
from layoutalg.cli.golden import main
from layoutalg.kernel.library import folder

ROOT = Path(__file__).parents[2] / "kernels"


@pytest.mark.slow
def test_the_folder_is_what_the_builders_make() -> None:
    assert main([str(ROOT), "--check"]) == 0
    assert len(golden.programs()) >= 14


def test_a_difference_is_an_error_and_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two kernels, as of all."""
    two = {name: folder(name) for name in ("pad", "slice")}
    monkeypatch.setattr(golden, "programs", lambda: two)
    assert main([str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {*two}
    report = tmp_path / "pad" / "report.md"
    report.write_text(report.read_text() + "edited by hand\n")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "k.hip").write_text("stale\n")
    assert main([str(tmp_path), "--check"]) == 1
    assert main([str(tmp_path)]) == 0
    assert main([str(tmp_path), "--check"]) == 0
