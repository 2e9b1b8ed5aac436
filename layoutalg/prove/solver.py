"""The solver, kept warm in a process of its own that ends when it overruns its steps or memory.

Nothing outside this package sees z3: `solve` takes an obligation and answers with an outcome.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

from layoutalg.index import budget
from layoutalg.lazy import lazy_imports
from layoutalg.prove.obligation import ForAll, Obligation, Onto, bitwise, needs_bits
from layoutalg.prove.outcome import OVERRUN, Fails, GaveUp, Holds, Limits, Outcome
from layoutalg.prove.query import STEPS

with lazy_imports():
    import pickle
    import subprocess

    from layoutalg.prove import cache

QUERY = 10_000
"""Steps of the budget for a query beside z3's own: to send it, say it, and read the answer."""
MOST = 2000.0
"""Seconds that z3's count of steps can hold."""
ANY_FUNCTION = "z3 any function"
"""What is said to have shown what `with_any_function` shows."""


def solve(obligation: Obligation, limits: Limits) -> Outcome:
    """z3's answer: bit-vectors where an operation is bitwise, integers elsewhere (the class decides, not a race)."""
    return _solved(obligation, "bit-vectors" if needs_bits(obligation) else "integers", limits)


def with_any_function(obligation: Obligation, limits: Limits) -> Outcome:
    """z3's answer where what is given, and that alone, is bitwise: that it holds for any functions in their place.

    Most such goals rest on other facts, and integers find those that bit-vectors are too wide for.
    """
    if not isinstance(obligation, ForAll) or not bitwise(obligation.given) or bitwise(obligation.goal):
        return GaveUp(ANY_FUNCTION, "it is not that only what is given is bitwise")
    outcome = _solved(obligation, "any function", limits)
    return GaveUp(ANY_FUNCTION, "with another function it fails") if isinstance(outcome, Fails) else outcome


def _solved(obligation: Obligation, arithmetic: str, limits: Limits) -> Outcome:
    name = f"z3 {arithmetic}"
    if isinstance(obligation, Onto):
        return GaveUp(name, "an exists below a forall: what suffices is proved in its place")
    kept = None if limits.cache is None else cache.Cache(Path(limits.cache))
    found = kept and kept.get(obligation, name)
    if found:
        return found
    with _LOCK:
        answer, content = _PROCESS.ask(obligation, arithmetic, limits)
    if answer not in ("holds", "fails"):
        return GaveUp(name, content)
    outcome = Holds(name) if answer == "holds" else Fails(name, content)
    if kept:
        kept.put(obligation, outcome)
    return outcome


class _Process:
    """One worker; started when first needed, and again after it was killed."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._memory = 0

    def forget(self) -> None:
        """Leaves the worker to the process that started it: a fork must not read another's answers."""
        self._running = None

    def ask(self, obligation: Obligation, arithmetic: str, limits: Limits) -> tuple[str, Any]:
        """The worker's answer, or ("unknown", why there is none); a worker that died of itself before is replaced."""
        used_before = self._running
        answer = self._ask(obligation, arithmetic, limits)
        again = answer[0] == "ended" and used_before is not None
        if again:
            answer = self._ask(obligation, arithmetic, limits)
        return ("unknown", answer[1]) if answer[0] == "ended" else answer

    def _ask(self, obligation: Obligation, arithmetic: str, limits: Limits) -> tuple[str, Any]:
        try:
            worker = self._started(limits)
            seconds = min(limits.seconds, budget.left())
            whole = int(STEPS * min(seconds, MOST))
            steps = whole if limits.steps is None else min(whole, limits.steps)
            data = pickle.dumps((obligation, arithmetic, steps))
            assert worker.stdin is not None
            worker.stdin.write(len(data).to_bytes(8, "little") + data)
            worker.stdin.flush()
            answer, content, taken = self._receive(worker)
            budget.spend(QUERY + taken * budget.STEPS / STEPS)
            return answer, content
        except RecursionError:
            return "unknown", "an expression is nested too deeply to be handed to the solver"
        except (OSError, EOFError, pickle.UnpicklingError):
            if self.stop() == OVERRUN:
                budget.spend(steps * budget.STEPS / STEPS)
                return "unknown", f"no answer within {seconds:.3g} s"
            return "ended", f"the solver's process ended (its limit is {limits.memory_mb} MB)"
        except BaseException:
            self.stop()  # an interrupt must not leave half an answer in the pipe
            raise

    def _started(self, limits: Limits) -> subprocess.Popen[bytes]:
        if self._running is not None and (self._running.poll() is not None or self._memory != limits.memory_mb):
            self.stop()
        if self._running is None:
            self._memory = limits.memory_mb
            self._running = subprocess.Popen(
                [sys.executable, "-m", "layoutalg.prove.worker", str(limits.memory_mb)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C reaches us, who then stop it
            )
            self._receive(self._running)  # z3 is loaded
        return self._running

    def _receive(self, worker: subprocess.Popen[bytes]) -> Any:
        assert worker.stdout is not None
        stream, data = worker.stdout.fileno(), io.BytesIO()
        while True:
            content = data.getvalue()
            if len(content) >= 8 and len(content) - 8 >= int.from_bytes(content[:8], "little"):
                answer: tuple[str, Any] = pickle.loads(content[8:])
                return answer
            part = os.read(stream, 1 << 16)
            if not part:
                raise EOFError
            data.write(part)

    def stop(self) -> int | None:
        """Kills the worker; gives the exit status of one that had ended."""
        running, self._running = self._running, None
        if running is None:
            return None
        running.kill()
        for stream in (running.stdin, running.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        return running.wait()


_PROCESS = _Process()
_LOCK = threading.Lock()
atexit.register(_PROCESS.stop)


def _after_fork() -> None:
    global _LOCK
    _LOCK = threading.Lock()
    _PROCESS.forget()


os.register_at_fork(after_in_child=_after_fork)
