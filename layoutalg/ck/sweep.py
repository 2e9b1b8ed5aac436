"""A sweep: what becomes of every configuration of a space, and the rule behind it.

| outcome    | when                                                                                             |
|------------|--------------------------------------------------------------------------------------------------|
| `no tile`  | a side is no multiple of the warps' (CK: "Warps should cover all Block tile!"); not compiled     |
| `too large` | A and B take more bytes of LDS than the target has; not compiled                                |
| `refused`  | CK says so: it has no warp GEMM, or a `static_assert` stops it, or its loads straight to LDS would |
| `wrong`    | it compiles, and a claim on its layouts is refuted                                               |
| `unknown`  | a claim is neither proved nor refuted, the compiler gave up, or it tells another error           |
| `valid`    | every claim is proved                                                                            |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from layoutalg.ck import instances
from layoutalg.ck.compiled import Answer, answers
from layoutalg.ck.layouts import BYTES, GemmLayouts, LdsCost
from layoutalg.ck.space import Configuration
from layoutalg.ck.validation import Validation
from layoutalg.errors import CompileError, LayoutError
from layoutalg.formats.cpp import CppError
from layoutalg.prove import Refuted
from layoutalg.records import dataclass
from layoutalg.target import target as gpu

OUTCOMES = ("valid", "wrong", "unknown", "refused", "too large", "no tile")


@dataclass(frozen=True)
class Swept:
    """What became of a configuration on a target: an outcome, why, and where it compiles what its LDS accesses cost."""

    configuration: Configuration
    target: str
    outcome: str
    reasons: tuple[str, ...] = ()
    lds_bytes: int | None = None
    costs: tuple[LdsCost, ...] = ()

    @property
    def conflicts(self) -> tuple[LdsCost, ...]:
        """The accesses that cost more than the least that their width can take."""
        return tuple(one for one in self.costs if one.cycles > one.least)

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "configuration": str(self.configuration), "target": self.target, "outcome": self.outcome,
            "reasons": list(self.reasons), "lds_bytes": self.lds_bytes, "costs": [vars(one) for one in self.costs],
        }  # fmt: skip


def sweep(
    configurations: Iterable[Configuration], target: str, include: Sequence[Path], jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[Swept]:  # fmt: skip
    """What becomes of each configuration, by `jobs` compilers or an executor; those that need none come first.

    Raises `CppUnitError` where the headers do not compile, `CompileError` where there is no compiler.
    """
    unit = instances.unit(target, include)
    left: list[Configuration] = []
    for one in configurations:
        found = without_compiler(one, target)
        if found is None:
            left.append(one)
        else:
            yield found
    ask = partial(answers, unit, jobs=jobs, executor=executor)
    warps = dict(ask([instances.warp(one) for one in left]))
    built: list[Configuration] = []
    for one in left:
        answer = warps[instances.warp(one)]
        if stopped := _stopped(one, target, [answer]):
            yield stopped
        elif not answer:
            yield Swept(one, target, "refused", (f"CK has no warp GEMM of {_sides(one.tile.warp)} for {one.dtype}",))
        else:
            built.append(one)
    yield from _compiled(built, target, ask)


Ask = Callable[[Sequence[str]], Iterator[tuple[str, Answer]]]
"""Who answers questions, each as soon as it is answered."""


def _compiled(built: Sequence[Configuration], target: str, ask: Ask) -> Iterator[Swept]:
    """Those for which the compiler builds layouts: each as soon as all that it asks is answered."""
    asked = {one: (instances.pipeline(one), *_of_epilogue(one)) for one in built}
    waiting: dict[str, list[Configuration]] = {}
    for one, texts in asked.items():
        for text in texts:
            waiting.setdefault(text, []).append(one)
    known: dict[str, Answer] = {}
    for text, answer in ask(list(waiting)):
        known[text] = answer
        for one in waiting[text]:
            if all(each in known for each in asked[one]):
                yield _judged(one, target, [known[each] for each in asked[one]])


def _of_epilogue(one: Configuration) -> tuple[str, ...]:
    return (instances.epilogue(one),) if one.epilogue == "cshuffle" else ()


def without_compiler(one: Configuration, target: str) -> Swept | None:
    """What arithmetic says of a configuration: no tile, too large for the LDS, or nothing that is known."""
    for side, block, warps, warp in zip("MNK", one.tile.block, one.tile.warps, one.tile.warp, strict=True):
        if block % (warps * warp):
            return Swept(one, target, "no tile", (f"{side}: {block} is no multiple of {warps} × {warp}",))
    m, n, k = one.tile.block
    size = (m + n) * k * BYTES[one.dtype] * (2 if one.twice else 1)
    most = gpu(target).lds_bytes
    if size > most:
        return Swept(one, target, "too large", (f"A and B take {size} bytes of LDS; {target} has {most}",), size)
    return None


def _stopped(one: Configuration, target: str, found: Sequence[Answer]) -> Swept | None:
    """A configuration that CK refuses in its own words, or of which the compiler tells something else than layouts."""
    told = [answer for answer in found if isinstance(answer, CppError)]
    refused = [_short(each.reason) for each in told if each.refused]
    failed = [str(answer) for answer in found if isinstance(answer, CompileError)]
    failed += [f"error: {_short(each.reason)}" for each in told if not each.refused]
    if refused or failed:
        return Swept(one, target, "refused" if refused else "unknown", tuple(dict.fromkeys(refused or failed)))
    return None


def _judged(one: Configuration, target: str, found: Sequence[Answer]) -> Swept:
    """What the compiler built, and every claim on it."""
    if stopped := _stopped(one, target, found):
        return stopped
    try:
        instance = GemmLayouts.read(one, *found, *([None] if len(found) == 1 else []))
        if lacking := instance.lacking(target):
            return Swept(one, target, "refused", (lacking,), instance.lds_bytes)
        failed = [claim for claim in instance.claims(target) if not claim.verdict]
        costs = tuple(instance.costs(target))
    except LayoutError as error:
        return Swept(one, target, "unknown", (str(error),))
    reasons = tuple(f"{claim.claim}, {claim.about}: {claim.verdict.reason}" for claim in failed)
    wrong = any(isinstance(claim.verdict, Refuted) for claim in failed)
    outcome = "wrong" if wrong else "unknown" if failed else "valid"
    return Swept(one, target, outcome, reasons, instance.lds_bytes, costs)


_PARAMETERS = re.compile(r"\s*\((?:[^()]|\([^()]*\))*\)$")


def _short(reason: str) -> str:
    """A compiler's reason without the types that it lists."""
    return _PARAMETERS.sub("", reason.split(": in instantiation of")[0])


