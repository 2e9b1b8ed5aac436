"""The process that runs z3: reads pickled requests from stdin, answers on stdout, and is killed when it overruns.

A request is (obligation, bits, seconds, steps); an answer is ("holds", []), ("fails", points) or ("unknown", reason).
The answer "holds" is given only when the assumptions alone are satisfiable: a vacuous proof is no proof.

How long z3 takes over products of unknowns is luck with a heavy tail: one seed of random numbers takes 0.5 s, the next
one minutes.  So the time, or the steps where they are limited, are shared out among several seeds, each in a context of
its own, where nothing that was asked before changes the course.
"""

from __future__ import annotations

import pickle
import sys
import time
from contextlib import suppress
from typing import Any, BinaryIO

from layoutalg.lazy import lazy_imports
from layoutalg.prove.obligation import Obligation

with lazy_imports():
    import resource

    import z3

    from layoutalg.prove import encodings, lowering

SHARES = (*(1 / 16,) * 8, 1 / 2)
"""What each seed gets of the time and of the steps for a query over the integers."""


def main() -> None:
    """Answers requests until stdin ends; the first argument limits the address space, in megabytes."""
    limit = int(sys.argv[1]) << 20
    with suppress(ImportError, ValueError, OSError):  # Windows has none, macOS may refuse this one
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    z3.get_version()  # loaded before the first query, whose clock it must not run on
    send(sys.stdout.buffer, "ready")
    while (request := receive(sys.stdin.buffer)) is not None:
        send(sys.stdout.buffer, _answer(*request))


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


def _answer(obligation: Obligation, bits: bool, seconds: float, steps: int | None) -> tuple[str, Any]:
    try:
        problem = lowering.NegatedObligation(obligation, encodings.BitVectors if bits else encodings.Integers)
        given = [*problem.given.values()]
        result, solver = _decided([*given, problem.negation], bits, seconds, steps)
        if result == z3.sat:
            return "fails", problem.points(solver.model().translate(z3.main_ctx()))
        if result == z3.unknown:
            return "unknown", f"z3 says unknown ({solver.reason_unknown()})"
        vacuous = problem.assumptions and _decided(given, bits, seconds, steps)[0] != z3.sat
        return ("unknown", "the assumptions were not shown to be satisfiable") if vacuous else ("holds", [])
    except encodings.NotExpressible as error:
        return "unknown", str(error)
    except (z3.Z3Exception, MemoryError, RecursionError) as error:
        return "unknown", f"z3 stopped: {error}"


def _decided(formulas: list[Any], bits: bool, seconds: float, steps: int | None) -> tuple[Any, Any]:
    """z3's answer on formulas together, and the solver that gave it: the first seed's that is not unknown.

    With something pushed, z3 takes its incremental core, else its tactics; some problems need one, some the other.
    """
    end = time.monotonic() + seconds
    for seed, share in enumerate((1.0,) if bits else SHARES):
        context = z3.Context()
        solver = z3.SolverFor("QF_BV", ctx=context) if bits else z3.Solver(ctx=context)
        if seed % 2 == 0:
            solver.push()
        solver.add(*(formula.translate(context) for formula in formulas))
        solver.set("random_seed", seed)
        left = end - time.monotonic()
        solver.set("timeout", max(1, int(1000 * (min(share * seconds, left) if steps is None else left))))
        if steps is not None:
            solver.set("rlimit", max(1, int(share * steps)))
        result = solver.check()
        if result != z3.unknown or time.monotonic() >= end:
            break
    return result, solver


if __name__ == "__main__":
    main()
