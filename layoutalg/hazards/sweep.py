"""Many code objects analysed: one after another, in processes of this machine, or on any executor; and kept.

What was found in a code object is kept under the hash of its bytes and of this package's source, so it is analysed
again only where one of them has changed.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict

from layoutalg import cache
from layoutalg.errors import CodeObjectError
from layoutalg.hazards.kernels import Analysed, analyse_all, names_of
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.places import HeldCode
from layoutalg.records import dataclass

#: Kernels of one code object that a process is handed at once, and tasks that wait for each process.
_AT_ONCE, _AHEAD = 32, 4


@dataclass(frozen=True)
class SweptCode:
    """A code object, and its kernels; or why it cannot be read."""

    held: HeldCode
    kernels: Sequence[Analysed] = ()
    error: str = ""


def sweep(
    found: Iterable[HeldCode], named: Sequence[str] | None = None, *, jobs: int = 1, executor: Executor | None = None,
    keep: bool = True,
) -> Iterator[SweptCode]:  # fmt: skip
    """What is found in each code object, in their order; of kernels of these names, or of all."""
    if executor is None and jobs == 1:
        yield from (_joined(held, [_one(held.payload, named, keep)]) for held in found)
        return
    with nullcontext(executor) if executor else ProcessPoolExecutor(jobs) as pool:
        waiting: deque[tuple[HeldCode, list[Future[Found]]]] = deque()
        for held in found:
            waiting.append((held, [pool.submit(_one, held.payload, part, keep) for part in _parts(held, named)]))
            while sum(len(parts) for _, parts in waiting) > _AHEAD * max(jobs, _AT_ONCE):
                yield _awaited(*waiting.popleft())
        while waiting:
            yield _awaited(*waiting.popleft())


Found = Sequence[Analysed] | str
"""Kernels, or why they cannot be read."""


def _parts(held: HeldCode, named: Sequence[str] | None) -> Iterator[Sequence[str] | None]:
    """The kernels of a code object in handfuls; all at once where there are few, or it cannot be read."""
    try:
        names = names_of(read_kernels(held.payload)) if named is None else []
    except CodeObjectError:
        names = []
    if len(names) <= _AT_ONCE:
        yield named
    else:
        yield from (names[start : start + _AT_ONCE] for start in range(0, len(names), _AT_ONCE))


def _awaited(held: HeldCode, parts: Sequence[Future[Found]]) -> SweptCode:
    return _joined(held, [part.result() for part in parts])


def _joined(held: HeldCode, parts: Sequence[Found]) -> SweptCode:
    """What was found in the parts of a code object."""
    errors = [part for part in parts if isinstance(part, str)]
    if held.error or errors:
        return SweptCode(held, error=held.error or f"{held.path}: {errors[0]}")
    return SweptCode(held, [kernel for part in parts if not isinstance(part, str) for kernel in part])


def _one(payload: bytes, named: Sequence[str] | None, keep: bool) -> Found:
    """A code object, or some kernels of it, analysed; or as it is kept."""
    key = cache.key(b"hazards", payload, json.dumps(named), cache.package()) if keep else ""
    kept = _kept(key) if keep else None
    if kept is not None:
        return kept
    try:
        kernels = [*analyse_all(payload, named)]
    except CodeObjectError as error:
        return str(error)
    if keep:
        cache.write(key, json.dumps({"key": key, "kernels": [asdict(kernel) for kernel in kernels]}).encode())
    return kernels


def _kept(key: str) -> list[Analysed] | None:
    """What is kept under a key; None where it is not what is written here."""
    kept = cache.read(key)
    try:
        entry = None if kept is None else json.loads(kept)
        if entry is None or entry["key"] != key:
            return None
        return [Analysed(**kernel) for kernel in entry["kernels"]]
    except (ValueError, LookupError, TypeError):
        return None
