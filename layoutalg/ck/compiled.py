"""What the compiler says of many configurations: units of a few dozen questions, compiled side by side.

They are compiled by threads of this process, or by any `concurrent.futures` executor, a Dask cluster's included, whose
machines have CK's headers at the same place.  A unit that is compiled is kept (`device.constants`) by whoever compiled
it, so that a sweep which was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from pickle import PicklingError
from typing import Any

from layoutalg.device.constants import constants
from layoutalg.errors import CompileError, NoCompilerError
from layoutalg.formats.cpp import CppError, CppUnit

#: Questions of a unit: CK's headers take as long as some eight of them, and a compiler has its limits.
EACH = 24

Answer = Any | CppError | CompileError
"""A question's data, or why there is none: CK does not compile, or the compiler gave up."""


def answers(
    unit: CppUnit, questions: Sequence[str], jobs: int, executor: Executor | None = None
) -> Iterator[tuple[str, Answer]]:
    """The answer to each question, in the order in which units are compiled; each text is asked once.

    By `jobs` threads, or by an executor that is given; what a lost worker was asked has a CompileError for an answer.
    Raises `CppUnitError` where the headers themselves do not compile, `NoCompilerError` where there is no compiler.
    """
    once = list(dict.fromkeys(questions))
    count = -(-len(once) // EACH)
    parts = [
        once[n::count] for n in range(count)
    ]  # like ones apart: of those that fail alike a unit tells one at a time
    # Threads will do: what takes time is another process's.
    with nullcontext(executor) if executor else ThreadPoolExecutor(max(jobs, 1)) as pool:
        waiting = {pool.submit(_asked, unit, part): part for part in parts}
        try:
            for done in as_completed(waiting):
                yield from _result(done, waiting[done])
        finally:
            for one in waiting:
                one.cancel()


def _result(done: Future[Sequence[tuple[str, Answer]]], questions: Sequence[str]) -> Sequence[tuple[str, Answer]]:
    try:
        return done.result()
    except (RuntimeError, CancelledError, OSError, EOFError, PicklingError, MemoryError) as error:
        return [(text, CompileError(f"its worker was lost: {error}")) for text in questions]


def _asked(unit: CppUnit, questions: Sequence[str]) -> Sequence[tuple[str, Answer]]:
    try:
        found = constants(unit, {str(n): text for n, text in enumerate(questions)})
    except NoCompilerError:
        raise
    except CompileError as error:  # too much at once
        if len(questions) == 1:
            return [(questions[0], error)]
        half = len(questions) // 2
        return [*_asked(unit, questions[:half]), *_asked(unit, questions[half:])]
    return [(text, found[str(n)]) for n, text in enumerate(questions)]
