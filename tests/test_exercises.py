"""The lessons' exercises: unsolved they say what is missing, a right answer passes, a wrong one is told why.

A lesson runs from its first cell to its last, as in a notebook.  At each cell with the tag `exercise`, its check is
made again with other answers: with the one of the cell `solution`, and with two wrong ones, given here.
"""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from layoutalg import layout
from layoutalg.teach import Checked
from tests.wrong_answers import WRONG

LESSONS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
QUICK = {"01_what_a_layout_is", "08_an_lds_access_by_phases"}
"""The lessons that stand for the others, where only the quick tests are run."""


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def tagged(cell: dict[str, Any], tag: str) -> bool:
    return tag in cell["metadata"].get("tags", [])


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def is_answer(statement: ast.stmt) -> bool:
    """Whether this is the line that the learner changes."""
    match statement:
        case ast.Assign(targets=[ast.Name(id="answer")]):
            return True
    return False


def solutions(path: Path) -> list[str]:
    """What stands under `# Exercise 1`, `# Exercise 2` … in the cell of solutions."""
    (cell,) = [cell for cell in cells(path) if tagged(cell, "solution")]
    head, *parts = re.split(r"^# Exercise (\d+).*\n", source(cell), flags=re.MULTILINE)
    assert not head.strip()
    assert parts[::2] == [str(n + 1) for n in range(len(parts) // 2)]
    return parts[1::2]


def run(body: list[ast.stmt], names: dict[str, Any]) -> Any:
    """The value of the last expression, as a notebook shows it."""
    last = body[-1] if body and isinstance(body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()):
        exec(compile(ast.Module(body[: -1 if last else None], []), "lesson", "exec"), names)
        return None if last is None else eval(compile(ast.Expression(last.value), "lesson", "eval"), names)


def answered(exercise: str, answer: str, names: dict[str, Any]) -> Checked:
    """What the check says of an answer, which may take statements of its own before its line `answer = …`."""
    body, kept = ast.parse(exercise).body, {**vars(layout), **names}
    place = next(n for n, statement in enumerate(body) if is_answer(statement))
    checked = run([*body[:place], *ast.parse(answer).body, *body[place + 1 :]], kept)
    assert isinstance(checked, Checked)
    return checked


def said(path: Path) -> Iterator[tuple[str, Checked, Checked, list[tuple[Checked, str]]]]:
    """Of each exercise: its cell, what is said of it unsolved, solved, and of each wrong answer, with the words due."""
    names: dict[str, Any] = {"__name__": "__main__"}
    right, wrong = iter(solutions(path)), iter(WRONG[path.stem])
    for cell in cells(path):
        if cell["cell_type"] != "code" or tagged(cell, "solution"):
            continue
        text = source(cell)
        if tagged(cell, "exercise"):
            others = [(answered(text, f"answer = {answer}", names), words) for answer, words in next(wrong)]
            yield text, run(ast.parse(text).body, names), answered(text, next(right), names), others
        else:
            run(ast.parse(text).body, names)
    assert next(right, None) is None
    assert next(wrong, None) is None


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow) for path in LESSONS],
)
def test_right_answers_pass_and_wrong_ones_are_told_why(path: Path) -> None:
    for text, unsolved, right, wrong in said(path):
        assert isinstance(unsolved, Checked)
        assert not unsolved.right, text
        assert right.right, f"{text}\n{right.text}"
        assert len(wrong) >= 2
        for checked, words in wrong:
            assert not checked.right, text
            assert words in checked.text, f"{text}\n{checked.text}"


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.stem)
def test_an_exercise_has_one_line_for_the_answer_and_ends_with_its_check(path: Path) -> None:
    found = cells(path)
    heads = [c for c in found if c["cell_type"] == "markdown" and re.search(r"^### Exercise", source(c), re.MULTILINE)]
    exercises = [cell for cell in found if tagged(cell, "exercise")]
    assert len(heads) == len(exercises) == len(solutions(path)) >= 2
    for cell in exercises:
        body = ast.parse(source(cell)).body
        assert sum(map(is_answer, body)) == 1
        assert isinstance(body[-1], ast.Expr)
        assert isinstance(body[-1].value, ast.Call)
