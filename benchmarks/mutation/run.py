"""How good is the verifier?  Mutants, each judged by exhaustive enumeration and by every route of the prover.

`python -m benchmarks.mutation.run` prints the table and writes it to RESULTS.md beside this file.  A mutant that
changes behaviour and is not refuted, or one that does not and is not proved, is listed; there must be none.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import numpy as np

from benchmarks.corpus import concrete
from benchmarks.mutation.mutants import TRANSFORMS, FormulaMutant, LayoutMutant, formula_mutants, layout_mutants
from layoutalg.index import eq
from layoutalg.index.evaluate import value
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import Equivalent, ForAll, InBounds, Injective, Limits, prove
from tests.prove.oracle import enumerate_all

SEED = 1
LARGEST = 1 << 13
"""Points of a layout that is mutated, at most."""
LAYOUTS = 500
"""Mutants of layouts, drawn from all of them."""


@dataclass(frozen=True)
class Judged:
    """One question on one mutant: what is true, and what was said."""

    operator: str
    question: str
    what: str
    holds: bool
    verdict: str
    seconds: float

    @property
    def right(self) -> bool:
        """Proved exactly where it holds, refuted exactly where it does not."""
        return self.verdict == ("proved" if self.holds else "refuted")


def originals() -> Iterator[tuple[str, TensorDescriptor]]:
    """The layouts of the corpus that are small enough."""
    for entry in concrete():
        layout = getattr(entry.claims[0], "descriptor", None)
        if isinstance(layout, TensorDescriptor) and math.prod(int(n) for n in layout.lengths) <= LARGEST:
            yield entry.name, layout


def judge_layout(m: LayoutMutant, strategy: str | None = None) -> Iterator[Judged]:
    """Is it the same map, is it in bounds, is it injective?"""
    one, other = enumerate_all(m.original), enumerate_all(m.mutant)
    same = bool(one.lengths == other.lengths and (one.valid == other.valid).all())
    same = same and bool((one.offsets == other.offsets)[one.valid].all())
    same = same and m.original.element_space_size is m.mutant.element_space_size
    questions = (
        ("same map", Equivalent(m.original, m.mutant), same),
        ("in bounds", InBounds(m.mutant), other.in_bounds()),
        ("injective", Injective(m.mutant), other.injective()),
    )
    for question, claim, holds in questions:
        start = time.perf_counter()
        verdict = prove(claim, strategy=strategy, limits=Limits(seconds=10)).name
        yield Judged(m.operator, question, m.what, holds, verdict, time.perf_counter() - start)


def judge_formula(m: FormulaMutant, strategy: str | None = None) -> Judged:
    """Is the formula the same for every index?"""
    grid = product(*(range(int(v.hi) + 1) for v in m.index))
    points = [dict(zip(m.index, at, strict=True)) for at in grid]
    holds = all(value(m.original, p) == value(m.mutant, p) for p in points)
    start = time.perf_counter()
    verdict = prove(ForAll("the formulas are equal", eq(m.original, m.mutant)), strategy=strategy).name
    return Judged(m.operator, "same formula", m.what, holds, verdict, time.perf_counter() - start)


def run(layouts: int = LAYOUTS, strategy: str | None = None, seed: int = SEED) -> list[Judged]:
    """Every formula mutant, and a sample of the layout mutants."""
    every = [m for name, d in originals() for m in layout_mutants(name, d)]
    Random(seed).shuffle(every)
    judged = [j for m in every[:layouts] for j in judge_layout(m, strategy)]
    judged += [judge_formula(m, strategy) for t in TRANSFORMS for m in formula_mutants(t)]
    return judged


def table(judged: Sequence[Judged]) -> str:
    """Counts for each operator and question, in Markdown."""
    lines = [
        "| operator | question | mutants | it fails, refuted | it holds, proved | wrong | unknown | median ms |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for key in dict.fromkeys((j.operator, j.question) for j in judged):
        of = [j for j in judged if (j.operator, j.question) == key]
        seen = Counter((j.holds, j.verdict) for j in of)
        fails, holds = sum(not j.holds for j in of), sum(j.holds for j in of)
        unknown = seen[True, "unknown"] + seen[False, "unknown"]
        wrong = seen[True, "refuted"] + seen[False, "proved"]
        ms = statistics.median(j.seconds for j in of) * 1e3
        lines.append(
            f"| {key[0]} | {key[1]} | {len(of)} | {seen[False, 'refuted']} of {fails} | "
            f"{seen[True, 'proved']} of {holds} | {wrong} | {unknown} | {ms:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Prints and writes the table; the exit status says whether every verdict was right."""
    text = ["# Mutants of layouts and of the transforms' formulas", "", __doc__ or "", ""]
    failed = 0
    for strategy in (None, "z3"):
        judged = run(LAYOUTS if strategy is None else LAYOUTS // 10, strategy)
        mutants = len({(j.operator, j.what) for j in judged})
        text += [f"## {strategy or 'portfolio'}: {mutants} mutants, {len(judged)} questions", "", table(judged), ""]
        wrong = [j for j in judged if not j.right]
        failed += len(wrong)
        text += [
            f"- {j.verdict}, but it {'holds' if j.holds else 'fails'} ({j.question}): {j.what}" for j in wrong[:20]
        ]
    text.append(f"numpy {np.__version__}, seed {SEED}")
    print("\n".join(text))
    (Path(__file__).parent / "RESULTS.md").write_text("\n".join(text) + "\n")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
