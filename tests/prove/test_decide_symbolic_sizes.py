"""Random small layouts of symbolic sizes, with limits, multiples and givens: each verdict beside plain enumeration.

The oracle evaluates the layout's own expressions in exact integers at every admissible choice of sizes (in their
limits, the givens hold, every length at least 1) and every index; it knows nothing of the prover.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

import pytest

from layoutalg.index import TRUE, Expr, all_of, eq, symbol, variables
from layoutalg.index.c import intermediates
from layoutalg.index.evaluate import limits, value
from layoutalg.layout import (
    Freeze,
    LayoutError,
    Merge,
    PassThrough,
    RightPad,
    Slice,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
from layoutalg.prove import Claim, FitsIndexType, InBounds, Injective, Proved, Refuted, Surjective, Unknown, prove
from layoutalg.prove.claims.given import under
from tests.fuzzing import FIRST, KNOWN, count

Point = Mapping[Expr, int]
BITS = 6


def drawn_symbol(random: Random, name: str) -> Expr:
    low = random.choice([0, 0, 1, 1, 2, -2])
    if random.random() < 0.2:
        return symbol(name, min=1, max=random.choice([4, 8]), power_of_two=True)
    multiple = random.choice([1, 1, 1, 2, 3])
    return symbol(name, min=low, max=random.randint(max(low, 0) + 3, 8), multiple_of=multiple)


def drawn_layout(random: Random, sizes: list[Expr]) -> TensorDescriptor:
    m = random.choice(sizes)
    length = [m, m, m + 1, m - 1, m * 2, random.choice(sizes), 1, 2, 3, 4]
    rank = random.randint(1, 3)
    lengths = [random.choice(length) for _ in range(rank)]
    strides = [random.choice([1, 1, 2, 3, 4, m, m + 1, random.choice(sizes)]) for _ in range(rank)]
    kind = random.random()
    if kind < 0.4:
        d = make_naive_tensor_descriptor(lengths, strides)
    elif kind < 0.7:
        d = make_naive_tensor_descriptor_packed(lengths)
    else:
        signs = [random.choice([1, -1]) for _ in range(rank)]
        at = random.choice([0, 1, m, m - 1, m * 2])
        d = make_naive_tensor_descriptor_with_offset(lengths, [s * k for s, k in zip(strides, signs, strict=True)], at)
    for _ in range(random.randint(0, 2)):
        d = drawn_step(random, d, m)
    return d


def drawn_step(random: Random, d: TensorDescriptor, m: Expr) -> TensorDescriptor:
    n, rank = random.randrange(d.rank), d.rank
    length, rest = d.lengths[n], [k for k in range(rank) if k != n]
    kind = random.choice(["slice", "pad", "freeze", "merge"])
    if kind == "merge" and rank > 1:
        merged = [Merge(d.lengths)]
        return transform_tensor_descriptor(d, merged, [list(range(rank))], [[0]])
    if kind == "freeze" and rank > 1:
        index = random.choice([0, 1, length - 1])
        through = [PassThrough(d.lengths[k]) for k in rest]
        upper = [[], *([k] for k in range(rank - 1))]
        return transform_tensor_descriptor(d, [Freeze(index), *through], [[n], *([k] for k in rest)], upper)
    begin, end = random.choice([(0, length - 1), (1, length), (2, length), (1, m), (0, m)])
    one = Slice(length, begin, end) if kind == "slice" else RightPad(length, random.choice([1, 2, m]))
    every = [one if k == n else PassThrough(d.lengths[k]) for k in range(rank)]
    each = [[k] for k in range(rank)]
    return transform_tensor_descriptor(d, every, each, each)


def drawn_given(random: Random, sizes: list[Expr]) -> Expr:
    a, b, n = random.choice(sizes), random.choice(sizes), random.randint(0, 6)
    each = [TRUE, TRUE, a <= b, a < b + n, a >= n, eq(a % 2, 0), eq(a, b * 2), a * b <= 20, eq(a * a, b + n)]
    return all_of(random.choice(each), random.choice(each))


class Oracle:
    """A layout at every admissible choice of its sizes."""

    def __init__(self, d: TensorDescriptor, given: Expr) -> None:
        self.d, self.given = d, given
        a = d.adaptor
        self.lengths = {**a.hidden_lengths, a.bottom_ids[0]: d.element_space_size}
        self.hidden, self.valid = d.hidden_index(d.index), d.valid(d.index)
        every = variables(*self.lengths.values(), *self.hidden.values(), given)
        self.sizes = [v for v in every if not v.value.index]

    def choices(self) -> Iterator[Point]:
        values = [[n for n in range(int(v.lo), int(v.hi) + 1) if self.in_limits(v, n)] for v in self.sizes]
        for chosen in product(*values):
            at = dict(zip(self.sizes, chosen, strict=True))
            if self.admissible(at):
                yield at

    @staticmethod
    def in_limits(v: Expr, n: int) -> bool:
        s = v.value
        return s.lo <= n <= s.hi and n % s.multiple_of == 0 and (not s.power_of_two or (n > 0 and n & (n - 1) == 0))

    def admissible(self, at: Point) -> bool:
        limits = all(self.in_limits(v, at[v]) for v in self.sizes)
        lengths = (value(n, at) for n in self.d.adaptor.hidden_lengths.values())
        padding = (value(n, at) for t in self.d.adaptor.transforms if isinstance(t, RightPad) for n in t.amounts)
        there = all(n >= 1 for n in lengths) and all(n >= 0 for n in padding)
        return limits and bool(value(self.given, at)) and there

    def indices(self, at: Point) -> Iterator[Point]:
        for index in product(*(range(value(n, at)) for n in self.d.lengths)):
            yield {**at, **dict(zip(self.d.index, index, strict=True))}

    def holds(self, claim: type[Claim], at: Point) -> bool:
        every = list(self.indices(at))
        valid = [p for p in every if value(self.valid, p)]
        bottom = self.d.adaptor.bottom_ids[0]
        if claim is InBounds:
            known = {i: value(n, at) for i, n in self.lengths.items()}
            return all(0 <= value(self.hidden[i], p) < n for p in valid for i, n in known.items())
        offsets = [value(self.hidden[bottom], p) for p in valid]
        if claim is Injective:
            return len(set(offsets)) == len(offsets)
        if claim is Surjective:
            return set(offsets) >= set(range(value(self.d.element_space_size, at)))
        nodes = intermediates([*self.hidden.values(), *self.lengths.values()])
        return all(-(1 << BITS - 1) <= value(node, p) < 1 << BITS - 1 for node in nodes for p in every)


CLAIMS = {InBounds: InBounds, Injective: Injective, Surjective: Surjective,
          FitsIndexType: lambda d: FitsIndexType(d, BITS)}  # fmt: skip


def compare(seed: int) -> dict[str, int]:
    """The verdicts on one layout, each beside the oracle; how many there were of each kind."""
    random, counts = Random(seed), dict[str, int]()
    sizes = [drawn_symbol(random, name) for name in "MN"]
    try:
        d, given = drawn_layout(random, sizes), drawn_given(random, sizes)
        oracle = Oracle(d, given)
    except (LayoutError, ValueError):
        return {"not built": 1}
    choices = list(oracle.choices())
    for kind, make in CLAIMS.items():
        try:
            verdict = prove(under(given, make(d)))
        except LayoutError:  # no codomain
            counts["refused"] = counts.get("refused", 0) + 1
            continue
        told = f"seed {seed}: {kind.__name__} of {d!r} given {given} for {[limits(v) for v in sizes]}: {verdict}"
        wrong = [at for at in choices if not oracle.holds(kind, at)]
        if isinstance(verdict, Proved):
            assert choices, f"proved of nothing: {told}"
            assert not wrong, f"wrong at {wrong[0]}: {told}"
        elif isinstance(verdict, Refuted):
            names = {v.value.name: v for v in oracle.sizes}
            for point in verdict.witness.points:
                at = {v: point.get(name) for name, v in names.items()}
                known = [p for p in choices if all(n is None or p[v] == n for v, n in at.items())]
                assert known, f"the witness is not admissible: {told}"
                assert any(not oracle.holds(kind, p) for p in known), f"it holds at the witness: {told}"
        else:
            assert isinstance(verdict, Unknown)
        name = verdict.name if choices or verdict.name != "unknown" else "vacuous"
        counts[name] = counts.get(name, 0) + 1
    return counts


@pytest.mark.fuzz
@pytest.mark.slow
def test_verdicts_for_all_sizes_are_what_enumeration_finds() -> None:
    total: dict[str, int] = {}
    for seed in range(FIRST, FIRST + count(80, dear=5)):
        for name, n in compare(seed).items():
            total[name] = total.get(name, 0) + n
    if KNOWN:
        assert min(total[name] for name in ("proved", "refuted", "vacuous")) > 0.1 * sum(total.values()), total
        assert total.get("unknown", 0) < 0.05 * (total["proved"] + total["refuted"]), total
