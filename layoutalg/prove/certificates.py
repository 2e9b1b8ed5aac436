"""Certificates: what each verdict rests on, as SMT-LIB 2 files that a solver of another make can decide again.

A directory holds one file for each obligation that was used (each transform's lemma, or the whole), one for each set of
assumptions (which must be satisfiable), and `manifest.json`, which ties every file by its SHA-256 to the claims that
rest on it, each claim to its layout, and all of them to their source.  A header names the first of the claims that use
a file.  What has no such form (an exhaustive enumeration) is listed in the manifest with the reason.

`certified` makes all of it in memory, the same for the same claims: it is what is written, and what `recheck` holds a
directory against.  Which strategy decided is told of a run, and may be another one on a slower machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from layoutalg.index import InexpressibleError
from layoutalg.index.evaluate import limits as limits_of
from layoutalg.layout import NoInverseError
from layoutalg.lazy import lazy_imports
from layoutalg.prove.claims import Claim
from layoutalg.prove.content import content, digest
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import Obligation, Onto, needs_bits, points_of, values_at
from layoutalg.prove.outcome import Fails, Holds, Limits
from layoutalg.prove.portfolio import DEFAULT, Decided, prove, steps_of, verdict_of
from layoutalg.prove.replay import replays
from layoutalg.prove.strategies.instances import sizes_of
from layoutalg.prove.verdict import Unknown
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg.prove import encodings, smt

FORMAT = 2
MANIFEST = "manifest.json"
KEY = 20
"""The digits of an obligation's digest that its files' names begin with."""


@dataclass(frozen=True)
class Certificate:
    """One file: what it says, the answer that it expects, and the arithmetic that it is written in.

    `said`, `steps` and `points`: how it says it, with which steps, or at which counterexample.  These were found by a
    search, and are true whoever found them.
    """

    file: str
    sha256: str
    label: str
    strategy: str
    expected: str
    arithmetic: str
    said: str
    steps: list[Any]
    points: list[list[int]]


@dataclass(frozen=True)
class Uncertified:
    """An obligation without a file, and why."""

    label: str
    strategy: str
    why: str


@dataclass(frozen=True)
class Certified:
    """What a directory holds: the manifest's entry of each claim, and the text of each file by its name."""

    entries: Sequence[Entry]
    texts: Mapping[str, str]


CHAINS = {"each transform by itself; together they suffice": True, "the claim as a whole": False}
"""How obligations come to a claim, and whether they are its transforms' own."""

Entry = Mapping[str, Any]
"""A claim's in the manifest."""

Found = Mapping[str, Sequence[Mapping[str, Any]]]
"""Certificates by the obligations that they say."""

Claims = Mapping[str, Claim | Obligation] | Sequence[Claim | Obligation]
"""Claims by their names, or numbered."""


def write_certificates(
    claims: Claims,
    directory: str | Path,
    *,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
    source: Mapping[str, Any] | None = None,
) -> Path:
    """Proves the claims and writes the certificates; the manifest's path.

    `source` says, as JSON, what the claims were made from, to whoever makes them anew.
    The directory is made, its parents are not.  Files that it holds already are replaced where they have the same
    name.  OSError where it cannot be written.
    """
    folder = Path(directory)
    folder.mkdir(exist_ok=True)
    made = certified(claims, strategy=strategy, limits=limits)
    for name, text in made.texts.items():
        (folder / name).write_text(text)
    document = {"format": FORMAT, "source": source or {}, "claims": made.entries}
    manifest = folder / MANIFEST
    manifest.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return manifest


def certified(
    claims: Claims,
    *,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
    told: Mapping[str, Entry] | None = None,
) -> Certified:
    """The claims proved, with all that their certificates say.

    `told`: a manifest's entries by name.  Of what they found by a search, what is true is taken; the rest counts for
    nothing.
    """
    told = told or {}
    found = _by_obligation([c for entry in told.values() for c in entry["certificates"]])
    named = claims if isinstance(claims, Mapping) else {f"claim-{n}": claim for n, claim in enumerate(claims)}
    kept: dict[str, tuple[Certificate, str]] = {}
    entries = [
        _claim_entry(name, claim, strategy, limits, told.get(name, {}).get("chain"), found, kept)
        for name, claim in named.items()
    ]
    return Certified(entries, {name: text for name, (_, text) in kept.items()})


def _claim_entry(
    name: str,
    claim: Claim | Obligation,
    strategy: str | None,
    limits: Limits,
    chain: str | None,
    found: Found,
    kept: dict[str, tuple[Certificate, str]],
) -> dict[str, Any]:
    """A claim's entry in the manifest; the certificates that no claim before it has are added to the kept ones."""
    steps, local, missing = _steps(name, claim, strategy, limits, CHAINS.get(str(chain)))
    statement = claim.statement() if isinstance(claim, Claim) else claim.label
    about = subject(claim)
    chain = next(words for words, of in CHAINS.items() if of == local)
    head = {"claim": f"{name}: {statement}", "layout": digest(about), "chain": chain}
    certificates: list[Certificate] = []
    for made in (
        made for step in steps for part in _written(step, limits) for made in _certificates(part, head, found)
    ):
        if isinstance(made, Uncertified):
            missing.append(made)
        else:
            certificates.append(kept.setdefault(made[0].file, made)[0])
    return {
        "name": name,
        "claim": claim.name if isinstance(claim, Claim) else "obligation",
        "statement": statement,
        "verdict": _verdict(claim, steps, local, strategy, limits),
        "layout": about,
        "layout_sha256": digest(about),
        "chain": chain,
        "certificates": [asdict(c) for c in certificates],
        "uncertified": [asdict(u) for u in missing],
    }


