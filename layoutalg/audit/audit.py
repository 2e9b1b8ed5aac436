"""Whether a kernel that anybody compiled is safe as it is launched: every claim with its verdict, for all sizes.

The machine code is followed by the symbolic machine, one unknown lane on all ways (`followed`); each claim (`claims`)
is decided of what that has seen, by the one asker (`ask`); what fails is carried out (`refute`).  What following takes
for granted is a claim too: `followed` fails with the instruction and the reason.

What a launch says that runs are to try (`tried`) is refuted where one is another, as `computes`, and else not claimed.
A kernel with preloaded arguments is audited from both of its entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from layoutalg.audit.ask import LATE, Finding, Open, found
from layoutalg.audit.claims import computes, followed, launchable, stores_all
from layoutalg.audit.claims.table import ASKED, EACH, ON_REQUEST, asked_for
from layoutalg.audit.costs import Fact
from layoutalg.audit.followed import Followed, LaunchedKernel
from layoutalg.audit.refute import Refutation
from layoutalg.audit.runs import FaultyRun, Runs
from layoutalg.errors import DeviceError
from layoutalg.formats.model import SpecFile
from layoutalg.index import InexpressibleError, budget
from layoutalg.isa.decode.code import MachineCode
from layoutalg.prove import Refuted, Verdict, Verdicts
from layoutalg.refine.refinement import STANDING, WITHOUT_PRELOAD

#: The part of the time that is for runs.
RUNS_SHARE = 1 / 6

#: Claims on what comes out, which say something where all others hold.
OUTCOMES = (stores_all.NAME, computes.NAME)


@dataclass(frozen=True)
class Audit(Verdicts):
    """Every claim on a launch, in order, each with what it is about."""

    kernel: str
    target: str
    claims: tuple[Finding, ...]
    assumptions: tuple[str, ...] = ()
    shown: Mapping[tuple[str, str], FaultyRun] = field(default_factory=dict)  # the runs that refute, by claim and about
    facts: tuple[Fact, ...] = ()
    unclaimed: tuple[str, ...] = ()  # of what comes out
    ended: tuple[str, ...] = ()  # barriers that waves passed in a run without others, which had ended (`isa.run`)

    @property
    def verdicts(self) -> tuple[tuple[str, Verdict], ...]:  # type: ignore[override]
        """Each claim with what it is about, and its verdict."""
        return tuple((f"{claim}: {about}", verdict) for claim, about, verdict in self.claims)

    @property
    def name(self) -> str:
        """`proved`, `refuted` where some claim is, else `unknown`."""
        if self.proved:
            return "proved"
        return "refuted" if any(isinstance(verdict, Refuted) for _, verdict in self.verdicts) else "unknown"


def audit(code: MachineCode, file: SpecFile, seconds: float = 60) -> Audit:
    """Decides every claim on a kernel and its launch within so many seconds.

    Raises `LaunchError` where the launch is none of the kernel's, or asks for claims that there are not.
    """
    asked = asked_for(file.launch.claims if file.launch else ())
    case = LaunchedKernel.of(code, file)
    each = seconds / 2 if code.kernel.preloaded else seconds
    with budget.within(each * (1 - RUNS_SHARE)):
        decided, kernel = _decided(case, asked)
        spare = budget.left()
    waits = kernel is not None and kernel.ask.waiting() is not None
    ignored = frozenset({"race"} if waits else ())  # what waves wait for may order them
    runs = Runs(code, case.launched, file, each * RUNS_SHARE, ignored)
    refutation = Refutation(runs, case.launch, max(runs.seconds, spare))
    claims = tuple(refutation.findings(decided))
    shown = dict(refutation.shown)
    if code.kernel.preloaded:
        other = audit(code.without_preload, file, each)
        claims += tuple(one._replace(about=_unloaded(one.about)) for one in other.claims)
        shown |= {(claim, _unloaded(about)): run for (claim, about), run in other.shown.items()}
    return Audit(
        code.kernel.name, code.kernel.target, claims, tuple(_assumptions(case, decided)), shown,
        kernel.costs if kernel else (), tuple(_unclaimed(case, asked, claims, refutation.tried)), tuple(runs.ended),
    )  # fmt: skip


def _decided(case: LaunchedKernel, asked: Sequence[str]) -> tuple[list[Finding], Followed | None]:
    """Every claim, decided of the kernel; where following it fails or the time is up, that what is left is not."""
    findings: list[Finding] = []
    kernel = None
    try:
        findings.extend(launchable.decided(case))
        kernel = case.follow()
        kernel.complete()
        for claim in (*EACH, *(one for one in ON_REQUEST if one.NAME in asked)):
            findings.extend(claim.decided(kernel))
        findings.extend(computes.decided(kernel))
    except budget.OutOfTimeError:
        findings.append(found(followed.NAME, "what is left", Open(LATE)))
    except (DeviceError, InexpressibleError, RecursionError) as error:
        if kernel is not None and kernel.stopped is not error:
            raise
        findings.append(found(followed.NAME, "", Open.by(error), "reading"))
    unproved = next((one for one in findings if not one.verdict and one.claim not in (*ASKED, computes.NAME)), None)
    rests = Open(f"it rests on {unproved.claim}: {unproved.about}, which is not proved") if unproved else None
    findings = [_resting(one, rests) if one.claim in OUTCOMES else one for one in findings]
    known = {(one.claim, one.about) for one in findings}
    outcomes = ((name, about) for name, about in _outcomes(case, asked) if (name, about) not in known)
    left = Open(findings[-1].verdict.reason or "it was not looked at")  # following it failed, or the time is up
    return [*findings, *(found(name, about, left) for name, about in outcomes)], kernel


def _resting(one: Finding, rests: Open | None) -> Finding:
    """What comes out is as it is said where all else is as it should be."""
    return found(one.claim, one.about, rests, one.verdict.strategy) if rests and one.verdict else one


def _outcomes(case: LaunchedKernel, asked: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is claimed of what comes out: each claim's name, with what it is about."""
    yield from ((stores_all.NAME, tensor) for tensor in case.launch.writes if stores_all.NAME in asked)
    yield from ((computes.NAME, one.text) for one in case.launch.computes)


