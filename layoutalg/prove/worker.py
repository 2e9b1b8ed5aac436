"""The process that runs z3: reads pickled requests from stdin, answers on stdout, and is killed when it overruns.

A request is (obligation, bits, seconds); an answer is ("holds", []), ("fails", points) or ("unknown", reason).
The answer "holds" is given only when the assumptions alone are satisfiable: a vacuous proof is no proof.
"""

from __future__ import annotations

import pickle
import resource
import sys
from typing import Any, BinaryIO

from layoutalg.prove.obligation import Obligation


def main() -> None:
    """Answers requests until stdin ends; the first argument limits the address space, in megabytes."""
    limit = int(sys.argv[1]) << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    import z3  # noqa: F401 - loaded before the first query, whose clock it must not run on

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


def _answer(obligation: Obligation, bits: bool, seconds: float) -> tuple[str, Any]:
    import z3

    from layoutalg.prove.lowering import NotExpressible, Problem

    try:
        problem = Problem(obligation, bits)
        solver = z3.SolverFor("QF_BV") if bits else z3.Solver()
        solver.set("timeout", max(1, int(seconds * 1000)))
        for _, condition in problem.encoding.conditions:
            solver.add(condition)
        for assumption in problem.assumptions:
            solver.add(assumption)
        solver.push()
        solver.add(problem.negation)
        result = solver.check()
        if result == z3.sat:
            return "fails", problem.points(solver.model())
        if result == z3.unknown:
            return "unknown", f"z3 says unknown ({solver.reason_unknown()})"
        solver.pop()
        vacuous = problem.assumptions and solver.check() != z3.sat
        return ("unknown", "the assumptions were not shown to be satisfiable") if vacuous else ("holds", [])
    except NotExpressible as error:
        return "unknown", str(error)
    except (z3.Z3Exception, MemoryError, RecursionError) as error:
        return "unknown", f"z3 stopped: {error}"


if __name__ == "__main__":
    main()
