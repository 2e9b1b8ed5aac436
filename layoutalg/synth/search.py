"""`synthesize`: a layout free of bank conflicts for every access on every target, the smallest of its families, proved.

    packed and mixed, CK's own first  →  any linear swizzle  →  rows and vectors in another order, without or with a gap
    →  mixed with smaller gaps

| outcome                | what is proved                                                                              |
|------------------------|---------------------------------------------------------------------------------------------|
| a layout without gaps  | conflict-free, injective, in bounds; no layout of the tile takes fewer bytes                |
| a layout with gaps     | the same; every layout of fewer bytes of those named takes more cycles: each was looked at  |
| none                   | the same of all of them; the best that there is, and its cycles                             |

What it cannot represent: layouts outside the families (`families`, `nested`, `linear`).  What it says of smaller ones,
and of none, it says of these.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

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
from layoutalg.records import dataclass
from layoutalg.synth.direct import lands
from layoutalg.synth.families import Candidate, candidates, mixes
from layoutalg.synth.gemm import packed
from layoutalg.synth.linear import fewest_cycles, find_swizzle, no_fewer, swizzle_descriptor
from layoutalg.synth.nested import least, orders
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

    `verdicts` are on the layout; `excluded` say what will not do: every linear swizzle, and all of fewer bytes that the
    families have; or all that was tried.  True where it is free of conflicts, which is what was asked for.

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
    ways_out: tuple[str, ...] = ()
    """Changes to what was asked by which a layout is free, where it was asked (`relaxed`)."""

    def __bool__(self) -> bool:
        return self.conflict_free

    @property
    def conflict_free(self) -> bool:
        """Whether every access is, on every target, and all that was to be proved is."""
        return self.degree == 1 and all(isinstance(v, Proved) for v in self.verdicts)

    @property
    def smallest(self) -> bool:
        """Whether no layout of the families that is as good takes fewer bytes: all of them were looked at."""
        return self.conflict_free and (not self.extra or all(isinstance(v, Proved) for v in self.excluded))

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
ANY = sys.maxsize
"""No limit on the bytes more than packed."""
NOT_LOOKED_AT = "an access reaches over several vectors, begins below its alignment, or has too many places"


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
        """The first without conflicts, in the order of the table above; all that have fewer bytes are looked at."""
        bound = fewest_cycles(self.problem)
        if not (self.mixed(bound, range(1)) or self.swizzled(bound)):
            extra = self.in_order(bound)
            self.mixed(bound, range(1, ANY if extra is None else extra))
        if self.best is None or self.best[0] > bound:
            self.best_of_all(bound)
        elif bound > 1:
            self.excluded += no_fewer(self.problem)
        return self.result()

    def fits(self, candidate: Candidate) -> bool:
        """Whether loads can bring it straight to LDS, where they do."""
        return not self.problem.direct or bool(lands(self.problem, candidate.make()))

    def takes_more(self, most: int) -> str:
        """What is said of the layouts that will not do."""
        text = f"takes more than {most} cycle{'s' * (most > 1)} in some phase"
        return f"{text}, or is not filled by loads straight to LDS" if self.problem.direct else text

    def mixed(self, most: int, extra: range) -> bool:
        """Whether a packed or mixed layout of so many bytes more takes at most `most` cycles: the smallest is tried."""
        of = [c for c in candidates(self.problem) if c.kind in self.kinds and c.extra in extra]
        serving = next((c for c in of if self.fits(c) and 0 < self.tried(c) <= most), None)
        end = extra.stop if serving is None else serving.extra
        smaller = [t for t in self.trials if t.extra < end and not 0 < t.degree <= most]
        if extra.start and smaller:
            which = "" if serving is None and end == ANY else f" of fewer than {end} bytes more"
            named = f"{which} {self.takes_more(most)}: {mixes(self.problem, self.kinds)}"
            self.excluded.append(_each(smaller, named))
        return serving is not None

    def in_order(self, most: int) -> int | None:
        """The bytes more of the smallest layout in another order that takes at most `most` cycles; None without one."""
        if "padding" not in self.kinds:
            return None
        found = least(self.problem, most, self.fits)
        text = f"every layout {{}}{self.takes_more(most)}: {orders(self.problem)}"
        if found is None:
            self.excluded.append(Unknown(text.format(""), "enumeration", 0.0, why=NOT_LOOKED_AT))
            return None
        one = found.layout
        if one is None or one.extra:
            which = f"of fewer than {one.extra} bytes more " if one is not None else ""
            self.excluded.append(Proved(text.format(which), "enumeration", 0.0, evidence(self.problem)))
        return one.extra if one is not None and self.tried(one) else None

    def tried(self, candidate: Candidate) -> int:
        """The cycles of a candidate (0: unknown), which is kept where it is better than the best so far."""
        access, cost = worst(self.problem, candidate.make())
        degree = 0 if isinstance(cost, Unknown) else cost.degree
        self.trials.append(TriedLayout(candidate.name, candidate.extra, degree))
        if degree != 1:
            self.failed.append((candidate.name, access, cost))
        if degree and (self.best is None or (degree, candidate.extra) < (self.best[0], self.best[1].extra)):
            self.best = degree, candidate
        return degree

    def swizzled(self, most: int) -> bool:
        """Whether a linear swizzle takes at most so many cycles a phase; where none does, its proof is kept."""
        if "linear" not in self.kinds:
            return False
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

    def best_of_all(self, bound: int) -> None:
        """No layout takes so few cycles: the fewest that there are, and why the first one tried takes more."""
        if self.best is None:
            self.refuse()
        most = 2 * bound
        while self.best is not None and most < self.best[0] and "linear" in self.kinds and not self.swizzled(most):
            most *= 2  # a linear map's cycles are a power of two
        most = bound + 1
        while self.best is not None and most < self.best[0] and self.in_order(most) is None:
            most += 1
        name, access, cost = self.failed[0]
        verdict = cost if isinstance(cost, Unknown) else judged(ConflictFree(access), cost)
        self.excluded.append(replace(verdict, claim=f"{name}: {verdict.claim}"))

    def refuse(self) -> NoReturn:
        """LayoutError: nothing could be priced, or nothing is filled by the loads."""
        if not self.failed:
            raise LayoutError("no layout of these families is filled by loads straight to LDS")
        name, access, found = self.failed[0]
        why = found.why if isinstance(found, Unknown) else ""
        raise LayoutError(f"no layout of these families could be priced; {name}: {access.name}: {why}")

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


def evidence(problem: Problem) -> tuple[str, ...]:
    """What a price on each target rests on."""
    return tuple(dict.fromkeys(one.evidence for one in problem.accesses(packed(*problem.lengths))))


def _each(tried: Sequence[TriedLayout], claimed: str) -> Verdict:
    """What is claimed of each of the layouts tried; Unknown where one could not be priced."""
    text = (f"each of {len(tried)} layouts" if len(tried) > 1 else "the one layout") + claimed
    if unknown := [t.name for t in tried if not t.degree]:
        return Unknown(text, "enumeration", 0.0, why=f"these could not be priced: {', '.join(unknown)}")
    return Proved(text, "enumeration", 0.0)


# --- gaps -------------------------------------------------------------------------------------------------------------


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


__all__ = ["STYLES", "Synthesis", "TriedLayout", "least_padding", "synthesize", "worst"]
