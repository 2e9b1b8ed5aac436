"""What the compiler says of many configurations: units of a few dozen questions, compiled side by side.

A unit that is compiled is kept (`device.constants`), so that a sweep which was interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from layoutalg.device.constants import constants
from layoutalg.errors import CompileError
from layoutalg.formats.cpp import CppError, CppUnit

#: Questions of a unit: CK's headers take as long as some eight of them, and a compiler has its limits.
EACH = 24

Answer = Any | CppError | CompileError
"""A question's data, or why there is none: CK does not compile, or the compiler gave up."""


def answers(unit: CppUnit, questions: Sequence[str], jobs: int) -> Iterator[tuple[str, Answer]]:
    """The answer to each question, in the order in which units are compiled; each text is asked once.

    Raises `CppUnitError` where the headers themselves do not compile.
    """
    once = list(dict.fromkeys(questions))
    parts = [once[n : n + EACH] for n in range(0, len(once), EACH)]
    with ThreadPoolExecutor(max(jobs, 1)) as pool:  # what takes time is another process's
        waiting = [pool.submit(_asked, unit, part) for part in parts]
        try:
            for done in as_completed(waiting):
                yield from done.result()
        finally:
            for one in waiting:
                one.cancel()


def _asked(unit: CppUnit, questions: Sequence[str]) -> Sequence[tuple[str, Answer]]:
    try:
        found = constants(unit, {str(n): text for n, text in enumerate(questions)})
    except CompileError as error:  # too much at once
        if len(questions) == 1:
            return [(questions[0], error)]
        half = len(questions) // 2
        return [*_asked(unit, questions[:half]), *_asked(unit, questions[half:])]
    return [(text, found[str(n)]) for n, text in enumerate(questions)]
