"""The solver's answers on disk, by the content of the obligation.

One small file an answer; written beside its place and moved there, so that any number of processes may share a
directory.  A file that is not whole, or that speaks of something else, is as good as none, and is written anew; a disk
that is full keeps nothing and hurts nothing.  What counts in an answer is checked again: a counterexample is replayed,
and "holds" counts only with the digest of the very statement, of the solver and of this library's version.
"""

from __future__ import annotations

import contextlib
import json
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from layoutalg.disk import write_whole
from layoutalg.index import Expr
from layoutalg.prove.content import content, digest
from layoutalg.prove.obligation import InjectiveMap, Obligation
from layoutalg.prove.outcome import Fails, Holds

FORMAT = 1


class Cache:
    """Answers kept in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def get(self, obligation: Obligation, strategy: str) -> Holds | Fails | None:
        """The answer that a strategy gave before, None where there is none that can be trusted."""
        key = _key(obligation, strategy)
        try:
            entry = json.loads((self.directory / f"{key}.json").read_text())
            if entry["key"] != key or entry["check"] != _check(entry["key"], entry["points"]):
                return None
            points = tuple(dict(zip(_order(obligation), map(int, p), strict=True)) for p in entry["points"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return Fails(strategy, points) if points else Holds(strategy)

    def put(self, obligation: Obligation, outcome: Holds | Fails) -> None:
        """Keeps an answer; a directory that cannot be written keeps nothing."""
        key = _key(obligation, outcome.strategy)
        points = [] if isinstance(outcome, Holds) else [[p[v] for v in _order(obligation)] for p in outcome.points]
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            entry = {"key": key, "points": points, "check": _check(key, points)}
            write_whole(self.directory / f"{key}.json", json.dumps(entry).encode())


def _order(obligation: Obligation) -> tuple[Expr, ...]:
    """The variables of a counterexample, in an order that the content fixes."""
    over = obligation.over if isinstance(obligation, InjectiveMap) else ()
    return tuple(dict.fromkeys((*over, *obligation.variables)))


def _key(obligation: Obligation, strategy: str) -> str:
    return digest("\n".join([str(FORMAT), _versions(), strategy, content(obligation)]))


def _check(key: str, points: list[list[int]]) -> str:
    return digest(f"{key} {points}")


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
