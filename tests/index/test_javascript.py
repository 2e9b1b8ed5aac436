"""The JavaScript reading: by its structure everywhere, by node's own values where node is found."""

from __future__ import annotations

import shutil
import subprocess
from random import Random

import pytest

from layoutalg.index import Expr, eq, javascript, lookup, negation, postorder, select, symbol, value, var, variables
from tests.index.expressions import Generator, points

IX, J, BIG = var("i", 64), var("j", 100), var("n", 1 << 40)


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (IX // 8 * 8 + IX % 8, "Math.floor(i / 8) * 8 + i % 8"),
        ((IX - J) // 5, "Math.floor((i - j) / 5)"),
        ((IX - J) % 5, "((i - j) % 5 + 5) % 5"),
        ((IX ^ J) + 1, "(i ^ j) + 1"),
        ((IX ^ J ^ 3) * 2, "(i ^ j ^ 3) * 2"),
        (var("w", 1 << 32) ^ 1, "(w ^ 1) >>> 0"),
        ((BIG ^ (1 << 35)) + 1, "Number(BigInt(n) ^ BigInt(34359738368)) + 1"),
        (select(IX < J, IX, J + 1), "i < j ? i : j + 1"),
        (negation(eq(IX, J)), "!(i == j)"),
        (lookup([4, 7, 9], IX % 3), "[4, 7, 9][i % 3]"),
        (lookup([4, 7], IX < 3), "[4, 7][Number(i < 3)]"),
    ],
)
def test_text(e: Expr, text: str) -> None:
    assert javascript(e) == text


def test_values_that_doubles_do_not_hold_are_refused() -> None:
    with pytest.raises(ValueError, match=r"JavaScript's numbers are exact below 2\*\*53"):
        javascript(BIG * (1 << 14))
    with pytest.raises(ValueError, match="JavaScript's numbers"):
        javascript(symbol("M") + 1)
    with pytest.raises(ValueError, match="'var' is not a JavaScript identifier"):
        javascript(var("var", 4))
    assert javascript(var("var", 4) + 1, {var("var", 4): "v"}) == "v + 1"


def exact(e: Expr) -> bool:
    """Whether doubles hold all values with a bit to spare."""
    return all(abs(node.lo) < 1 << 52 and abs(node.hi) < 1 << 52 for node in postorder(e, e * -1))


@pytest.mark.fuzz(400)
def test_node_computes_the_same_values(seeds: range) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; the texts are tested above")
    lines = ["let wrong = 0;"]
    for seed in seeds:
        random = Random(seed)
        extents = (8, 60, (1 << 31) - 1, (1 << 40) + 3) if seed % 3 == 0 else (6, 8, 64)
        g = Generator(random, symbolic=seed % 2 == 0, extents=extents)
        e = g.number(3) if seed % 5 else g.truth(3)
        if exact(e):
            lines.append(f"f = ({', '.join(map(repr, variables(e)))}) => {javascript(e)};")
            for at in points(random, [e], 6):
                call = f"f({', '.join(str(at[v]) for v in variables(e))})"
                lines.append(f"if (Number({call}) != {value(e, at)}) {{ wrong++; console.log({seed}, {call}); }}")
    lines.append("console.log('wrong', wrong);")
    done = subprocess.run([node, "-"], input="\n".join(lines), capture_output=True, text=True, timeout=120)
    assert done.stdout.endswith("wrong 0\n"), done.stdout[-2000:] + done.stderr[-2000:]