def _sides(sides: Sequence[int]) -> str:
    return " × ".join(map(str, sides))


@dataclass(frozen=True)
class SweepRule:
    """Configurations with one outcome for one reason: how many, and the first of them."""

    outcome: str
    reason: str
    count: int
    first: Configuration


def rules(found: Iterable[Swept]) -> list[SweepRule]:
    """Why configurations are what they are, those first that are most common; numbers in reasons are left out."""
    return _grouped((one, reason) for one in found for reason in dict.fromkeys(one.reasons) or [""])


def differences(found: Iterable[Swept], validation: Validation) -> list[SweepRule]:
    """Where Tile Engine's own check differs: it leaves out what is valid, or admits what is not."""
    return _grouped(_differing(found, validation))


def _differing(found: Iterable[Swept], validation: Validation) -> Iterator[tuple[Swept, str]]:
    for one in found:
        rule = validation.refusal(one.configuration, one.target)
        if one.outcome == "valid" and rule:
            yield one, f"left out by {rule}, for {one.target}"
        elif one.outcome not in ("valid", "unknown") and not rule:
            yield one, f"admitted for {one.target}: {'; '.join(one.reasons)}"


def _grouped(found: Iterable[tuple[Swept, str]]) -> list[SweepRule]:
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Configuration] = {}
    for one, reason in found:
        key = one.outcome, re.sub(r"(?<![\w])\d+", "…", reason)
        counts[key] += 1
        first[key] = min(first.get(key, one.configuration), one.configuration)
    order = {name: n for n, name in enumerate(OUTCOMES)}
    keys = sorted(counts, key=lambda key: (order[key[0]], -counts[key], key[1]))
    return [SweepRule(*key, counts[key], first[key]) for key in keys]
