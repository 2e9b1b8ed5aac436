"""What was found of a kernel in blocks of several sizes, as one: proved is what is at each, else the size is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from layoutalg.audit.ask import Open, unseen
from layoutalg.audit.claims.claim import LEFT, Finding
from layoutalg.audit.claims.table import rows
from layoutalg.audit.costs import Fact
from layoutalg.prove import Proved, Refuted, Unknown, Verdict

#: So many sizes at which a claim fails are named.
NAMED = 4

Found = Sequence[tuple[str, Finding]]
"""What was found of one subject, each with the size that it was found at."""


def subjects(cases: Mapping[str, Sequence[Finding]]) -> Sequence[Found]:
    """Of each subject of a claim what was found, in the order of claims."""
    order = {one.NAME: n for n, one in enumerate(rows())}
    found: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for name, findings in cases.items():
        for one in findings:
            found.setdefault((one.claim, one.about), []).append((name, one))
    return sorted(found.values(), key=lambda its: order.get(its[0][1].claim, len(order)))


def unasked(claims: Iterable[str]) -> Sequence[Finding]:
    """What is found of claims that were not asked at some size: nothing, and so nothing of all sizes."""
    return [Finding(name, *unseen(LEFT, Open("not asked: the code is not followed there"))) for name in claims]


def worst(found: Found) -> tuple[str, Finding]:
    """The worst of what was found of one subject, with the size that it is of: refuted, unknown, proved."""
    return min(found, key=lambda one: (Refuted, Unknown, Proved).index(type(one[1].verdict)))


def finding(found: Found) -> Finding:
    """What was found of one subject, as one."""
    name, one = worst(found)
    if isinstance(one.verdict, Proved):
        return one
    names = [name, *(each for each, other in found if each != name and not other.verdict)]
    return one._replace(verdict=_named(one.verdict, _blocks(names)))


def _blocks(names: Sequence[str]) -> str:
    """Blocks of these sizes, in words.

    >>> _blocks(["16 × 8"]), _blocks(["64", "128", "192", "256", "320", "384"])
    ('blocks of 16 × 8 threads', 'blocks of 64, 128, 192, 256 threads and of 2 other sizes')
    >>> _blocks(["step = 0", "step = 1"])
    'step = 0; step = 1'
    """
    others = len(names) - NAMED
    more = f" and of {others} other size{'s' * (others > 1)}" if others > 0 else ""
    if " = " in names[0]:
        return f"{'; '.join(names[:NAMED])}{more}"
    return f"blocks of {', '.join(names[:NAMED])} threads{more}"


def _named(verdict: Verdict, name: str) -> Verdict:
    """A verdict with the sizes that it is of in its reason."""
    if isinstance(verdict, Refuted):
        return replace(verdict, witness=replace(verdict.witness, text=f"{name}: {verdict.witness.text}"))
    assert isinstance(verdict, Unknown)
    return replace(verdict, why=f"{name}: {verdict.why}")


def facts(cases: Mapping[str, Iterable[Fact]]) -> Sequence[Fact]:
    """What each access costs where it costs most beside the least."""
    found: dict[tuple[str, str], dict[str, Fact]] = {}
    for name, its in cases.items():
        for one in its:
            found.setdefault((one.memory, one.about), {}).setdefault(name, one)
    return [_dearest(of_one) for of_one in found.values()]


def _dearest(found: Mapping[str, Fact]) -> Fact:
    name, fact = max(found.items(), key=lambda one: one[1].worst - one[1].least)
    alike = len({(one.best, one.worst, one.least, one.why) for one in found.values()}) == 1
    return fact if alike else replace(fact, about=f"{fact.about}, {_blocks([name])}")
