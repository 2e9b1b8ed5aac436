"""The solver's answers on disk, by the content of the obligation.

One small file an answer; written beside its place and moved there, so that any number of processes may share a
directory.  A file repeats all that it answers: the statement, the solver, this library's version, and the answer in
words.  One that does not, word for word, is as good as none, and is written anew; so is a counterexample that does not
replay.  A disk that is full keeps nothing and hurts nothing.

What it cannot see: a "holds" that somebody wrote by hand.  A directory is as trusted as this library's own files.
"""

from __future__ import annotations

import contextlib
import json
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from layoutalg.disk import write_whole
from layoutalg.prove.content import content, digest
from layoutalg.prove.obligation import Obligation, points_of, values_at
from layoutalg.prove.outcome import Fails, Holds
from layoutalg.prove.replay import replays

FORMAT = 2


class Cache:
    """Answers kept in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def get(self, obligation: Obligation, strategy: str) -> Holds | Fails | None:
        """The answer that a strategy gave before, None where there is none that can be trusted."""
        try:
            entry = json.loads(self._path(obligation, strategy).read_bytes())
            points = points_of(obligation, entry["points"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        found = Fails(strategy, points) if points else Holds(strategy)
        if entry != _entry(obligation, found):
            return None
        return found if isinstance(found, Holds) or replays(obligation, found) else None

    def put(self, obligation: Obligation, outcome: Holds | Fails) -> None:
        """Keeps an answer; a directory that cannot be written keeps nothing."""
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            entry = json.dumps(_entry(obligation, outcome))
            write_whole(self._path(obligation, outcome.strategy), entry.encode())

    def _path(self, obligation: Obligation, strategy: str) -> Path:
        return self.directory / f"{digest(json.dumps(_asked(obligation, strategy)))}.json"


def _asked(obligation: Obligation, strategy: str) -> dict[str, Any]:
    return {"format": FORMAT, "by": f"{strategy}, {_versions()}", "statement": content(obligation)}


def _entry(obligation: Obligation, outcome: Holds | Fails) -> dict[str, Any]:
    answer, points = ("holds", ()) if isinstance(outcome, Holds) else ("fails", outcome.points)
    return {**_asked(obligation, outcome.strategy), "answer": answer, "points": values_at(obligation, points)}


@lru_cache(maxsize=1)
def _versions() -> str:
    def of(package: str) -> str:
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            return f"{package} unknown"

    return f"{_sources()} {of('z3-solver')}"


def _sources() -> str:
    """A digest of the code that answers rest on: a fault that was mended must not live on in the cache."""
    root = Path(__file__).parents[1]
    files = sorted(path for part in ("index", "prove") for path in (root / part).rglob("*.py"))
    return digest("".join(path.read_text() for path in files))
