"""`import layoutalg as la`: light, typed, each name where it says, and each with an example on the page."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest

import layoutalg as la
from layoutalg import prove

PAGE = Path(__file__).parent.parent / "docs" / "pages" / "python.md"


def test_no_room_comes_along() -> None:
    program = "import sys, layoutalg; print(*(m for m in sys.modules if m.startswith('layoutalg.')))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["layoutalg.display", "layoutalg.lazy"]


def test_every_name_is_there_and_no_other() -> None:
    assert sorted(la.__all__) == la.__all__ == dir(la)
    for name in la.__all__:
        assert getattr(la, name) is not None
    with pytest.raises(AttributeError, match="module 'layoutalg' has no attribute 'prov'"):
        la.prov  # noqa: B018


def test_every_name_has_an_example() -> None:
    """Which runs: `tests.test_docs` carries out every example of a page."""
    examples = "".join(re.findall(r"```pycon\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
    assert [name for name in la.__all__ if not re.search(rf"\bla\.{name}\b", examples)] == []


TYPED = """
import layoutalg as la
d: la.TensorDescriptor = la.make_naive_tensor_descriptor((3, 4), (4, 1))
reveal_type(la.prove(la.Injective(d)))
reveal_type(la.draw(d))
reveal_type(la.from_numpy)
la.nothing_of_this_name
"""


@pytest.mark.slow
def test_mypy_knows_the_names(tmp_path: Path) -> None:
    (tmp_path / "used.py").write_text(TYPED)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path / "used.py")],
        capture_output=True, text=True, cwd=PAGE.parent.parent.parent,
    )  # fmt: skip
    assert 'note: Revealed type is "layoutalg.prove.verdict.Verdict"' in done.stdout
    assert 'note: Revealed type is "layoutalg.draw.svg.Picture"' in done.stdout
    assert '-> layoutalg.interop.strided.Strided"' in done.stdout
    assert re.findall(r"error: .*", done.stdout) == [
        'error: Module has no attribute "nothing_of_this_name"  [attr-defined]'
    ]


def test_a_room_can_be_called() -> None:
    claim = la.Injective(la.make_naive_tensor_descriptor((2,), (1,)))
    assert la.prove(claim) == replace(prove.prove(claim), seconds=ANY)
    assert prove(claim)
    assert prove.Injective is la.Injective


@pytest.mark.slow
def test_a_room_is_a_module_and_can_be_called() -> None:
    """Whether the room was imported before or not."""
    program = "import layoutalg as la; d = la.make_naive_tensor_descriptor((2,), (1,)); c = la.Injective(d)\n"
    for before in ("", "import layoutalg.prove, layoutalg.draw, layoutalg.explain\n"):
        used = "print(la.prove(c).name, la.draw(d).title[:9], str(la.explain(d))[:9])\n"
        after = (
            "import layoutalg.prove as p, layoutalg.draw as q; print(p.prove(c).name, q.show(d).title[:9], p.Limits())"
        )
        done = subprocess.run([sys.executable, "-c", program + before + used + after], capture_output=True, text=True)
        assert done.stdout.split("\n")[0] == "proved Transform layout: 2", done.stderr
        assert done.stdout.split("\n")[1].startswith("proved Transform Limits("), done.stderr
