"""Certificates: what each verdict rests on, as SMT-LIB 2 files that a solver of another make can decide again.

A directory holds one file for each obligation that was used (each transform's lemma, or the whole), one for each set of
assumptions (which must be satisfiable), and `manifest.json`, which ties every file by its SHA-256 to the claims that
rest on it, and each claim to its layout.  A header names the first of the claims that use a file.  What has no such
form (an exhaustive enumeration) is listed in the manifest with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutalg.index import InexpressibleError
from layoutalg.index.evaluate import limits as limits_of
from layoutalg.layout import NoInverseError
from layoutalg.lazy import lazy
from layoutalg.prove.claims import Claim
from layoutalg.prove.content import content, digest
from layoutalg.prove.decide import decide
from layoutalg.prove.obligation import Obligation, Onto
from layoutalg.prove.outcome import Fails, Holds, Limits
from layoutalg.prove.portfolio import DEFAULT, Decided, steps_of, verdict_of
from layoutalg.prove.solver import needs_bits
from layoutalg.prove.strategies.instances import sizes_of

if TYPE_CHECKING:
    from layoutalg.prove import encodings, smt
else:
    encodings = lazy("layoutalg.prove.encodings")
    smt = lazy("layoutalg.prove.smt")

FORMAT = 1
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Certificate:
    """One file: what it says, the answer that it expects, and the arithmetic that it is written in."""

    file: str
    sha256: str
    label: str
    strategy: str
    expected: str
    arithmetic: str


@dataclass(frozen=True)
class Uncertified:
    """An obligation without a file, and why."""

    label: str
    strategy: str
    why: str


def write_certificates(
    claims: Mapping[str, Claim | Obligation] | Sequence[Claim | Obligation],
    directory: str | Path,
    *,
    strategy: str | None = None,
    limits: Limits = DEFAULT,
) -> Path:
    """Proves the claims (named, or numbered) and writes the certificates; the manifest's path.

    The directory is made, its parents are not.  Files that it holds already are replaced where they have the same
    name.  OSError where it cannot be written.
    """
    folder = Path(directory)
    folder.mkdir(exist_ok=True)
    named = claims if isinstance(claims, Mapping) else {f"claim-{n}": claim for n, claim in enumerate(claims)}
    kept: dict[str, Certificate] = {}
    entries = [_claim_entry(name, claim, folder, strategy, limits, kept) for name, claim in named.items()]
    manifest = folder / MANIFEST
    manifest.write_text(json.dumps({"format": FORMAT, "claims": entries}, indent=1, ensure_ascii=False) + "\n")
    return manifest


def _claim_entry(
    name: str,
    claim: Claim | Obligation,
    folder: Path,
    strategy: str | None,
    limits: Limits,
    kept: dict[str, Certificate],
) -> dict[str, Any]:
    try:
        steps, local = steps_of(claim, strategy=strategy, limits=limits)
    except (NoInverseError, InexpressibleError) as error:
        steps, local = [], False
        unsaid = [Uncertified(name, "none", f"it has no obligations to certify: {error}")]
    else:
        unsaid = []
    statement = claim.statement() if isinstance(claim, Claim) else claim.label
    verdict = "unknown" if unsaid else verdict_of(claim, steps, local, strategy).name
    about = subject(claim)
    head = {
        "claim": f"{name}: {statement}",
        "layout": digest(about),
        "chain": "each transform by itself; together they suffice" if local else "the claim as a whole",
    }
    parts = [part for step in steps for part in _written(step, limits)]
    written: list[Certificate] = []
    missing: list[Uncertified] = list(unsaid)
    for step in parts:
        for made in _certificates(step, head):
            if isinstance(made, Uncertified):
                missing.append(made)
                continue
            certificate, text = made
            if certificate.file not in kept:
                (folder / certificate.file).write_text(text)
                kept[certificate.file] = certificate
            written.append(kept[certificate.file])
    return {
        "name": name,
        "claim": claim.name if isinstance(claim, Claim) else "obligation",
        "statement": statement,
        "verdict": verdict,
        "layout": about,
        "layout_sha256": digest(about),
        "certificates": [asdict(c) for c in written],
        "uncertified": [asdict(u) for u in missing],
    }


def _written(step: Decided, limits: Limits) -> Iterator[Decided]:
    """The step, or where it says that every element is reached, the statements that this was shown by."""
    if isinstance(step.obligation, Onto) and isinstance(step.outcome, Holds):
        for way in step.obligation.suffices:
            parts = [Decided(o, decide(o, limits)) for o in way]
            if all(isinstance(part.outcome, Holds) for part in parts):
                yield from parts
                return
    yield step


def _certificates(step: Decided, head: Mapping[str, str]) -> Iterator[tuple[Certificate, str] | Uncertified]:
    """The files of one obligation with their text; named by content, because transforms recur in many layouts."""
    obligation, outcome = step.obligation, step.outcome
    if not isinstance(outcome, Holds | Fails):
        yield Uncertified(obligation.label, outcome.strategy, outcome.reason)
        return
    try:
        texts = _texts(obligation, outcome)
    except encodings.NotExpressible as error:
        yield Uncertified(obligation.label, outcome.strategy, str(error))
        return
    key = digest(content(obligation))
    over = "; ".join(map(limits_of, sizes_of(obligation))) or "constants"
    for suffix, (form, expected) in texts.items():
        lines = {**head, "sizes": over, "obligation": obligation.label, "said": form.how, "content": key,
                 "decided by": outcome.strategy, "expected": expected}  # fmt: skip
        whole = "\n".join(f"; {name}: {_one_line(value)}" for name, value in lines.items())
        whole += f"\n(set-info :status {expected})\n{form.text}"
        label = obligation.label + (f" ({suffix.strip('-')})" if suffix else "")
        made = Certificate(
            f"{key[:20]}{suffix}.smt2", digest(whole), label, outcome.strategy, expected, form.arithmetic
        )
        yield made, whole


def _texts(obligation: Obligation, outcome: Holds | Fails) -> dict[str, tuple[smt.Form, str]]:
    """Each text by the end of its name, and the answer that it expects: the negation, and what is assumed."""
    bits = needs_bits(obligation)
    arithmetic = "bit-vectors" if bits else "integers"
    if isinstance(outcome, Fails):
        text = smt.smt_text(obligation, bits, points=outcome.points)
        texts = {"-refuted": (smt.Form(text, arithmetic, "with the values of the counterexample"), "sat")}
    else:
        forms = smt.forms(obligation)
        texts = {f"-{n}" if len(forms) > 1 else "": (form, "unsat") for n, form in enumerate(forms)}
    if (alone := smt.assumptions_text(obligation, bits)) is not None:
        texts["-assumptions"] = smt.Form(alone, arithmetic, "what is assumed, alone"), "sat"
    return texts


def subject(claim: Claim | Obligation) -> str:
    """What a claim speaks of, as text: its layouts and its numbers, and the limits of its sizes."""
    if not isinstance(claim, Claim):
        return content(claim)
    lines = [f"{field.name} = {getattr(claim, field.name)!r}" for field in fields(claim)]
    return "\n".join([claim.name, *lines, *map(limits_of, claim.sizes)])


def _one_line(text: str) -> str:
    return " ".join(text.split())
