"""Truth values that arithmetic takes as 0 and 1, and numbers beside truth values: z3 says what Python does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
import z3

from layoutalg.index import Expr, all_of, any_of, div, eq, lookup, mod, negation, postorder, select, symbol, value, var
from layoutalg.index.ranges import BOOLEAN
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import ForAll, Injective, prove
from layoutalg.prove.encodings import BitVectors, Encoding, Integers
from tests.fuzzing import FIRST, KNOWN, count

VARIABLES = (var("i", 5), var("j", 3), symbol("M", min=0, max=4))
POINTS = [dict(zip(VARIABLES, point, strict=True)) for point in product(range(5), range(3), range(5))]


def drawn(random: Random, depth: int, divisions: bool) -> Expr:
    """Any operation over any operands, truth values and numbers alike."""
    if not depth or random.random() < 0.1:
        return random.choice([*VARIABLES, VARIABLES[0] * 0 + random.randrange(-3, 6)])
    a, b, c = (drawn(random, depth - 1, divisions) for _ in range(3))
    made = [
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a < b, lambda: a <= b, lambda: eq(a, b),
        lambda: all_of(a < b, b < c), lambda: any_of(a < b, eq(a, c)), lambda: negation(a < c),
        lambda: select(a < b, b, c), lambda: select(a < b, b < c, c), lambda: lookup((3, 1, 4, 1, 5), VARIABLES[0]),
        lambda: eq(a < b, c), lambda: eq(a < b, b < c), lambda: (a < b) + (b < c) * 2,
    ]  # fmt: skip
    if divisions:
        made += [
            lambda: div(a, 3),
            lambda: mod(a, 4),
            lambda: div(a < b, 1),
            lambda: mod(VARIABLES[2] + (a < b), (a < c) + 1),
        ]
    return random.choice(made)()


def reading(e: Expr, encoding: Encoding, at: dict[Expr, int]) -> int:
    leaves = {v: encoding.number(n) for v, n in at.items()}
    found = z3.simplify(encoding.as_number(encoding.read([e], leaves)[0]))
    return int(found.as_signed_long() if z3.is_bv(found) else found.as_long())


@pytest.mark.fuzz
@pytest.mark.parametrize(("encoding", "divisions"), [(Integers, False), (BitVectors, True)])
def test_formulas_have_the_values_of_the_expressions(encoding: type[Encoding], divisions: bool) -> None:
    random = Random(f"{encoding.__name__} {FIRST}")
    mixed = 0
    for _ in range(count(120, dear=6)):
        e = drawn(random, 4, divisions)
        for at in random.sample(POINTS, 4):
            assert reading(e, encoding(postorder(e, *VARIABLES)), at) == value(e, at), (e, at)
        mixed += any(_takes_truth(node) for node in postorder(e))
    if KNOWN:
        assert mixed > 30


def test_z3_proves_exactly_what_enumeration_finds() -> None:
    random = Random(1)
    seen = set()
    for _ in range(60):
        goal, given = drawn(random, 3, True), drawn(random, 2, True) < 3
        if not set(VARIABLES) >= set(parts := _variables(goal, given)) or not parts:
            continue
        holds = all(value(goal, at) or not value(given, at) for at in POINTS)
        if not any(value(given, at) for at in POINTS):
            continue  # nothing is proved of nothing
        name = prove(ForAll("x", eq(goal, 0) < 1, given), strategy="z3").name
        assert name == ("proved" if holds else "refuted"), (goal, given)
        seen.add(name)
    assert seen == {"proved", "refuted"}


def _takes_truth(node: Expr) -> bool:
    return node.op in ("add", "mul") and any(a.op in BOOLEAN for a in node.args)


def _variables(*roots: Expr) -> Sequence[Expr]:
    return [node for node in postorder(*roots) if node.op == "var"]


def test_a_truth_value_is_no_number_but_0_and_1() -> None:
    a, b = symbol("a", max=10**7), symbol("b", max=10**7)
    statement = ForAll("x", eq(a < 4, b), all_of(a < 4, b * b >= 10**12))
    assert {prove(statement, strategy=s).name for s in (None, "z3")} == {"refuted"}
    m, n = symbol("M", max=100000), symbol("N", max=100000)
    stride = select(m < 4, select(eq(m < 4, n // 1000 + 1), 8, 1), 8)
    assert prove(Injective(make_naive_tensor_descriptor((4, 8), (stride, 1)))).name == "refuted"
