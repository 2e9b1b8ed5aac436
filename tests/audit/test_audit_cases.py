"""Each kernel in `cases`, right or wrong, and what is said of it: `NAME.hip`, and `NAME.toml`, its launch.

A launch file begins with what it is about:

| a line | says |
|---|---|
| `#: targets gfx942 gfx1201` | for which targets the kernel is compiled |
| `#: flags -DK=0` | with which flags |
| `#: levels 3` | at which levels of optimisation, if not at 3 and 1 |
| `#: seconds 600` | how many seconds an audit may take, if not 120 |
| `#: race_free refuted` | a claim that some access has this verdict of, and none a worse one |
| `#: proved` | all are proved |
| `#: slow` | it is left to the slow run |

Every claim that is not named is proved.  Where a source has several kernels, this stands above each, once or more:

| a line | says |
|---|---|
| `//: race_free refuted, computes unknown` | its verdicts |
| `//: proved on gfx1201` | those of some targets |
| `//: proved with o[i] = x[i]` | those where the launch says that this is computed |
| `//: proved with claims = ["coalesced"]` | those where the launch says this, too |
| `//: unproved` | no more than that, without runs: how far it comes is a question of time |
| `//: slow` | what stands below is left to the slow run |

A quick run takes the first target and level of each; of a file of many, of every third, and the slow run of the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.formats.spec import loads
from layoutalg.isa.decode.code import MachineCode
from tests.audit.auditing import VERDICTS, failed, kernels

CASES = Path(__file__).parent / "cases"
MANY = 12

#: A question above a kernel, an equation in it, and the kernel's head.
QUESTION = re.compile(r"//: (.*?)(?: on ([\w ]+?))?(?: with (.*))?")
EQUATION = re.compile(r"\w+\[")
HEAD = re.compile(r"(?:KERNEL\w*\(|.*\bvoid (?:__launch_bounds__\(\d+\) )?)(\w+)\b.*")


@dataclass(frozen=True)
class Question:
    """What is said of a kernel as it is launched."""

    case: str
    kernel: str
    verdicts: str
    more: str
    target: str
    level: int
    slow: bool
    cell: int  # of its matrix of targets and levels

    def __str__(self) -> str:
        return "-".join(filter(None, (self.case, self.kernel, self.more, self.target, str(self.level))))

    @property
    def wanted(self) -> Mapping[str, str]:
        """The claims that are not proved."""
        return {one.split()[0]: one.split()[1] for one in self.verdicts.split(", ") if one != "proved"}

    @property
    def marks(self) -> list[pytest.MarkDecorator]:
        return [pytest.mark.slow] * self.slow + [pytest.mark.matrix(self.cell)] * (self.cell > 0)

    @property
    def path(self) -> Path:
        return CASES / f"{self.case}.toml"

    @property
    def compiled(self) -> Mapping[str, MachineCode]:
        flags = tuple(head(self.path).get("flags", "").split())
        return kernels(self.path.with_suffix(".hip").read_text(), self.target, self.level, flags)

    @property
    def launch(self) -> str:
        more = f'computes = ["{self.more}"]' if EQUATION.match(self.more) else self.more
        return f"{self.path.read_text()}\n{more}\n"

    @property
    def code(self) -> MachineCode:
        file = loads(self.launch)
        assert file.launch is not None
        return self.compiled[self.kernel or file.launch.kernel or next(iter(self.compiled))]

    def audited(self) -> Audit:
        return audit(self.code, loads(self.launch), int(head(self.path).get("seconds", "120")))


def head(path: Path) -> dict[str, str]:
    """What the first lines of a launch file say, by their first words."""
    lines = (line[3:].partition(" ") for line in path.read_text().splitlines() if line.startswith("#: "))
    return {word: rest for word, _, rest in lines}


def asked(path: Path) -> Iterator[tuple[str, str, str, str, bool]]:
    """Kernel, verdicts, targets, what is added to the launch, and whether it is slow, of each question of a case."""
    said = head(path)
    verdicts = [f"{claim} {verdict}" for claim, verdict in said.items() if verdict in VERDICTS]
    if verdicts or "proved" in said:
        yield "", ", ".join(verdicts) or "proved", "", "", "slow" in said
    open_questions, slow = [], "slow" in said
    for line in path.with_suffix(".hip").read_text().splitlines():
        if line == "//: slow":
            slow = True
        elif question := QUESTION.fullmatch(line):
            open_questions.append((question, slow))
        elif open_questions and (kernel := HEAD.fullmatch(line)):
            yield from ((kernel[1], one[1], one[2] or "", one[3] or "", later) for one, later in open_questions)
            open_questions = []
    assert not open_questions, f"{path.stem}: no kernel below a question"


def questions(path: Path) -> Iterator[Question]:
    said = head(path)
    levels = said.get("levels", "3 1").split()
    every = list(asked(path))
    for number, (kernel, verdicts, only, more, slow) in enumerate(every):
        later = len(every) > MANY and number % 3 > 0
        for cell, (target, level) in enumerate(product((only or said["targets"]).split(), levels)):
            yield Question(path.stem, kernel, verdicts, more, target, int(level), slow or (later and not cell), cell)


@cache
def named(case: str) -> set[str]:
    """The kernels of a case that have a question of their own."""
    return {question.kernel for question in questions(CASES / f"{case}.toml")} - {""}


def test_every_source_has_a_launch() -> None:
    assert {path.stem for path in CASES.glob("*.hip")} == {path.stem for path in CASES.glob("*.toml")}


EVERY = [
    pytest.param(one, id=str(one), marks=one.marks) for path in sorted(CASES.glob("*.toml")) for one in questions(path)
]


@pytest.mark.parametrize("question", EVERY)
def test_what_is_said_of_a_kernel(question: Question, request: pytest.FixtureRequest) -> None:
    if question.kernel:
        assert named(question.case) == set(question.compiled), "a kernel without a question"
    if question.verdicts == "unproved":
        request.getfixturevalue("until_open")
    found = question.audited()
    if question.verdicts == "unproved":
        assert not found.proved
    else:
        assert failed(found) == question.wanted, found.failures


def asking(case: str, kernel: str = "", more: str | None = None) -> Question:
    """The first question of a kernel, perhaps where the launch says something else."""
    first = next(one for one in questions(CASES / f"{case}.toml") if one.kernel == kernel)
    return first if more is None else replace(first, more=more)


def test_a_barrier_that_waves_pass_without_those_that_have_ended_is_told_and_no_fault() -> None:
    found = asking("waves_that_end_early").audited()
    (told,) = found.ended
    assert told.endswith("s_barrier")
    assert not found.shown


def test_a_run_that_does_it_is_told_where_a_compiler_may_do_so_too() -> None:
    reasons = {
        verdict.reason
        for claim, _, verdict in asking("halves_at_odd_bytes", "odd").audited().claims
        if claim == "aligned"
    }
    assert reasons
    assert all(reason.startswith("a run at ") and "no multiple of 4" in reason for reason in reasons)
