"""`synthesize`: a layout free of bank conflicts for every access on every target, the smallest of its families, proved.

    packed and mixed layouts of no extra bytes, CK's own first  →  any linear swizzle  →  gaps, fewest bytes first

| outcome                | what is proved                                                                              |
|------------------------|---------------------------------------------------------------------------------------------|
| a layout without gaps  | conflict-free, injective, in bounds; no layout of the tile takes fewer bytes                |
| a layout with gaps     | the same; no linear swizzle does without; no smaller gap of its family does, with a witness |
| none                   | no linear swizzle and no gap of any family does; the best that there is, and its cycles     |

What it cannot represent: layouts outside these families (a gap in some rows only, a table).  Where it says that none
exists, it says of which families.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from layoutalg.layout import LayoutError, TensorDescriptor
from layoutalg.memory import Access, ConflictDegree, ConflictFree, Cost, judged, price
from layoutalg.prove import (
    Bijective,
    FitsIndexType,
    InBounds,
    Injective,
    Limits,
    Proved,
    Refuted,
    Unknown,
    Verdict,
    prove,
)
from layoutalg.synth.direct import lands
from layoutalg.synth.families import Candidate, candidates
from layoutalg.synth.linear import fewest_cycles, find_swizzle, no_fewer, swizzle_descriptor
from layoutalg.synth.problem import Problem

STYLES: Mapping[str, frozenset[str]] = {
    "any": frozenset({"packed", "xor", "cyclic", "linear", "padding", "both"}),
    "swizzle": frozenset({"packed", "xor", "cyclic", "linear"}),
    "xor": frozenset({"packed", "xor", "linear"}),
    "cyclic": frozenset({"packed", "cyclic"}),
    "padding": frozenset({"packed", "padding"}),
    "both": frozenset({"packed", "both"}),
}
"""The kinds of layout that each style may use: `linear` is any linear swizzle, `both` a mix and a gap."""


@dataclass(frozen=True)
class TriedLayout:
    """A layout that was tried: its bytes more than packed, and the most cycles of a phase (0: unknown).

    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",))
    >>> [(trial.name, trial.degree) for trial in synthesize(problem).trials]
    [('packed', 8), ('xor', 1)]
    """

    name: str
    extra: int
    degree: int


@dataclass(frozen=True)
class Synthesis:
    """What was found: a layout, its name, bytes and cycles a phase, and everything that was proved about it.

    `verdicts` are on the layout; `excluded` say what was refuted: every linear swizzle, and each smaller gap of the
    same family; or all that was tried.  True where it is free of conflicts, which is what was asked for.

    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",))
    >>> found = synthesize(problem, "padding")
    >>> bool(found), found.name, found.extra
    (True, 'columns of vectors, each padded by 1', 112)
    """

    problem: Problem
    name: str
    descriptor: TensorDescriptor
    extra: int
    degree: int
    verdicts: tuple[Verdict, ...]
    excluded: tuple[Verdict, ...]
    trials: tuple[TriedLayout, ...]
    seconds: float

    def __bool__(self) -> bool:
        return self.conflict_free

    @property
    def conflict_free(self) -> bool:
        """Whether every access is, on every target, and all that was to be proved is."""
        return self.degree == 1 and all(isinstance(v, Proved) for v in self.verdicts)

    @property
    def bytes(self) -> int:
        """Bytes of LDS."""
        return self.problem.packed_bytes + self.extra


def synthesize(problem: Problem, style: str = "any", limits: Limits | None = None) -> Synthesis:
    """The layout of fewest bytes that serves every access on every target; else the one of fewest cycles a phase.

    >>> from layoutalg.synth.problem import gemm_problem
    >>> found = synthesize(gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",)))
    >>> found.name, found.bytes, found.conflict_free
    ('xor', 16384, True)
    """
    if style not in STYLES:
        raise LayoutError(f"no style {style!r}; there are {', '.join(STYLES)}")
    return _Search(problem, style, limits or Limits()).run()


SWIZZLE = "linear swizzle"


def worst(problem: Problem, descriptor: TensorDescriptor) -> tuple[Access, Cost | Unknown]:
    """The access that takes the most cycles in a phase, with its price; Unknown where one cannot be priced.

    >>> from layoutalg.synth.gemm import row_padded
    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",))
    >>> access, cost = worst(problem, row_padded(128, 64, 0))
    >>> access.lanes.name, cost.degree
    ('a of mfma_f32_32x32x16_f16', 8)
    """
    priced = []
    for access in problem.accesses(descriptor):
        found = price(access)
        if isinstance(found, Unknown):
            return access, found
        priced.append((found.degree, access, found))
    _, access, cost = max(priced, key=lambda one: one[0])
    return access, cost


class _Search:
    """One search: what was tried so far, and the best of it."""

    def __init__(self, problem: Problem, style: str, limits: Limits) -> None:
        self.problem, self.kinds, self.limits = problem, STYLES[style], limits
        self.begin = time.perf_counter()
        self.trials: list[TriedLayout] = []
        self.best: tuple[int, Candidate] | None = None
        self.excluded: list[Verdict] = []
        self.failed: list[tuple[str, Access, Cost | Unknown]] = []

    def run(self) -> Synthesis:
        """The first candidate without conflicts, in the order of bytes; a linear swizzle before the first gap."""
        asked, bound = "linear" not in self.kinds, fewest_cycles(self.problem)
        for candidate in self.candidates():
            if candidate.extra and not asked:
                asked = True
                if self.swizzled(1):
                    break
            self.tried(candidate)
            if self.best is not None and self.best[0] == bound:
                self.excluded += smaller_gaps(self.problem, candidate) if bound == 1 else no_fewer(self.problem)
                break
        else:
            if asked or not self.swizzled(1):
                self.best_of_all()
        return self.result()

    def candidates(self) -> Iterator[Candidate]:
        """Those that the style allows, and that loads can bring straight to LDS, where they do."""
        found = (candidate for candidate in candidates(self.problem) if candidate.kind in self.kinds)
        return (c for c in found if not self.problem.direct or lands(self.problem, c.make()))

    def tried(self, candidate: Candidate) -> None:
        """Prices a candidate, and keeps it where it is better than the best so far."""
        access, cost = worst(self.problem, candidate.make())
        degree = 0 if isinstance(cost, Unknown) else cost.degree
        self.trials.append(TriedLayout(candidate.name, candidate.extra, degree))
        if degree != 1:
            self.failed.append((candidate.name, access, cost))
        if degree and (self.best is None or degree < self.best[0]):
            self.best = degree, candidate

    def swizzled(self, most: int) -> bool:
        """Whether a linear swizzle takes at most so many cycles a phase; where none does, its proof is kept."""
        found = find_swizzle(self.problem, most, self.limits)
        if found is None:
            return False
        if found.columns is None:
            self.excluded += [found.verdict] if found.verdict is not None else []
            return False
        columns = found.columns
        if self.problem.direct and not (brought := lands(self.problem, swizzle_descriptor(self.problem, columns))):
            text = "no linear swizzle is free of conflicts and filled by loads straight to LDS"
            self.excluded.append(Unknown(text, "search", 0.0, why=f"of one, {brought.claim}: {brought.reason}"))
            return False
        one = Candidate(SWIZZLE, 0, lambda: swizzle_descriptor(self.problem, columns), "linear")
        self.tried(one)
        return True

    def best_of_all(self) -> None:
        """No candidate is free of conflicts: each gap's refutation, and the fewest cycles of a linear swizzle."""
        if self.best is None:
            name, access, found = self.failed[0]
            why = found.why if isinstance(found, Unknown) else ""
            raise LayoutError(f"no layout of these families could be priced; {name}: {access.name}: {why}")
        most = 2
        while "linear" in self.kinds and most < self.best[0] and not self.swizzled(most):
            most *= 2  # a linear map's cycles are a power of two
        for name, access, cost in self.failed:
            verdict = cost if isinstance(cost, Unknown) else judged(ConflictFree(access), cost)
            self.excluded.append(replace(verdict, claim=f"{name}: {verdict.claim}"))

    def result(self) -> Synthesis:
        """The best, with what is proved of it."""
        assert self.best is not None
        degree, candidate = self.best
        descriptor = candidate.make()
        verdicts = [
            prove(ConflictFree(a) if degree == 1 else ConflictDegree(a, degree), limits=self.limits)
            for a in self.problem.accesses(descriptor)
        ]
        whole = Bijective(descriptor) if candidate.extra == 0 else Injective(descriptor)
        for claim in (InBounds(descriptor), whole, FitsIndexType(descriptor)):
            verdicts.append(prove(claim, limits=self.limits))
        if self.problem.direct:
            verdicts.append(lands(self.problem, descriptor))
        return Synthesis(
            self.problem, candidate.name, descriptor, candidate.extra, degree, tuple(verdicts), tuple(self.excluded),
            tuple(self.trials), time.perf_counter() - self.begin,
        )  # fmt: skip


# --- gaps -------------------------------------------------------------------------------------------------------------


def smaller_gaps(problem: Problem, candidate: Candidate) -> tuple[Verdict, ...]:
    """Why no smaller gap of the candidate's family works: one refutation for each, element by element.

    >>> from functools import partial
    >>> from layoutalg.synth.gemm import row_padded
    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem, rows = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",)), partial(row_padded, 128, 64)
    >>> padded = Candidate("padded rows", 128 * 16, partial(rows, 8), "padding", gap=1, by_elements=rows)
    >>> [verdict.name for verdict in smaller_gaps(problem, padded)] == ["refuted"] * 8
    True
    """
    if candidate.by_elements is None:
        return ()
    return tuple(refuted_gap(problem, candidate.by_elements, gap) for gap in range(candidate.gap * problem.vector))


def refuted_gap(problem: Problem, make: Callable[[int], TensorDescriptor], gap: int) -> Verdict:
    """The first access that is refuted with a gap of so many elements: misaligned, or with a conflict."""
    verdict = _first_failure(problem, make(gap))
    return replace(verdict, claim=f"a gap of {gap} elements: {verdict.claim}")


def _first_failure(problem: Problem, descriptor: TensorDescriptor) -> Verdict:
    for access in problem.accesses(descriptor):
        verdict = prove(ConflictFree(access))
        if not isinstance(verdict, Proved):
            return verdict
    return Unknown("every access is free of conflicts", "search", 0.0, why="there is nothing to refute")


def least_padding(
    problem: Problem, make: Callable[[int], TensorDescriptor], most: int = 256
) -> tuple[int, tuple[Verdict, ...]] | None:
    """The least padding in elements with which every access is free of conflicts, and the refutation of each smaller.

    None where none up to `most` works.

    >>> from layoutalg.synth.gemm import row_padded
    >>> from layoutalg.synth.problem import gemm_problem
    >>> problem = gemm_problem(128, 64, "f16", "mfma_f32_32x32x16_f16", ("gfx942",))
    >>> padding, refuted = least_padding(problem, lambda p: row_padded(128, 64, p))
    >>> padding, len(refuted)
    (8, 8)
    """
    refuted: list[Verdict] = []
    for padding in range(most + 1):
        verdict = refuted_gap(problem, make, padding)
        if not isinstance(verdict, Refuted):
            return (padding, tuple(refuted)) if isinstance(verdict, Unknown) and _free(problem, make(padding)) else None
        refuted.append(verdict)
    return None


def _free(problem: Problem, descriptor: TensorDescriptor) -> bool:
    return all(isinstance(prove(ConflictFree(a)), Proved) for a in problem.accesses(descriptor))


__all__ = ["STYLES", "Synthesis", "TriedLayout", "least_padding", "smaller_gaps", "synthesize", "worst"]