def _steps(
    name: str, claim: Claim | Obligation, strategy: str | None, limits: Limits, local: bool | None
) -> tuple[Sequence[Decided], bool, list[Uncertified]]:
    """What a verdict rests on, whether it is the transforms' own, and what is missing where there is nothing."""
    try:
        return *steps_of(claim, strategy=strategy, limits=limits, local=local), []
    except (NoInverseError, InexpressibleError) as error:
        return [], False, [Uncertified(name, "none", f"it has no obligations to certify: {error}")]


def _verdict(
    claim: Claim | Obligation, steps: Sequence[Decided], local: bool, strategy: str | None, limits: Limits
) -> str:
    """What the steps come to; where they leave it open, what the claim's own routes do."""
    found = verdict_of(claim, steps, local, strategy) if steps else None
    if found is None or isinstance(found, Unknown):
        found = prove(claim, strategy=strategy, limits=limits)
    return found.name


def _written(step: Decided, limits: Limits) -> Iterator[Decided]:
    """The step, or where it says that every element is reached, the statements that this was shown by."""
    if isinstance(step.obligation, Onto) and isinstance(step.outcome, Holds):
        for way in step.obligation.suffices:
            parts = [Decided(o, decide(o, limits)) for o in way]
            if all(isinstance(part.outcome, Holds) for part in parts):
                yield from parts
                return
    yield step


def _certificates(
    step: Decided, head: Mapping[str, str], found: Found
) -> Iterator[tuple[Certificate, str] | Uncertified]:
    """The files of one obligation with their text; named by content, because transforms recur in many layouts."""
    obligation, outcome = step.obligation, step.outcome
    if not isinstance(outcome, Holds | Fails):
        yield Uncertified(obligation.label, outcome.strategy, outcome.reason)
        return
    key = digest(content(obligation))
    try:
        texts = _texts(obligation, outcome, found.get(key[:KEY], ()))
    except encodings.NotExpressible as error:
        yield Uncertified(obligation.label, outcome.strategy, str(error))
        return
    over = "; ".join(map(limits_of, sizes_of(obligation))) or "constants"
    for suffix, (form, expected) in texts.items():
        lines = {**head, "sizes": over, "obligation": obligation.label, "said": form.how, "content": key,
                 "expected": expected}  # fmt: skip
        whole = "\n".join(f"; {name}: {_one_line(value)}" for name, value in lines.items())
        whole += f"\n(set-info :status {expected})\n{form.text}"
        label = obligation.label + (f" ({suffix.strip('-')})" if suffix else "")
        made = Certificate(
            f"{key[:KEY]}{suffix}.smt2", digest(whole), label, outcome.strategy, expected, form.arithmetic, form.how,
            [step.data for step in form.steps], values_at(obligation, form.points),
        )  # fmt: skip
        yield made, whole


def _texts(
    obligation: Obligation, outcome: Holds | Fails, told: Sequence[Mapping[str, Any]]
) -> dict[str, tuple[smt.Form, str]]:
    """Each text by the end of its name, and the answer that it expects: the negation, and what is assumed.

    What the certificates that are told say of it is taken where it is true, and made anew where not.
    """
    bits = needs_bits(obligation)
    arithmetic = "bit-vectors" if bits else "integers"
    if isinstance(outcome, Fails):
        known = (_points(obligation, c["points"]) for c in told if c["expected"] == "sat" and c["points"])
        points = next((found.points for found in known if found is not None), outcome.points)
        text = smt.smt_text(obligation, bits, points=points)
        how = "with the values of the counterexample"
        texts = {"-refuted": (smt.Form(text, arithmetic, how, points=points), "sat")}
    else:
        how_said = [(c["said"], c["steps"]) for c in told if c["expected"] == "unsat"]
        forms = smt.said_again(obligation, how_said) or smt.forms(obligation, outcome.strategy)
        texts = {f"-{n}" if len(forms) > 1 else "": (form, "unsat") for n, form in enumerate(forms)}
    if (alone := smt.assumptions_text(obligation, bits)) is not None:
        texts["-assumptions"] = smt.Form(alone, arithmetic, "what is assumed, alone"), "sat"
    return texts


def _points(obligation: Obligation, values: Any) -> Fails | None:
    """A counterexample by its values; None where it is none."""
    found = Fails("told", points_of(obligation, values))
    return found if found.points and replays(obligation, found) else None


def _by_obligation(told: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Certificates that a manifest tells, each once, by the beginning of their names, which is their obligation's."""
    kinds = {"file": str, "said": str, "steps": list, "points": list, "expected": str}
    fit = {c["file"]: c for c in told if all(isinstance(c.get(key), kind) for key, kind in kinds.items())}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for name, c in fit.items():
        found.setdefault(name[:KEY], []).append(c)
    return found


def subject(claim: Claim | Obligation) -> str:
    """What a claim speaks of, as text: its layouts and its numbers, and the limits of its sizes."""
    if not isinstance(claim, Claim):
        return content(claim)
    lines = [f"{field.name} = {getattr(claim, field.name)!r}" for field in fields(claim)]
    return "\n".join([claim.name, *lines, *map(limits_of, claim.sizes)])


def _one_line(text: str) -> str:
    return " ".join(text.split())