def _unloaded(about: str) -> str:
    return f"{about} ({WITHOUT_PRELOAD})".strip()


def _assumptions(case: LaunchedKernel, decided: Sequence[Finding]) -> Iterator[str]:
    """What the verdicts assume: those on equations and on costs besides what all do."""
    special = (one for one in decided if one.claim in (*ASKED, computes.NAME))
    yield from dict.fromkeys(text for one in special for text in one.verdict.assumptions)
    yield from case.launched.assumptions
    yield from STANDING
    doubt = case.code.kernel.machine.evidence.doubt
    yield from [f"{case.code.kernel.target}: {doubt}"] if doubt else []


def _unclaimed(
    case: LaunchedKernel, asked: Sequence[str], claims: Sequence[Finding], tried: Mapping[str, int]
) -> Iterator[str]:
    """What of what comes out no claim is about; `tried`: how many runs gave what a tensor is to hold."""
    claimed = {one.tensor for one in case.launch.computes}
    refuted = {one.about for one in claims if one.claim == computes.NAME and isinstance(one.verdict, Refuted)}
    claimed |= {one.tensor for one in case.launch.tried if one.text in refuted}
    for tensor in (one for one in case.launch.writes if one not in claimed):
        runs = tried.get(tensor, 0)
        yield f"what {tensor} holds{f' ({runs} runs at small sizes gave it)' if runs else ''}"
        if stores_all.NAME not in asked:
            yield f"that all of {tensor} is stored to"
    if unprinted := len(case.code.kernel.unprinted):
        yield f"what it prints (left out of the code: {unprinted} call{'s' * (unprinted > 1)} of printf)"
