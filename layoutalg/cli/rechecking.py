"""`recheck`: what a folder of certificates claims, made anew from its files, and decided again by other solvers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import SOURCES, read
from layoutalg.cli.output import time_limit
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    import layoutalg.prove as prove
    from layoutalg import formats
    from layoutalg.formats import check as claims
    from layoutalg.prove import decide
    from layoutalg.prove import recheck as again

RESULTS = ("agrees", "disagrees", "undecided", "altered")


@dataclass(frozen=True)
class Source:
    """What claims are made from, as a manifest says it: files, how they are read, and the strategy that is forced."""

    files: Sequence[str]
    define: Mapping[str, str]
    include: Sequence[str]
    target: Sequence[str]
    strategy: str | None = None

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Source:
        """ValueError where a manifest says no such thing."""
        lists, define, strategy = [said.get(key) for key in _LISTS], said.get("define"), said.get("strategy")
        if said.keys() != {*_LISTS, "define", "strategy"} or not (
            all(isinstance(part, list) for part in lists) and isinstance(define, dict)
        ):
            raise ValueError("its manifest does not say what the claims were made from")
        texts = [text for part in (*lists, define.values(), [strategy or ""]) for text in part or ()]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("its manifest does not say what the claims were made from")
        return cls(**said)

    def __str__(self) -> str:
        """The files and how they are read, as on a command line."""
        given = [f"-D {name}={value}" for name, value in self.define.items()]
        given += [f"-I {folder}" for folder in self.include] + [f"--target {name}" for name in self.target]
        return " ".join([*self.files, *given, *([f"--strategy {self.strategy}"] if self.strategy else [])])

    def read(self) -> Iterator[formats.SpecFile]:
        """The files as they are now."""
        include = [Path(folder) for folder in self.include]
        for path in map(Path, self.files):
            given = dict(self.define) if path.suffix in SOURCES else {}
            yield read(path, given, include, alone=False, targets=self.target)


_LISTS = ("files", "include", "target")


def named(spec: formats.SpecFile) -> Iterator[tuple[str, prove.Claim | prove.Obligation | None]]:
    """Each question of a file by a name of its own, with the claim; None where building it decided it."""
    for number, item in enumerate(spec.items):
        for n, q in enumerate(claims.questions(item)):
            yield f"{spec.path}: {number}.{item.name}.{n}.{q.text}", q.claim


def recheck(
    folder: Annotated[Path, typer.Argument(help="A folder that check --certificates wrote.")],
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes at once.")] = 2,
    seconds: Annotated[float, time_limit("each claim, and each certificate")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Make the claims of a folder of certificates anew from their files, and let other solvers decide them again.

    cvc5 (integers) and bitwuzla (bit-vectors) decide.  Exit 0 where all agree, 1 where something disagrees or is
    altered, 2 where something is undecided or there is nothing to check.
    """
    try:
        source, found = _rechecked(folder, jobs, seconds)
    except ImportError as error:
        raise InputError(str(error)) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{folder}: not a folder of certificates ({error})") from None
    certificates = list({c.file: c for claim in found for c in claim.certificates}.values())
    if as_json:
        print(json.dumps({"source": source, **_document(found, certificates)}, ensure_ascii=False))
    else:
        _show(found, certificates)
        print(f"made anew from {source}")
    results = {claim.result for claim in found}
    return 1 if results & {"disagrees", "altered"} else 2 if "undecided" in results or not certificates else 0


def _rechecked(folder: Path, jobs: int, seconds: float) -> tuple[str, list[again.RecheckedClaim]]:
    """What the claims were made from, and what became of them."""
    if again.is_empty(folder):
        return "nothing", []
    source = Source.of(again.source(folder))
    if source.strategy is not None and source.strategy not in decide.STRATEGIES:
        raise ValueError(f"its manifest forces the strategy {source.strategy!r:.40}, which there is not")
    asked = {name: claim for spec in source.read() for name, claim in named(spec) if claim is not None}
    limits = prove.Limits(seconds=seconds)
    found = again.recheck(folder, asked, strategy=source.strategy, limits=limits, jobs=jobs, seconds=seconds)
    return str(source), found


def _document(found: Sequence[again.RecheckedClaim], certificates: Sequence[again.Rechecked]) -> dict[str, Any]:
    told = ("name", "verdict", "result", "altered", "alone")
    return {
        **_counts(certificates),
        "uncertified": _alone(found),
        "claims": [{key: getattr(claim, key) for key in told} for claim in found],
        "certificates": [{**vars(c), "result": c.result} for c in certificates],
    }


def _show(found: Sequence[again.RecheckedClaim], certificates: Sequence[again.Rechecked]) -> None:
    for c in certificates:
        if c.result == "altered":
            print(f"{c.file}: altered: it is not the certificate that {c.claim} comes to ({c.label})")
        elif c.result != "agrees":
            print(f"{c.file}: {c.result}: {c.solver} says {c.answer}, expected {c.expected} ({c.label})")
    for claim in found:
        if claim.altered:
            print(f"{claim.name}: altered: {claim.altered}")
        elif claim.verdict == "unknown":
            print(f"{claim.name}: undecided: made anew it is neither proved nor refuted")
    told = _told(_counts(certificates)) or "nothing to check"
    print(f"{len(certificates)} certificates: {told}")
    verdicts = [claim.verdict for claim in found if claim]
    proved = _told({verdict: verdicts.count(verdict) for verdict in ("proved", "refuted")})
    print(f"{len(found)} claims: {len(verdicts)} agree" + (f" ({proved})" if proved else ""))
    if alone := _alone(found):
        print(f"not by certificates alone: {', '.join(alone)}")


def _alone(found: Sequence[again.RecheckedClaim]) -> list[str]:
    """The claims that do not rest on certificates alone: what ranges settle, or no solver can be asked, has none."""
    return [claim.name for claim in found if claim.alone]


def _counts(certificates: Sequence[again.Rechecked]) -> dict[str, int]:
    return {kind: sum(c.result == kind for c in certificates) for kind in RESULTS}


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in counts.items() if n)
