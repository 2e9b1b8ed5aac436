"""What reading, computing and pricing Triton's layouts costs, beside Triton's own (its wheel, where it is installed).

    pip install '.[triton]' && python3 -m benchmarks.interop.triton_layouts

Layouts are those of `tests/interop/triton`; processor time, the median over them, in microseconds.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from layoutalg.interop.triton import LinearLayout, conflict_free, from_triton, linear_layout, to_triton
from layoutalg.interop.triton.attribute import parse
from tests.interop.triton.cases import Case
from tests.interop.triton.record import Triton

TESTS = Path(__file__).parents[2] / "tests" / "interop" / "triton"
ROUNDS = 5


def _recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (TESTS / f"{name}.jsonl").read_text().splitlines()]


def median(ask: Callable[[Any], object], given: Sequence[Any]) -> str:
    """The median of the least times of each, in microseconds."""
    least = []
    for one in given:
        times = []
        for _ in range(ROUNDS):
            start = time.process_time_ns()
            ask(one)
            times.append(time.process_time_ns() - start)
        least.append(min(times) / 1000)
    return f"{statistics.median(least):.3g}"


def _case(one: dict[str, Any]) -> Case:
    return Case(one["kind"], one["text"], tuple(one["shape"]), one.get("lanes", 64), one.get("warps", 4))


def table() -> list[tuple[str, str, str]]:
    """Each operation with our time and Triton's ("–": not installed, or it has none)."""
    answers = [one for one in _recorded("answers") if one["bases"] is not None][::15]
    linear = [one for one in answers if "padded" not in one["kind"]]
    conflicts = _recorded("conflicts")[::8]
    ours = [linear_layout(one["text"], one["shape"]) for one in linear]
    square = [one for one in ours if one.is_injective and one.is_surjective]
    pairs = list(pairwise(ours))
    here = [
        ("read a text", median(lambda one: parse(one["text"]), answers)),
        ("a layout's bases", median(lambda one: linear_layout(parse(one["text"]), one["shape"]), linear)),
        ("a text to a distribution or descriptor", median(lambda one: from_triton(one["text"], one["shape"]), answers)),
        ("a distribution or descriptor to a text",
         median(to_triton, [from_triton(one["text"], one["shape"]) for one in answers])),
        ("product of two layouts", median(lambda two: two[0] * two[1], pairs)),
        ("inverse", median(LinearLayout.inverse, square)),
        ("bank conflicts of a pair (sm_90), with a verdict", median(
            lambda one: conflict_free(one["shared"], one["registers"], "sm_90", shape=one["shape"], dtype="f16"),
            conflicts,
        )),
        ("the same on gfx942 (Triton's own aborts)", median(
            lambda one: conflict_free(one["shared"], one["registers"], "gfx942", shape=one["shape"], dtype="f16"),
            _recorded("widths"),
        )),
    ]  # fmt: skip
    theirs = ["–"] * len(here) if find_spec("triton") is None else _theirs(linear, ours, square, conflicts)
    return [(what, time, other) for (what, time), other in zip(here, theirs, strict=True)]


def _theirs(
    linear: list[dict[str, Any]],
    ours: list[LinearLayout],
    square: list[LinearLayout],
    conflicts: list[dict[str, Any]],
) -> list[str]:
    triton = Triton()
    make = triton.lib.linear_layout.LinearLayout.from_bases
    b = triton.builder

    def own(layout: LinearLayout) -> Any:
        bases = [(name, [list(basis) for basis in vectors]) for name, vectors in layout.bases]
        return make(bases, list(layout.shape), list(layout.shape.values()), False)

    objects = [(triton.object(_case(one)), one["shape"]) for one in linear if one["kind"] in ("blocked", "slice")]
    there = [own(layout) for layout in ours]
    triton.begin("cuda:90", 32)
    priced = [
        (*(triton.object(Case(kind, one[name], tuple(one["shape"]), 32))._to_ir(b)
           for name, kind in (("registers", "registers"), ("shared", "swizzled_shared"))), one["shape"])
        for one in conflicts
    ]  # fmt: skip
    return [
        median(lambda one: triton.object(_case(one)), linear[:60]),
        median(lambda one: b.to_linear_layout(one[0]._to_ir(b), one[1]), objects),
        "–",
        "–",
        median(lambda two: two[0] * two[1], list(pairwise(there))),
        median(lambda one: one.invert(), [own(layout) for layout in square]),
        median(lambda one: b.get_shared_bank_conflicts(one[0], one[1], one[2], 16), priced),
        "–",
    ]


if __name__ == "__main__":
    print("| operation | here, µs | Triton, µs |")
    print("|---|---|---|")
    for row in table():
        print(f"| {' | '.join(row)} |")
