"""Checking a file: every item's claims, decided by the prover, and held against what the file expects.

    for result in check(load("layouts.toml")):
        print(result.item.name, result.claim, result.verdict)

A claim that the file expects to be refuted passes when it is refuted; a layout that must be refused, when it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from layoutalg.formats.agreements import agree
from layoutalg.formats.claims import USUAL, ClaimError, claim_of
from layoutalg.formats.model import (
    AgreeItem,
    DescriptorItem,
    Example,
    Item,
    LayoutItem,
    LemmaItem,
    Place,
    Refusal,
    SpecFile,
    StatedClaim,
)
from layoutalg.index import Expr, as_expr, narrowed
from layoutalg.index.evaluate import limits as limits_of
from layoutalg.layout import LayoutError, NoInverseError
from layoutalg.lazy import lazy_imports
from layoutalg.prove import (
    Bijective,
    Claim,
    Contiguous,
    ForAll,
    Limits,
    Obligation,
    Proved,
    Refuted,
    Shown,
    Unknown,
    Verdict,
    prove,
)
from layoutalg.prove.claims.given import under
from layoutalg.prove.domain import adaptor_of
from layoutalg.prove.parallel import prove_all
from layoutalg.records import dataclass

with lazy_imports():
    from concurrent import futures

Progress = Callable[[int], Callable[[int], None]]
"""Who is told how far it is: of so many claims, these."""


@dataclass(frozen=True)
class Result:
    """One claim of one item: the verdict, and what the file expects of it; true where it is the one expected.

    `place`: where the file says it; None where it says nothing of this claim.
    """

    item: Item
    claim: str
    verdict: Verdict
    expect: str = "proved"
    because: str = ""
    place: Place | None = None

    def __bool__(self) -> bool:
        return self.passed

    @property
    def passed(self) -> bool:
        """Whether the verdict is the one that is expected, for the reason that is expected."""
        expected = isinstance(self.verdict, Refuted if self.expect == "refuted" else Proved)
        return expected and self.because in self.verdict.reason


@dataclass(frozen=True)
class Question:
    """One claim of one item, to be decided; `verdict` where building the claim decided it already."""

    item: Item
    text: str
    expect: str = "proved"
    because: str = ""
    claim: Claim | Obligation | None = None
    verdict: Verdict | None = None
    place: Place | None = None


def check(
    spec: SpecFile,
    *,
    strategy: str | None = None,
    limits: Limits | None = None,
    jobs: int = 1,
    executor: futures.Executor | None = None,
) -> Iterator[Result]:
    """The result of each claim of a file, in the file's order; in parallel with `jobs` or on an executor.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\\nname = "tile"\\nbase = { kind = "packed", lengths = [8, 64] }'
    >>> [(r.claim, r.verdict.name) for r in check(loads(text))]
    [('in_bounds', 'proved'), ('injective', 'proved'), ('fits_index', 'proved')]
    """
    if jobs > 1 or executor is not None:
        yield from check_all([spec], strategy=strategy, limits=limits, jobs=jobs, executor=executor)[0]
        return
    for question in [question for item in spec.items for question in questions(item)]:
        yield decided(question, strategy=strategy, limits=limits)


def decided(question: Question, *, strategy: str | None = None, limits: Limits | None = None) -> Result:
    """The result of one claim."""
    if question.claim is None:
        assert question.verdict is not None
        return _answered(question, question.verdict)
    return _answered(question, prove(question.claim, strategy=strategy, limits=limits or Limits()))


def check_all(
    specs: Sequence[SpecFile],
    *,
    strategy: str | None = None,
    limits: Limits | None = None,
    jobs: int = 1,
    executor: futures.Executor | None = None,
    progress: Progress | None = None,
) -> list[list[Result]]:
    """The results of each file; the claims of all are one set of work for the processes or the executor.

    `progress`: is told how many claims there are; what it gives is called with the number of those just decided.
    """
    asked = [[question for item in spec.items for question in questions(item)] for spec in specs]
    claims = [q.claim for of_file in asked for q in of_file if q.claim is not None]
    how: dict[str, Any] = {} if progress is None else {"told": progress(len(claims))}
    limits = limits or Limits()
    verdicts = iter(prove_all(claims, jobs=jobs, executor=executor, strategy=strategy, limits=limits, **how))
    return [[_answered(q, next(verdicts) if q.verdict is None else q.verdict) for q in of_file] for of_file in asked]


def _answered(question: Question, verdict: Verdict) -> Result:
    """The result; it rests on the limits that the item gives its sizes, also those that decided it in reading."""
    own = map(limits_of, narrowed([question.item.limits]).values())
    verdict = replace(verdict, assumptions=tuple(dict.fromkeys((*verdict.assumptions, *own))))
    return Result(question.item, question.text, verdict, question.expect, question.because, question.place)


def questions(item: Item) -> Iterator[Question]:
    """The claims of one item, then its examples."""
    if isinstance(item, Refusal):
        yield _refusal(item)
    elif isinstance(item, LemmaItem):
        lemma = ForAll(item.name, item.goal, item.given, _lemma_shown(item))
        yield Question(item, "holds", item.expect, item.because, lemma)
    elif isinstance(item, AgreeItem):
        yield Question(item, "agree", item.expect, item.because, agree(item))
    else:
        for stated in item.claims or map(StatedClaim, USUAL[item.kind]):
            yield _stated(item, stated)
        if isinstance(item, LayoutItem):
            yield from (_reaches(item, example) for example in item.examples)


def _stated(item: Item, stated: StatedClaim) -> Question:
    try:
        claim = claim_of(item, stated)
    except ClaimError:
        raise
    except (NoInverseError, LayoutError) as error:
        why = Unknown(str(stated), "statement", 0.0, why=str(error))
        return Question(item, str(stated), stated.expect, stated.because, verdict=why, place=stated.place)
    return Question(item, str(stated), stated.expect, stated.because, claim, place=stated.place)


def _refusal(item: Refusal) -> Question:
    claim = f"a {item.of} that must be refused"
    if item.reason is None or item.because not in item.reason:
        why = "it was built; no reason to refuse it" if item.reason is None else f"refused, but because {item.reason}"
        return Question(item, "refused", verdict=Unknown(claim, "construction", 0.0, why=why))
    return Question(item, "refused", verdict=Proved(f"{claim}: {item.reason}", "construction", 0.0))


def _lemma_shown(item: LemmaItem) -> tuple[Shown, ...]:
    return tuple(Shown(v.value.name, (v,)) for v in item.variables)


def _reaches(item: LayoutItem, example: Example) -> Question:
    """An example, told with what its index really reaches, and what the file states."""
    adaptor = adaptor_of(item.layout)
    lower = adaptor.lower(example.index)
    pairs: list[tuple[str, Sequence[Expr], Sequence[Expr] | None]] = [
        ("offset" if isinstance(item, DescriptorItem) else "lower index", lower, example.lower)
    ]
    if isinstance(item, DescriptorItem) and example.hidden is not None:
        hidden = item.descriptor.hidden_index(example.index)
        pairs.append(("hidden", tuple(hidden[i] for i in sorted(hidden)), example.hidden))
    valid = None if example.valid is None else (as_expr(int(example.valid)),)
    pairs.append(("valid", (adaptor.valid(example.index),), valid))
    stated = [
        (what, Shown(what, tuple(found)), Shown(f"file {what}", tuple(said)))
        for what, found, said in pairs
        if said is not None
    ]
    found = ", ".join(f"{what} {{{what}}}" for what, *_ in stated)
    told = f"{example.name} has {found}; the file says {', '.join(f'{{file {what}}}' for what, *_ in stated)}"
    shown = (Shown("index", example.index), *(one for _, *both in stated for one in both))
    return Question(
        example,
        "holds",
        example.expect,
        example.because,
        ForAll(example.name, example.goal, example.given, shown, told),
    )


def facts(item: DescriptorItem, limits: Limits | None = None) -> dict[str, object]:
    """What else is true of a descriptor: bijective or not, and the widest vector along its last dimension.

    Nobody asked for it: all of it takes a third of one claim's time at most.
    """
    d, usual = item.descriptor, limits or Limits()
    brief = replace(usual, seconds=usual.seconds / 15)  # five claims
    bijective = prove(under(item.given, Bijective(d)), limits=brief)
    vectors = ((n, under(item.given, Contiguous(d, d.rank - 1, n))) for n in (16, 8, 4, 2))
    return {
        "bijective": bijective.name,
        "vector": next((n for n, claim in vectors if prove(claim, limits=brief)), 1),
        "lengths": [str(n) for n in d.lengths],
        "element_space_size": str(d.element_space_size),
    }
