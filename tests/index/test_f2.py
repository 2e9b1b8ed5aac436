"""Maps over F₂: linear algebra against enumeration, the rules of reading as lemmas, readings against evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest
import z3

from layoutalg.index import Expr, var, xor
from layoutalg.index.evaluate import value, values
from layoutalg.index.f2 import (
    LinearMaps,
    NotLinearError,
    columns_of,
    image,
    independent,
    kernel,
    parity_checks,
    rank,
    span,
)
from tests.fuzzing import FIRST, KNOWN, count
from tests.index.expressions import Generator

COUNT = count(120)


def vectors(rng: Random) -> list[int]:
    bits = rng.randint(1, 6)
    return [rng.randrange(1 << bits) for _ in range(rng.randint(0, 6))]


@pytest.mark.fuzz
def test_linear_algebra_is_what_enumeration_says() -> None:
    for seed in range(FIRST, FIRST + COUNT):
        rng = Random(seed)
        columns = vectors(rng)
        images = [image(columns, x) for x in range(1 << len(columns))]
        assert span(columns) == set(images), seed
        assert len(set(images)) == 1 << rank(columns), seed
        collapsed = {x for x, y in enumerate(images) if y == 0}
        assert span(kernel(columns)) == collapsed, seed
        assert len(kernel(columns)) == len(columns) - rank(columns), seed
        basis = independent(columns)
        assert span(basis) == span(columns), seed
        assert len(basis) == rank(basis) == rank(columns), seed
        assert columns_of(images) == tuple(columns), seed


@pytest.mark.fuzz
def test_parity_checks_are_what_tells_a_subspace() -> None:
    for seed in range(FIRST, FIRST + COUNT):
        basis, bits = vectors(Random(seed)), 6
        checks = parity_checks(basis, bits)
        met = {x for x in range(1 << bits) if all((x & check).bit_count() % 2 == 0 for check in checks)}
        assert met == span(basis), seed
        assert len(checks) == bits - rank(basis), seed


A, B = z3.BitVecs("a b", 16)
LEMMAS = {
    "a sum that does not carry is an xor": z3.Implies(A & B == 0, A + B == A ^ B),
    "a product is a sum of shifts": A * 5 == A + (A << 2),
    "shifts up are linear": ((A ^ B) << 3) == (A << 3) ^ (B << 3),
    "division by a power of two is a shift down": z3.UDiv(A, 8) == z3.LShR(A, 3),
    "shifts down are linear": z3.LShR(A ^ B, 3) == z3.LShR(A, 3) ^ z3.LShR(B, 3),
    "a remainder by a power of two is a mask": z3.URem(A, 8) == A & 7,
    "masks are linear": ((A ^ B) & 0x5A5A) == (A & 0x5A5A) ^ (B & 0x5A5A),
}


@pytest.mark.parametrize("name", LEMMAS)
def test_what_reading_rests_on_holds_of_all_bits(name: str) -> None:
    solver = z3.Solver()
    solver.add(z3.Not(LEMMAS[name]))
    assert solver.check() == z3.unsat


def read(outputs: Sequence[Expr], over: Sequence[Expr]) -> LinearMaps | None:
    try:
        return LinearMaps(outputs, over)
    except NotLinearError:
        return None


@pytest.mark.fuzz
def test_what_is_read_is_what_is_computed() -> None:
    found = 0
    for seed in range(COUNT * 5):
        g = Generator(Random(seed), symbolic=False)
        g.indices = over = [var(name, 1 << g.random.randint(0, 3)) for name in "ijk"]
        outputs = [g.number(2) for _ in range(g.random.randint(1, 2))]
        maps = read(outputs, over)
        if maps is None:
            continue
        found += 1
        grid = [dict(zip(over, at, strict=True)) for at in product(*(range(int(v.hi) + 1) for v in over))]
        images = {tuple(values(outputs, p)) for p in grid}
        assert len(images) == 1 << rank(maps.columns(outputs)), seed
        for point, output in product(grid, outputs):
            wanted = value(output, point)
            made = maps.constants[output]
            for v in over:
                made ^= image(maps.columns_by(output, v), point[v])
            assert (made, wanted & ~maps.masks[output]) == (wanted, 0), seed
        for x in kernel(maps.columns(outputs)):
            assert values(outputs, maps.point(x)) == values(outputs, maps.point(0)), seed
        apart = maps.difference(outputs[0], outputs[-1])
        same = all(value(outputs[0], p) == value(outputs[-1], p) for p in grid)
        assert same if apart is None else value(outputs[0], apart) != value(outputs[-1], apart), seed
    if KNOWN:
        assert found > COUNT // 4


@pytest.mark.parametrize("carries", [lambda x, y: x + y, lambda x, y: x * 24, lambda x, y: x % 3, lambda x, y: x & y])
def test_what_carries_is_not_linear(carries) -> None:  # type: ignore[no-untyped-def]
    assert read([carries(var("x", 8), var("y", 8))], [var("x", 8), var("y", 8)]) is None


def test_a_multiple_of_what_leaves_room_is_linear() -> None:
    x = var("x", 4)
    assert LinearMaps([x * 5]).columns([x * 5]) == [5, 10]
    assert LinearMaps([xor(x, 8)]).constants[xor(x, 8)] == 8
