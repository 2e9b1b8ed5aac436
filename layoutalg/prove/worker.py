"""The process that runs z3: reads pickled requests from stdin, answers on stdout, and is killed when it overruns.

A request is (obligation, arithmetic, steps); an answer is ("holds", []), ("fails", points) or ("unknown", reason),
and the steps that z3 took.
The answer "holds" is given only when the assumptions alone are satisfiable: a vacuous proof is no proof.

How long z3 takes over products of unknowns is luck with a heavy tail: one seed of random numbers takes 0.5 s, the next
one minutes.  So the steps are shared out among several seeds, each in a context of its own, where nothing that was
asked before changes the course.  Where z3 counts none, the processor's time ends a query, and then the worker.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from contextlib import suppress
from typing import Any, BinaryIO

from layoutalg.lazy import lazy_imports
from layoutalg.prove.obligation import Obligation
from layoutalg.prove.outcome import OVERRUN

with lazy_imports():
    import resource

    import z3

    from layoutalg.prove import encodings, lowering, query

SHARES = (*(1 / 16,) * 8, 1 / 2)
"""What each seed gets of the steps for a query over the integers."""
SLOWEST = 250_000
"""Steps that z3 takes in a second of the processor where it counts them: 0.55 to 9 million in 109 queries of audits,
and half as many beside other work.  An eighth of `query.STEPS`: the slack that every budget has."""
LEAST, GRACE, LOOK = 0.5, 0.5, 0.05
"""Seconds of the processor: of the shortest request, to heed an interrupt, and of the clock from look to look."""


def main() -> None:
    """Answers requests until stdin ends; the first argument limits the address space, in megabytes."""
    limit = int(sys.argv[1]) << 20
    with suppress(ImportError, ValueError, OSError):  # Windows has none, macOS may refuse this one
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    z3.get_version()  # loaded before the first query, whose clock it must not run on
    send(sys.stdout.buffer, "ready")
    watch = _Watch()
    while (request := receive(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, watch.answer(*request))


def receive(stream: BinaryIO) -> Any:
    """The next message, None at the end of the stream."""
    size = stream.read(8)
    if len(size) < 8:
        return None
    return pickle.loads(stream.read(int.from_bytes(size, "little")))


def send(stream: BinaryIO, message: Any) -> None:
    """Writes one message."""
    data = pickle.dumps(message)
    stream.write(len(data).to_bytes(8, "little") + data)
    stream.flush()


class _Watch(threading.Thread):
    """Interrupts z3 where a request takes too much of the processor, and ends the process where that is not heeded."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.counted = 0  # steps that z3 took for the request
        self._end: float | None = None  # of the processor's time, for the request
        self._context: Any = None  # where z3 is at work
        self.start()

    def run(self) -> None:
        """Looks at the time until the process ends."""
        while True:
            time.sleep(LOOK)
            if self.late and self._context is not None:
                self._context.interrupt()
            end = self._end
            if end is not None and time.process_time() > end + GRACE:
                os._exit(OVERRUN)

    @property
    def late(self) -> bool:
        """Whether the request's time is over."""
        end = self._end
        return end is not None and time.process_time() > end

    def answer(self, obligation: Obligation, arithmetic: str, steps: int) -> tuple[str, Any, int]:
        """What is answered to a request."""
        self.counted, self._end = 0, time.process_time() + LEAST + steps / SLOWEST
        try:
            return *_answer(obligation, arithmetic, steps, self), self.counted
        finally:
            self._end = None

    def check(self, solver: Any, steps: int) -> Any:
        """The solver's answer within so many steps."""
        solver.set("rlimit", max(1, steps))
        self._context = solver.ctx
        try:
            return solver.check()
        finally:
            self._context = None
            self.counted += query.steps_taken(solver)


def _answer(obligation: Obligation, arithmetic: str, steps: int, watch: _Watch) -> tuple[str, Any]:
    try:
        encoding = encodings.ENCODINGS[arithmetic]
        problem, bits = lowering.NegatedObligation(obligation, encoding), encoding is encodings.BitVectors
        given = [*problem.given.values()]
        result, solver = _decided([*given, problem.negation], bits, steps, watch)
        if result == z3.sat:
            return "fails", problem.points(solver.model().translate(z3.main_ctx()))
        if result == z3.unknown:
            return "unknown", f"z3 says unknown ({solver.reason_unknown()})"
        vacuous = problem.assumptions and _decided(given, bits, steps, watch)[0] != z3.sat
        return ("unknown", "the assumptions were not shown to be satisfiable") if vacuous else ("holds", [])
    except encodings.NotExpressible as error:
        return "unknown", str(error)
    except (z3.Z3Exception, MemoryError, RecursionError) as error:
        return "unknown", f"z3 stopped: {error}"


def _decided(formulas: list[Any], bits: bool, steps: int, watch: _Watch) -> tuple[Any, Any]:
    """z3's answer on formulas together, and the solver that gave it: the first seed's that is not unknown.

    With something pushed, z3 takes its incremental core, else its tactics; some problems need one, some the other.
    """
    for seed, share in enumerate((1.0,) if bits else SHARES):
        context = z3.Context()
        solver = z3.SolverFor("QF_BV", ctx=context) if bits else z3.Solver(ctx=context)
        if seed % 2 == 0:
            solver.push()
        solver.add(*(formula.translate(context) for formula in formulas))
        solver.set("random_seed", seed)
        result = watch.check(solver, int(share * steps))
        if result != z3.unknown or watch.late:
            break
    return result, solver


if __name__ == "__main__":
    main()
