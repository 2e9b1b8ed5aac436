"""A kernel held against its contract and its reference: every claim of an audit, as a table of what people ask.

| row | asks | the illusion that it ends |
|---|---|---|
| launchable | does the GPU start it | more LDS or threads than there are |
| bounds | does each access lie in its tensor, or in LDS | reads beyond; LDS that the launch does not give |
| races | may two threads meet | a barrier that is missing |
| undefined | is all that is used written before | LDS that nobody wrote |
| inputs kept | is only the result written | a kernel that changes what it is given |
| ends | do loops end and barriers meet | |
| coverage | is every element written | a result that was right before; the first tile alone; one shape |
| result | is it what the reference says | a constant; a result of one shape |
| rounding | where it is proved: is it in f32 or wider, and do runs with awkward values come near it | sums in f16 |
| order | is it the same in each run | floats that are added atomically; places by tickets; the time |

What it does not prove is how a result is rounded (sums are proved over the reals), and it does not judge what a host
does: streams, results that are kept from an earlier call, work left to a library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from layoutalg.audit import audit as audits
from layoutalg.audit.claims import computes
from layoutalg.audit.meaning.sums.compared import NARROW
from layoutalg.audit.trial import difference
from layoutalg.errors import shortened
from layoutalg.formats.model import SpecFile
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction
from layoutalg.isa.semantics.accesses import gives_result
from layoutalg.judge.contract import LaunchContract
from layoutalg.judge.trial import Compare, Trial, trial
from layoutalg.prove import Refuted, Verdict
from layoutalg.records import dataclass

ROWS: Mapping[str, tuple[str, ...]] = {
    "launchable": ("launchable",),
    "bounds": ("in_bounds", "lds_in_bounds", "aligned", "no_overflow"),
    "races": ("race_free",),
    "undefined": ("defined", "initialised"),
    "inputs kept": ("read_only",),
    "ends": ("followed", "ends"),
    "coverage": ("stores_all",),
    "runs": ("runs", "tried"),
}
"""The claims of each row but the last two."""

RESULT, ROUNDING, ORDER = "result", "rounding", "order"

UNJUDGED = ("how far results are rounded", "host code: streams, results kept from earlier calls")

#: The part of the time that is for runs beside the reference.
TRIAL_SHARE = 1 / 4

_UNORDERED = re.compile(r"(?:atomic|^ds)_(?:pk_)?add_(?:rtn_)?b?f\d|cmpst|cmpswap|cmpstore", re.IGNORECASE)
"""Atomic sums of floats; compare and swap, of which such sums are made where there is none."""

_OF_THE_RUN = re.compile(r"S_(?:MEM|MEMREAL)TIME|S_GETREG\w*|S_SENDMSG_RTN\w*|S_GET_SHADER_CYCLES\w*")
"""What tells the time, or where a wave runs."""


@dataclass(frozen=True)
class JudgedRow:
    """What is asked, the verdict, and why it is no other; `about`: how much it rests on."""

    name: str
    verdict: str
    about: str = ""
    why: str = ""

    @property
    def data(self) -> dict[str, str]:
        """As JSON has it."""
        return {"row": self.name, "verdict": self.verdict, "about": self.about, "why": self.why}


@dataclass(frozen=True)
class Judged:
    """The table, with the audit that it is of and the runs beside the reference."""

    audit: audits.Audit
    rows: tuple[JudgedRow, ...]
    trial: Trial | None

    @property
    def verdict(self) -> str:
        """`refuted` where a row is, `proved` where all that there is something to show of are, else `unknown`."""
        found = {row.verdict for row in self.rows}
        if "refuted" in found or self.audit.name == "refuted":
            return "refuted"
        open_ = [row for row in self.rows if row.verdict not in ("proved", "nothing to show")]
        near = all((row.name, row.verdict) == (ROUNDING, "tried") for row in open_)
        return "proved" if self.audit.proved and near else "unknown"


def judge(code: MachineCode, contract: LaunchContract, compare: Compare | None, seconds: float = 60) -> Judged:
    """Holds a kernel against its contract; `compare`: what a run is held against, where no equation says it.

    What is proved of an equation holds for all sizes; where it is not proved, and of `compare`, runs try it.
    """
    share = seconds * TRIAL_SHARE
    found = audits.audit(code, contract.file, seconds - share)
    results = {about: verdict for claim, about, verdict in found.claims if claim == computes.NAME}
    tried, ends = None, [_result(results)]
    if ends[0].verdict != "refuted":
        tried = trial(code, contract.file, compare or partial(_equations, contract.file), share)
        ends = [*ends, _rounding(tried, results)] if ends[0].verdict == "proved" else [_tried(tried, ends[0].why)]
    rows = [row for row in (_row(name, claims, found) for name, claims in ROWS.items()) if row is not None]
    return Judged(found, (*rows, *ends, order(code)), tried)


def _row(name: str, claims: Sequence[str], found: audits.Audit) -> JudgedRow | None:
    """A row of claims; None of those that there are none of (`runs`, which are only told where they do wrong)."""
    own = [(about, verdict) for claim, about, verdict in found.claims if claim in claims]
    asked = [claim for claim in claims if claim in found.unasked]
    if not own and not asked:
        empty = [found.vacuous[claim] for claim in claims if claim in found.vacuous]
        return JudgedRow(name, "nothing to show", ", ".join(empty)) if empty else None
    failed = sorted((one for one in own if not one[1]), key=lambda one: not isinstance(one[1], Refuted))
    if failed:
        about, verdict = failed[0]
        return JudgedRow(
            name, verdict.name, f"{len(failed)} of {len(own)} claims", f"{about}: {shortened(verdict.reason)}"
        )
    if asked:
        return JudgedRow(name, "unknown", "", f"not asked: {', '.join(asked)}, as the code is not followed")
    return JudgedRow(name, "proved", f"{len(own)} claim{'s' * (len(own) > 1)}")


def _result(results: Mapping[str, Verdict]) -> JudgedRow:
    failed = sorted((one for one in results.items() if not one[1]), key=lambda one: not isinstance(one[1], Refuted))
    if failed:
        about, verdict = failed[0]
        return JudgedRow(RESULT, verdict.name, about, shortened(verdict.reason))
    if not results:
        return JudgedRow(RESULT, "unknown", "", "a function is tried, and nothing is proved of it")
    ways = dict.fromkeys(verdict.strategy for verdict in results.values())
    return JudgedRow(RESULT, "proved", f"for all sizes: {'; '.join(results)} ({', '.join(ways)})")


def _tried(tried: Trial, why: str) -> JudgedRow:
    """The row of a result that is not proved."""
    if tried.difference:
        return JudgedRow(RESULT, "refuted", "", tried.difference)
    if not tried.runs:
        return JudgedRow(RESULT, "unknown", "no run could be made", why)
    return JudgedRow(RESULT, "tried", _runs(tried), f"not proved: {why}")


def _rounding(tried: Trial, results: Mapping[str, Verdict]) -> JudgedRow:
    """The row of a result that is proved: sums over the reals, of which runs show how near they come in f32 and f64."""
    narrow = dict.fromkeys(one for found in results.values() for one in found.assumptions if one.startswith(NARROW))
    if tried.difference:
        why = f"the sums are the same over the reals, and not near: {tried.difference}"
        return JudgedRow(ROUNDING, "unknown", "", why)
    if narrow:
        return JudgedRow(
            ROUNDING, "unknown", "; ".join(narrow), f"{_runs(tried)}, but longer sums may go further astray"
        )
    return JudgedRow(ROUNDING, *(("tried", _runs(tried)) if tried.runs else ("unknown", "no run could be made")))


def _runs(tried: Trial) -> str:
    return f"{tried.runs} runs at {len(tried.sizes)} sizes, with awkward values too, and none differs"


def order(code: MachineCode) -> JudgedRow:
    """Whether what is stored depends on the order in which threads come, or on when and where they do."""
    every = {(one.name.lower(), why) for one in code.instructions for why in _unordered(one)}
    for why in dict.fromkeys(why for _, why in sorted(every)):
        names = sorted(name for name, other in every if other == why)
        return JudgedRow(ORDER, "unknown", "", f"{why} ({', '.join(names)})")
    return JudgedRow(ORDER, "proved", "no atomic sum of floats, nobody looks at who was first, nor at the time")


def _unordered(one: Instruction) -> Iterator[str]:
    """Why a result may be another in another run."""
    if _UNORDERED.search(one.name):
        yield "atomic sums of floats come in any order"
    elif gives_result(one.name, one.fields):
        yield "what an atomic operation finds is by who came first"
    elif _OF_THE_RUN.fullmatch(one.name):
        yield "it is told when or where it runs"


def _equations(file: SpecFile, made: Any, sizes: Any, values: Any, memories: Any) -> str:
    assert file.launch is not None
    told = (difference(one, file, made, sizes, values, memories) for one in file.launch.computes)
    return next((text for text in told if text), "")
