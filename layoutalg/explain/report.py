"""An explanation: the record of what is told, as text, as JSON data, and as LaTeX."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from layoutalg.draw import latex as formulas
from layoutalg.draw.formula import escaped
from layoutalg.explain.finding import Fix, Remark, verdict_data
from layoutalg.explain.words import TransformStep
from layoutalg.formats import DescriptorItem
from layoutalg.formats.check import Result
from layoutalg.records import dataclass

MARKS = {"fine": "✓", "cost": "!", "fault": "✗", "open": "?"}
"""The mark of each grade."""


@dataclass(frozen=True)
class Explanation:
    """A descriptor in words: what it is, what its transforms do, what was claimed, what may go wrong, what helps.

    `offset` and `valid` are the whole index map as formulas of i0, i1 …; `untold` says why nothing is told of banks.

    >>> from layoutalg.explain import explain
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> found = explain(make_naive_tensor_descriptor((6, 6), (4, 1)))
    >>> found.summary, found.offset
    ('6 × 6 elements (i0 and i1) in a memory of 26 elements', 'i0 * 4 + i1')
    >>> [risk.about for risk in found.risks], found.fixes[0].text
    (['overlap'], 'Give (6, 6) the strides (6, 1) in place of (4, 1): then no two indices share an element (proved).')
    """

    item: DescriptorItem
    summary: str
    steps: tuple[TransformStep, ...]
    offset: str
    valid: str
    results: tuple[Result, ...]
    findings: tuple[Remark, ...]
    fixes: tuple[Fix, ...]
    targets: tuple[str, ...]
    untold: str

    @property
    def risks(self) -> tuple[Remark, ...]:
        """The findings that are not fine."""
        return tuple(f for f in self.findings if f.risk)

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(text(self))}</pre>"


def text(found: Explanation, with_spec: bool = False) -> str:
    """The explanation in plain words, with formulas; `with_spec`: and a spec file of the layout that is proposed.

    >>> from layoutalg.explain import explain
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> told = text(explain(make_naive_tensor_descriptor((6, 6), (4, 1))))
    >>> told.splitlines()[0]
    'layout: 6 × 6 elements (i0 and i1) in a memory of 26 elements'
    """
    return "\n".join(_lines(found, with_spec))


def _lines(found: Explanation, with_spec: bool) -> Iterator[str]:
    yield f"{found.item.name}: {found.summary}"
    if found.item.note:
        yield f"  {found.item.note}"
    yield "\nWhat it does, from memory up (down: an index to memory; back: memory to an index)"
    for step in found.steps:
        yield from _step(step)
    yield f"  All of it: offset = {found.offset}" + (f", data where {found.valid}" if found.valid else "")
    yield "\nWhat was claimed"
    for result in found.results:
        yield from _result(result, found)
    yield "\nWhere the risk is"
    for finding in found.findings:
        yield f"  {MARKS[finding.grade]} {finding.text} [{finding.how}]"
    if found.untold:
        yield f"  - Bank conflicts are not told: {found.untold}."
    for doubt in doubts(found):
        yield f"  - Rests on {doubt}."
    yield "\nWhat would fix it"
    if not found.fixes:
        yield "  Nothing is proposed." if found.risks else "  Nothing needs fixing."
    for fix in found.fixes:
        yield from _fix(fix, with_spec)


def _step(step: TransformStep) -> Iterator[str]:
    yield f"  {step.transform}: {step.words}"
    down = ", ".join(step.down) or "nothing below"
    yield f"      down: {down}" + (f"; {step.valid}" if step.valid else "")
    yield f"      back: {', '.join(step.back) or step.no_way_back or 'nothing above'}"


def _result(r: Result, found: Explanation) -> Iterator[str]:
    mark = "✓" if r.passed else "?" if r.verdict.name == "unknown" else "✗"
    of = "" if r.item.name == found.item.name else f"{r.item.name}: "
    expected = " as expected" if r.passed and r.expect == "refuted" else ""
    yield f"  {mark} {of}{r.claim}: {r.verdict.name}{expected}, by {r.verdict.strategy}"
    if r.verdict.reason:
        yield f"      {r.verdict.reason}"


def _fix(fix: Fix, with_spec: bool) -> Iterator[str]:
    yield f"  → {fix.text}"
    yield from (f"      {v.claim}: {v.name} by {v.strategy}" for v in fix.verdicts)
    if fix.spec and with_spec:
        yield "    As a spec file:\n"
        yield from fix.spec.splitlines()


def doubts(found: Explanation) -> tuple[str, ...]:
    """What the verdicts on banks rest on that is not certain."""
    verdicts = [f.verdict for f in found.findings if f.verdict is not None]
    verdicts += [v for fix in found.fixes for v in fix.verdicts]
    return tuple(dict.fromkeys(a for v in verdicts for a in v.assumptions if "In doubt" in a))


def data(found: Explanation) -> dict[str, Any]:
    """The explanation as JSON data.

    >>> import json
    >>> from layoutalg.explain import explain
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> found = data(explain(make_naive_tensor_descriptor((6, 6), (4, 1))))
    >>> json.loads(json.dumps(found))["element_space_size"], found["steps"][0]["down"]
    ('26', ('offset = i0 * 4 + i1',))
    """
    d = found.item.descriptor
    return {
        "name": found.item.name,
        "summary": found.summary,
        "note": found.item.note,
        "dtype": found.item.dtype,
        "lengths": [str(n) for n in d.lengths],
        "element_space_size": str(d.element_space_size),
        "steps": [asdict(step) for step in found.steps],
        "offset": found.offset,
        "valid": found.valid or None,
        "latex": formulas(d),
        "claims": [
            {"item": r.item.name, "name": r.claim, "expect": r.expect, "passed": r.passed, **verdict_data(r.verdict)}
            for r in found.results
        ],
        "findings": [_finding(f) for f in found.findings],
        "untold": found.untold or None,
        "rests_on": list(doubts(found)),
        "targets": list(found.targets),
        "fixes": [_proposal(f) for f in found.fixes],
    }


def _finding(f: Remark) -> dict[str, Any]:
    verdict = verdict_data(f.verdict) if f.verdict is not None else None
    return {"about": f.about, "grade": f.grade, "text": f.text, "how": f.how, "verdict": verdict}


def _proposal(f: Fix) -> dict[str, Any]:
    verdicts = [verdict_data(v) for v in f.verdicts]
    return {"about": f.about, "text": f.text, "verdicts": verdicts, "spec": f.spec or None, "ck": f.ck or None}


# --- LaTeX ------------------------------------------------------------------------------------------------------------


def latex(found: Explanation) -> str:
    r"""The explanation as a section of a LaTeX document (amsmath): the formulas, what was claimed, risks and fixes.

    >>> from layoutalg.explain import explain
    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> print(latex(explain(make_naive_tensor_descriptor((6, 6), (4, 1)))).splitlines()[0])
    \section*{layout}
    """
    rows = [rf"\section*{{{escaped(found.item.name)}}}", f"{escaped(found.summary)}."]
    rows += [r"\[", formulas(found.item.descriptor), r"\]"]
    rows += _itemized([f"{r.claim}: {r.verdict.name}, by {r.verdict.strategy}" for r in found.results])
    rows += _itemized([f.text for f in found.findings])
    rows += _itemized([f.text for f in found.fixes])
    return "\n".join(rows)


def _itemized(texts: list[str]) -> list[str]:
    if not texts:
        return []
    return [r"\begin{itemize}", *(rf"  \item {escaped(t)}" for t in texts), r"\end{itemize}"]
