"""Walking and substitution."""

from __future__ import annotations

from random import Random

import pytest

from layoutalg.index import all_of, conjuncts, names, postorder, substitute, symbol, value, var, variables
from tests.index.expressions import Generator, points

M = symbol("M")
IX, J = var("i", M), var("j", 8)


def test_each_node_once_and_after_its_arguments() -> None:
    part = IX * 2 + J
    e = part * part + part // 3
    order = postorder(e, part)
    assert len(order) == len(set(order))
    assert all(order.index(a) < order.index(n) for n in order for a in n.args)
    assert postorder(e, stop={part}) == [part, part * part, postorder(part // 3)[-2], part // 3, e]


def test_extents_are_variables_too() -> None:
    assert variables(J + IX) == (J, M, IX)
    assert names(IX) == {"M", "i"}


@pytest.mark.fuzz(200)
def test_substitution_is_evaluation_in_two_steps(seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        e = Generator(random, symbolic=False).number(3)
        for at in points(random, [e], 3):
            some = dict(random.sample(list(at.items()), len(at) // 2))
            assert value(substitute(e, some), at) == value(e, at), seed
            assert substitute(e, at).value == value(e, at), seed


def test_substitution_of_parts() -> None:
    assert substitute((IX * 2 + J) // 3, {IX * 2 + J: J}) is J // 3


def test_conjuncts() -> None:
    assert conjuncts(all_of(IX < 3, J < 4)) == (IX < 3, J < 4)
    assert conjuncts(IX < 3) == (IX < 3,)
