"""A sweep: what becomes of every configuration of a space, and the rule behind it.

| outcome    | when                                                                                             |
|------------|--------------------------------------------------------------------------------------------------|
| `no tile`  | a side is no multiple of the warps' (CK: "Warps should cover all Block tile!"); not compiled     |
| `too large` | A and B take more bytes of LDS than the target has; not compiled                                |
| `refused`  | CK does not compile: no warp GEMM, a `static_assert`                                              |
| `wrong`    | it compiles, and a claim on its layouts is refuted                                               |
| `unknown`  | a claim is neither proved nor refuted, or the compiler gave up                                   |
| `valid`    | every claim is proved                                                                            |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from layoutalg.ck import instances
from layoutalg.ck.compiled import Answer, answers
from layoutalg.ck.layouts import BYTES, Instance, LdsCost
from layoutalg.ck.space import Configuration
from layoutalg.errors import CompileError, LayoutError
from layoutalg.formats.cpp import CppError
from layoutalg.prove import Refuted
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
    configurations: Iterable[Configuration], target: str, include: Sequence[Path], jobs: int = 1
) -> Iterator[Swept]:
    """What becomes of each configuration; those that need no compiler come first.

    Raises `CppUnitError` where the headers do not compile, `CompileError` where there is no compiler.
    """
    unit = instances.unit(target, include)
    left: list[Configuration] = []
    for one in configurations:
        found = _without_compiler(one, target)
        if found is None:
            left.append(one)
        else:
            yield found
    warps = dict(answers(unit, [instances.warp(one) for one in left], jobs))
    built: list[Configuration] = []
    for one in left:
        answer = warps[instances.warp(one)]
        if isinstance(answer, CompileError):
            yield Swept(one, target, "unknown", (str(answer),))
        elif isinstance(answer, CppError):
            yield Swept(one, target, "refused", (f"CK has no warp GEMM of {_sides(one.tile.warp)} for {one.dtype}",))
        else:
            built.append(one)
    yield from _compiled(built, target, unit, jobs)


def _compiled(built: Sequence[Configuration], target: str, unit: Any, jobs: int) -> Iterator[Swept]:
    """Those for which the compiler builds layouts: each as soon as all that it asks is answered."""
    asked = {one: (instances.pipeline(one), *_of_epilogue(one)) for one in built}
    waiting: dict[str, list[Configuration]] = {}
    for one, texts in asked.items():
        for text in texts:
            waiting.setdefault(text, []).append(one)
    known: dict[str, Answer] = {}
    for text, answer in answers(unit, list(waiting), jobs):
        known[text] = answer
        for one in waiting[text]:
            if all(each in known for each in asked[one]):
                yield _judged(one, target, [known[each] for each in asked[one]])


def _of_epilogue(one: Configuration) -> tuple[str, ...]:
    return (instances.epilogue(one),) if one.epilogue == "cshuffle" else ()


def _without_compiler(one: Configuration, target: str) -> Swept | None:
    """What arithmetic says of a configuration: that it is no tile, or too large for the LDS."""
    for side, block, warps, warp in zip("MNK", one.tile.block, one.tile.warps, one.tile.warp, strict=True):
        if block % (warps * warp):
            return Swept(one, target, "no tile", (f"{side}: {block} is no multiple of {warps} × {warp}",))
    m, n, k = one.tile.block
    size = (m + n) * k * BYTES[one.dtype] * (2 if one.pipeline == "compv4" else 1)
    most = gpu(target).lds_bytes
    if size > most:
        return Swept(one, target, "too large", (f"A and B take {size} bytes of LDS; {target} has {most}",), size)
    return None


def _judged(one: Configuration, target: str, found: Sequence[Answer]) -> Swept:
    """What the compiler built, and every claim on it."""
    given_up = [str(answer) for answer in found if isinstance(answer, CompileError)]
    refused = [_short(answer.reason) for answer in found if isinstance(answer, CppError)]
    if given_up or refused:
        outcome, told = ("unknown", given_up) if given_up else ("refused", refused)
        return Swept(one, target, outcome, tuple(dict.fromkeys(told)))
    try:
        instance = Instance.read(one, *found, *([None] if len(found) == 1 else []))
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
class Rule:
    """Configurations with one outcome for one reason: how many, and the first of them."""

    outcome: str
    reason: str
    count: int
    first: Configuration


def rules(found: Iterable[Swept]) -> list[Rule]:
    """Why configurations are what they are, those first that are most common; numbers in reasons are left out."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Configuration] = {}
    for one in found:
        for reason in dict.fromkeys(re.sub(r"\d+", "…", each) for each in one.reasons) or [""]:
            key = one.outcome, reason
            counts[key] += 1
            first[key] = min(first.get(key, one.configuration), one.configuration)
    order = {name: n for n, name in enumerate(OUTCOMES)}
    keys = sorted(counts, key=lambda key: (order[key[0]], -counts[key], key[1]))
    return [Rule(*key, counts[key], first[key]) for key in keys]
