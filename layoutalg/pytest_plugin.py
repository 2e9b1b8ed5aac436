"""pytest's plugin: the claims of spec files are tests, one each, decided when the test runs.

| collected                                            | by                            |
|------------------------------------------------------|-------------------------------|
| `*.layout.toml`, wherever pytest looks               | their name                    |
| spec files (`.toml`, `.json`), folders of them       | `--layoutalg PATH`, repeated  |

A failure shows what happens at the witness and where its picture lies; a file that is none is an error of collection,
one line.  `-k`, `-x`, node ids and pytest-xdist work as for any test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from layoutalg.lazy import lazy_imports

with lazy_imports():  # an environment that has layoutalg runs other tests too: these wait for the first claim
    import layoutalg.draw as draw
    import layoutalg.prove as prove
    from layoutalg import errors, formats, testing
    from layoutalg.cli import errors as cli_errors
    from layoutalg.cli import files
    from layoutalg.formats import check

MARKER = "layoutalg(seconds): the limit of each claim of this test that layoutalg decides"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options."""
    group = parser.getgroup("layoutalg", "proofs of tensor layouts")
    group.addoption(
        "--layoutalg", action="append", default=[], type=Path, metavar="PATH",
        help="a spec file, or a folder of them, whose claims are tests (*.layout.toml are collected by themselves)",
    )  # fmt: skip
    group.addoption("--layoutalg-seconds", type=float, default=10.0, metavar="S", help="the limit for each claim")


def pytest_configure(config: pytest.Config) -> None:
    """Paths of `--layoutalg` are places to look in, beside those that are there."""
    config.addinivalue_line("markers", MARKER)
    for path in config.option.layoutalg:
        if not path.exists():
            raise pytest.UsageError(f"--layoutalg {path}: there is no such file or folder")
        if str(path) not in config.args:
            config.args.append(str(path))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LayoutFile | None:
    """A spec file that is asked for."""
    asked = (path.resolve() for path in parent.config.option.layoutalg)
    given = file_path.suffix in files.SPECS and any(file_path.resolve().is_relative_to(path) for path in asked)
    return LayoutFile.from_parent(parent, path=file_path) if given or file_path.name.endswith(files.ENDING) else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """What a claim may cost in this test: its marker's seconds, else the option's."""
    marker = item.get_closest_marker("layoutalg")
    seconds = item.config.option.layoutalg_seconds if marker is None else marker.kwargs["seconds"]
    token = testing.LIMITS.set(replace(testing.LIMITS.get(), seconds=seconds))
    try:
        return (yield)
    finally:
        testing.LIMITS.reset(token)


class LayoutFile(pytest.File):
    """A spec file."""

    def collect(self) -> Iterator[ClaimItem]:
        """A test for each claim, named by its item and its text; CollectError where the file is none."""
        try:
            spec = files.load(self.path)
            asked = [question for item in spec.items for question in check.questions(item)]
            if not asked:
                raise self.CollectError(f"{self.path}: it describes no layout, so that nothing can be checked")
        except Exception as error:
            if cli_errors.is_told(error):
                raise self.CollectError(str(error)) from None
            raise
        seen: Counter[str] = Counter()
        for question in asked:
            name = f"{question.item.name}: {question.text}"
            seen[name] += 1
            number = f" ({seen[name]})" if seen[name] > 1 else ""
            yield ClaimItem.from_parent(self, name=name + number, question=question)


class ClaimItem(pytest.Item):
    """One claim of a spec file."""

    def __init__(self, *, question: check.Question, **of_pytest: object) -> None:
        super().__init__(**of_pytest)  # type: ignore[arg-type]
        self.question = question

    def runtest(self) -> None:
        """Decides it."""
        result = check.decided(self.question, limits=testing.LIMITS.get())
        if not result.passed:
            raise ClaimFailed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: object) -> str:
        """The verdict as `layoutalg check` says it, and where the picture of a witness lies."""
        if not isinstance(excinfo.value, ClaimFailed):
            return str(super().repr_failure(excinfo))
        r = excinfo.value.result
        lines = [f"{r.item.name}: {r.claim}: {r.verdict.name}, by {r.verdict.strategy}", f"    {r.verdict.reason}"]
        if r.expect != "proved":
            lines.append(f"    expected: {r.expect}" + (f", because {r.because}" if r.because else ""))
        if (picture := self._picture(r)) is not None:
            lines.append(f"    picture: {picture}")
        return "\n".join(lines)

    def _picture(self, result: check.Result) -> Path | None:
        """An SVG in pytest's cache of what happens at the witness, where it is one of a descriptor."""
        item, verdict = result.item, result.verdict
        cache = getattr(self.config, "cache", None)
        if cache is None or not isinstance(item, formats.DescriptorItem) or not isinstance(verdict, prove.Refuted):
            return None
        name = re.sub(r"\W+", "_", f"{self.path.stem} {self.name}")
        try:
            return draw.save(item.descriptor, cache.mkdir("layoutalg") / f"{name}.svg", other=verdict)
        except (errors.DrawError, OSError):
            return None

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the claim stands, else its item."""
        line = self.question.place[0] if self.question.place else self.question.item.line or 1
        return self.path, line - 1, self.name


class ClaimFailed(Exception):
    """The verdict is not the one that the file expects."""

    def __init__(self, result: check.Result) -> None:
        super().__init__(result.verdict.reason)
        self.result = result
