"""Whether a kernel that anybody compiled is safe as it is launched: every claim with its verdict, for all sizes.

The machine code is followed by the symbolic machine, one unknown lane on all ways (`followed`); each claim (`claims`)
is decided of what that has seen, by the one asker (`ask`); what fails is carried out (`refute`).  What following takes
for granted is a claim too: `followed` fails with the instruction and the reason.  A claim is proved where something was
shown of each of its subjects (`claims.claim`); where it has none, or was not asked, that is told.

What a launch says that runs are to try (`tried`) is proved as `computes` where that is seen in the time, refuted where
a run is another, and else not claimed.
Blocks of a few sizes are audited size by size, and a claim is proved where it is at each (`joined`); of many, as one
block of a size that is not known, and size by size where that leaves something open.
A kernel with preloaded arguments is audited from both of its entries, unless they come to one state (`symex.entries`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from layoutalg.audit import joined
from layoutalg.audit.ask import Open, unseen
from layoutalg.audit.ask import shown as proved_by
from layoutalg.audit.claims import at_first, computes, ends, followed, in_time, race_free, stores_all
from layoutalg.audit.claims.claim import Finding, KernelClaim
from layoutalg.audit.claims.table import OUTCOMES, asked_for, claimed, on_request
from layoutalg.audit.costs import Fact
from layoutalg.audit.followed import Followed, LaunchedKernel
from layoutalg.audit.global_memory.flags import PROGRESS
from layoutalg.audit.refute import Refutation
from layoutalg.audit.runs import FaultyRun, Runs
from layoutalg.audit.words import in_words
from layoutalg.formats.model import SpecFile
from layoutalg.index import budget
from layoutalg.isa.decode.code import MachineCode
from layoutalg.launch.block_sizes import EVERY, ManyBlocksError, of_each_block
from layoutalg.launch.symbolic import always_launched, is_of_all_sizes, said_of_sizes
from layoutalg.prove import Refuted, Unknown, Verdict, Verdicts
from layoutalg.records import dataclass
from layoutalg.symex.entries import WITHOUT_PRELOAD
from layoutalg.symex.trace import STANDING
from layoutalg.symex.values.uninterpreted import ASSUMPTION

#: The part of the time that is for runs, and of what is left that following may take.
RUNS_SHARE, FOLLOWING = 1 / 6, 0.9

#: The part of the time in which blocks of all sizes are looked at at once, before those of each.
AT_ONCE = 1 / 3

Decided = Mapping[str, tuple[Finding, ...] | None]
"""Claims by their names, each with what was found of its subjects; None of one that was not asked."""


@dataclass(frozen=True)
class Audit(Verdicts):
    """Every claim on a launch, in order, each with what it is about."""

    kernel: str
    target: str
    claims: tuple[Finding, ...]
    assumptions: tuple[str, ...] = ()
    shown: Mapping[tuple[str, str], FaultyRun] = field(default_factory=dict)  # the runs that refute, by claim and about
    facts: tuple[Fact, ...] = ()
    vacuous: Mapping[str, str] = field(default_factory=dict)  # claims without a subject, and what there is none of
    unasked: tuple[str, ...] = ()  # claims on what was followed, where it was not
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
    try:
        cases = of_each_block(file)
    except ManyBlocksError:
        return _of_many_blocks(code, file, seconds)
    return _of_each_block(code, file, cases, seconds)


def _of_many_blocks(code: MachineCode, file: SpecFile, seconds: float) -> Audit:
    """The audit of a kernel in blocks of many sizes: of all at once, and where that leaves something open, of each."""
    end, whole = budget.spent() + seconds, None
    if file.launch is not None and is_of_all_sizes(file.launch, code.kernel):
        whole = _of_a_block(code, file, seconds * AT_ONCE)
        if whole.name != "unknown":
            return whole
    try:
        each = _of_each_block(code, file, of_each_block(file, EVERY), end - budget.spent(), stops=whole is not None)
    except ManyBlocksError as error:
        left = Finding(followed.NAME, *unseen("", Open.by(error), "blocks"))
        return whole or Audit(code.kernel.name, code.kernel.target, (left,))
    return each if whole is None or each.name != "unknown" else whole


def _of_each_block(
    code: MachineCode, file: SpecFile, cases: Sequence[tuple[str, SpecFile]], seconds: float, stops: bool = False
) -> Audit:
    """The audits of a kernel in blocks of each of these sizes, as one; or the first that is unknown, if it `stops`."""
    if len(cases) == 1:
        return _of_a_block(code, cases[0][1], seconds, tries=True)
    found, end = dict[str, Audit](), budget.spent() + seconds
    for n, (name, case) in enumerate(cases):  # what one leaves of its time is for the others
        found[name] = _of_a_block(code, case, max(0.0, end - budget.spent()) / (len(cases) - n))
        if stops and found[name].name == "unknown":
            return found[name]
    return _joined(file, dict(cases), found)


def _joined(file: SpecFile, cases: Mapping[str, SpecFile], found: Mapping[str, Audit]) -> Audit:
    """The audits of one kernel in blocks of several sizes, as one."""
    subjects = joined.subjects({name: (*one.claims, *joined.unasked(one.unasked)) for name, one in found.items()})
    worst = [(found[name], (one.claim, one.about)) for name, one in map(joined.worst, subjects)]
    audits, asked = [*found.values()], {one.claim for of_one in subjects for _, one in of_one}
    unasked = tuple(dict.fromkeys(name for one in audits for name in one.unasked))
    of_sizes = {text for case in cases.values() for text in said_of_sizes(case, always_launched(case))}
    assumed = (text for one in audits for text in one.assumptions if text not in of_sizes)
    return replace(
        audits[0],
        claims=tuple(one for one in map(joined.finding, subjects) if not (one.verdict and one.claim in unasked)),
        assumptions=(*said_of_sizes(file, always_launched(file)), *dict.fromkeys(assumed)),
        shown={about: one.shown[about] for one, about in worst if about in one.shown},
        facts=tuple(joined.facts({name: one.facts for name, one in found.items()})),
        vacuous={name: why for one in audits for name, why in one.vacuous.items() if name not in asked},
        unasked=unasked,
        unclaimed=tuple(dict.fromkeys(text for one in audits for text in one.unclaimed)),
        ended=tuple(dict.fromkeys(place for one in audits for place in one.ended)),
    )


def _of_a_block(code: MachineCode, file: SpecFile, seconds: float, tries: bool = False) -> Audit:
    """The audit of a kernel whose block is numbers; `tries` to prove what is to be tried, where there is one entry."""
    asked = asked_for(file.launch.claims if file.launch else ())
    case = LaunchedKernel.of(code, file)
    claims = claimed(asked)
    preloaded = bool(code.kernel.preloaded)
    alike = preloaded and case.enters_alike
    each = seconds / 2 if preloaded and not alike else seconds
    told = tuple(Runs(code, case.launched, file).contradictions())
    with budget.within(each * (1 - RUNS_SHARE)):
        with budget.within(budget.left() * FOLLOWING):
            kernel = case.follow()
        decided = _decided(kernel, claims)
        if tries and (alike or not preloaded):
            decided = {**decided, computes.NAME: (*(decided[computes.NAME] or ()), *_of_tried(kernel, decided))}
        spare = budget.left()
    ignored = frozenset({"race"} if kernel.ask.waiting() is not None else ())  # what waves wait for may order them
    runs = Runs(code, case.launched, file, each * RUNS_SHARE, ignored)
    refutation = Refutation(runs, case.launch, max(runs.seconds, spare), kernel.trace)
    asked_of = [one for its in decided.values() for one in its or ()]
    found = tuple(in_words(one, kernel.trace) for one in refutation.findings(asked_of))
    shown = dict(refutation.shown)
    vacuous = {one.NAME: f"no {one.OF}" for one in claims if decided[one.NAME] == ()}
    if alike:
        found += (Finding(followed.NAME, *proved_by(f"as with preloaded arguments {WITHOUT_PRELOAD}", "reading")),)
    elif preloaded:
        other = _of_a_block(code.without_preload, file, each)
        found += tuple(one._replace(about=_unloaded(one.about)) for one in other.claims)
        vacuous = {name: why for name, why in vacuous.items() if name in other.vacuous}
        shown |= {(claim, _unloaded(about)): run for (claim, about), run in other.shown.items()}
    assumptions = (*_assumptions(case, kernel, asked_of), *told)
    unclaimed = _unclaimed(case, asked, found, refutation.tried)
    unasked = tuple(name for name, its in decided.items() if its is None)
    return Audit(
        code.kernel.name, code.kernel.target, found, tuple(assumptions), shown, kernel.costs, vacuous, unasked,
        tuple(unclaimed), tuple(runs.ended),
    )  # fmt: skip


def _decided(kernel: Followed, claims: Sequence[KernelClaim]) -> Decided:
    """Every claim, in order; what rests on that the kernel was followed is not asked where it was not."""
    decided: dict[str, tuple[Finding, ...] | None] = {}
    for claim in claims:
        if claim in OUTCOMES:
            decided[claim.NAME] = tuple(_outcome(claim, kernel, decided))
        elif kernel.stopped is not None and followed.NAME in claim.RESTS_ON:
            decided[claim.NAME] = None
        else:
            decided[claim.NAME] = at_first.findings(claim, kernel)
    return at_first.told({**decided, followed.NAME: in_time.told(kernel, decided)})


def _outcome(claim: KernelClaim, kernel: Followed, before: Decided) -> Iterator[Finding]:
    """What is found of what comes out: proved only where all is that it rests on; open where nothing is followed."""
    if kernel.stopped is not None:
        left = Open(next(str(one.verdict.reason) for one in before[followed.NAME] or () if not one.verdict))
        yield from (Finding(claim.NAME, *unseen(str(one), left)) for one in claim.subjects(kernel))
        return
    unproved = next((one for name in claim.RESTS_ON for one in before[name] or () if not one.verdict), None)
    for one in at_first.findings(claim, kernel):
        if one.verdict and unproved is not None:
            rests = Open(f"it rests on {unproved.claim}: {unproved.about}, which is not proved")
            yield Finding(claim.NAME, *unseen(one.about, rests, one.verdict.strategy))
        else:
            yield one


def _of_tried(kernel: Followed, before: Decided) -> Iterator[Finding]:
    """The equations that are to be tried and are proved, where all is that this rests on."""
    if kernel.stopped is not None or not all(one.verdict for name in computes.RESTS_ON for one in before[name] or ()):
        return
    try:
        for equation in kernel.case.launch.tried:
            budget.check()
            found = Finding(computes.NAME, *computes.decided(kernel, equation))
            if found.verdict:
                yield found
    except budget.OutOfTimeError:
        return


def _unloaded(about: str) -> str:
    return f"{about} ({WITHOUT_PRELOAD})".strip()


def _assumptions(case: LaunchedKernel, kernel: Followed, decided: Sequence[Finding]) -> Iterator[str]:
    """What the verdicts assume: those on equations and on costs, and what following does, besides what all do."""
    special = (one for one in decided if one.claim in (*on_request(), computes.NAME))
    said = dict.fromkeys(text for one in special for text in one.verdict.assumptions)
    of_claims = {race_free.NAME: ASSUMPTION, ends.NAME: PROGRESS}
    used = (text for one in decided if (text := of_claims.get(one.claim)) and text in one.verdict.assumptions)
    yield from said | dict.fromkeys((*used, *kernel.trace.assumptions))
    yield from case.launched.assumptions
    yield from kernel.beginning.told if kernel.stopped is None else ()
    yield from STANDING
    doubt = case.code.kernel.machine.evidence.doubt
    yield from [f"{case.code.kernel.target}: {doubt}"] if doubt else []


def _unclaimed(
    case: LaunchedKernel, asked: Sequence[str], claims: Sequence[Finding], tried: Mapping[str, int]
) -> Iterator[str]:
    """What no claim is about; `tried`: how many runs gave what a tensor is to hold."""
    if case.launch.guessed:
        yield "that it is launched so (guessed = true)"
    said = {one.tensor for one in case.launch.computes}
    known = {one.about for one in claims if one.claim == computes.NAME and not isinstance(one.verdict, Unknown)}
    said |= {one.tensor for one in case.launch.tried if one.text in known}
    for tensor in (one for one in case.launch.writes if one not in said):
        runs = tried.get(tensor, 0)
        yield f"what {tensor} holds{f' ({runs} runs at small sizes gave it)' if runs else ''}"
        if stores_all.NAME not in asked:
            yield f"that all of {tensor} is stored to"
    if unprinted := len(case.code.kernel.unprinted):
        yield f"what it prints (left out of the code: {unprinted} call{'s' * (unprinted > 1)} of printf)"
