"""`synthesize`: the layout of fewest bytes that is free of bank conflicts for every access on every target, proved.

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from layoutalg.layout import LayoutError, TensorDescriptor
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
from layoutalg.prove.lds import ConflictDegree, ConflictFree, price, prove_access
from layoutalg.synth.families import Candidate, candidates
from layoutalg.synth.linear import Swizzle, demands, find_swizzle, swizzle_descriptor
from layoutalg.synth.problem import Problem

STYLES = ("any", "swizzle", "padding")
"""What may be used: anything; no extra bytes; gaps alone."""


@dataclass(frozen=True)
class Trial:
    """A layout that was tried: its bytes more than packed, and the most cycles of a phase (0: unknown)."""

    name: str
    extra: int
    degree: int


@dataclass(frozen=True)
class Synthesis:
    """What was found: a layout, its name, bytes and cycles a phase, and everything that was proved about it.

    `verdicts` are on the layout; `excluded` say why nothing smaller will do: of every linear swizzle, and of each
    smaller gap of the same family.
    """

    problem: Problem
    name: str
    descriptor: TensorDescriptor
    extra: int
    degree: int
    verdicts: tuple[Verdict, ...]
    excluded: tuple[Verdict, ...]
    trials: tuple[Trial, ...]
    seconds: float

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
    begin = time.perf_counter()
    limits = limits or Limits()
    trials: list[Trial] = []
    best: tuple[int, Candidate] | None = None
    swizzle: Swizzle | None = None
    asked = style == "padding"
    for candidate in _in_style(problem, style):
        if candidate.extra and not asked:
            asked, swizzle = True, find_swizzle(problem, limits=limits)
            if swizzle is not None and swizzle.columns is not None:
                trials.append(Trial(SWIZZLE, 0, 1))
                return _result(problem, _of(problem, swizzle), 1, (), trials, begin, limits)
        degree = worst(problem, candidate.make())
        trials.append(Trial(candidate.name, candidate.extra, degree))
        if degree == 1:
            excluded = (*_no_swizzle(swizzle), *smaller_gaps(problem, candidate))
            return _result(problem, candidate, 1, excluded, trials, begin, limits)
        if degree and (best is None or degree < best[0]):
            best = degree, candidate
    if not asked:
        swizzle = find_swizzle(problem, limits=limits)
        if swizzle is not None and swizzle.columns is not None:
            trials.append(Trial(SWIZZLE, 0, 1))
            return _result(problem, _of(problem, swizzle), 1, (), trials, begin, limits)
    return _best(problem, style, best, swizzle, trials, begin, limits)


SWIZZLE = "linear swizzle"


def worst(problem: Problem, descriptor: TensorDescriptor) -> int:
    """The most cycles that any access takes in a phase; 0 where that is not known (or an access cannot be made)."""
    most = 1
    for access in problem.accesses(descriptor):
        found = price(access)
        if isinstance(found, Unknown):
            return 0
        most = max(most, found.degree)
    return most


def _in_style(problem: Problem, style: str) -> Iterator[Candidate]:
    for candidate in candidates(problem):
        swizzled = candidate.style in ("swizzle", "both")
        if not (style == "swizzle" and candidate.extra) and not (style == "padding" and swizzled):
            yield candidate


def _of(problem: Problem, swizzle: Swizzle) -> Candidate:
    columns = swizzle.columns
    assert columns is not None
    return Candidate(SWIZZLE, 0, lambda: swizzle_descriptor(problem, columns), "swizzle")


def _no_swizzle(swizzle: Swizzle | None) -> tuple[Verdict, ...]:
    return (swizzle.verdict,) if swizzle is not None and swizzle.columns is None else ()


def _result(
    problem: Problem,
    candidate: Candidate,
    degree: int,
    excluded: tuple[Verdict, ...],
    trials: list[Trial],
    begin: float,
    limits: Limits,
) -> Synthesis:
    descriptor = candidate.make()
    claims = [
        ConflictFree(access) if degree == 1 else ConflictDegree(access, degree)
        for access in problem.accesses(descriptor)
    ]
    verdicts = [prove_access(claim, limits=limits) for claim in claims]
    whole = Bijective(descriptor) if candidate.extra == 0 else Injective(descriptor)
    verdicts += [prove(claim, limits=limits) for claim in (InBounds(descriptor), whole, FitsIndexType(descriptor))]
    seconds = time.perf_counter() - begin
    return Synthesis(
        problem, candidate.name, descriptor, candidate.extra, degree, tuple(verdicts), excluded, tuple(trials), seconds
    )


def _best(
    problem: Problem,
    style: str,
    best: tuple[int, Candidate] | None,
    swizzle: Swizzle | None,
    trials: list[Trial],
    begin: float,
    limits: Limits,
) -> Synthesis:
    """The fewest cycles a phase that a family or a linear swizzle reaches, with the proof that no swizzle has fewer."""
    excluded = list(_no_swizzle(swizzle))
    most = 2
    while swizzle is not None and style != "padding" and (best is None or most < best[0]):
        found = find_swizzle(problem, most, limits)
        assert found is not None
        if found.columns is not None:
            trials.append(Trial(SWIZZLE, 0, most))
            best = most, _of(problem, found)
        elif isinstance(found.verdict, Proved):
            excluded.append(found.verdict)
        else:
            break
        most += 1
    if best is None:
        raise LayoutError("no layout of these families could be priced: the accesses are not vectors of the tile")
    return _result(problem, best[1], best[0], tuple(excluded), trials, begin, limits)


# --- gaps -------------------------------------------------------------------------------------------------------------


def smaller_gaps(problem: Problem, candidate: Candidate) -> tuple[Verdict, ...]:
    """Why no smaller gap of the candidate's family works: one refutation for each, element by element."""
    if candidate.by_elements is None:
        return ()
    return tuple(refuted_gap(problem, candidate.by_elements, gap) for gap in range(candidate.gap * problem.vector))


def refuted_gap(problem: Problem, make: Callable[[int], TensorDescriptor], gap: int) -> Verdict:
    """The first access that is refuted with a gap of so many elements: misaligned, or with a conflict."""
    for access in problem.accesses(make(gap)):
        verdict = prove_access(ConflictFree(access))
        if not isinstance(verdict, Proved):
            return verdict
    return Unknown(f"a gap of {gap} elements", "search", 0.0, why="every access is free of conflicts with it")


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
    return all(isinstance(prove_access(ConflictFree(a)), Proved) for a in problem.accesses(descriptor))


__all__ = ["STYLES", "Synthesis", "Trial", "demands", "least_padding", "smaller_gaps", "synthesize", "worst"]
