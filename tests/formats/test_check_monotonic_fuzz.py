"""Random files under an assumption and a stronger one: what is proved stays proved, and nothing decided is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from layoutalg.formats import loads
from layoutalg.formats.check import check
from layoutalg.prove import Limits, Proved, Refuted, Unknown, Verdict
from tests.fuzzing import FIRST, count

CASES, GROUP = count(20, dear=20), 20
"""Files, and how many a test has."""
LIMITS = Limits(seconds=5)

STRONGER: tuple[tuple[str, str, Callable[[int, int], bool]], ...] = (
    ("min = 2", "", lambda p, q: p >= 2),
    ("max = 16", "", lambda p, q: p <= 16),
    ("max = 64", "", lambda p, q: p <= 64),
    ("multiple_of = 4", "", lambda p, q: p % 4 == 0),
    ("power_of_two = true", "", lambda p, q: p & (p - 1) == 0),
    ("power_of_two = true, max = 64", "", lambda p, q: p & (p - 1) == 0 and p <= 64),
    ("multiple_of = 8, max = 64", "", lambda p, q: p % 8 == 0 and p <= 64),
    ("", "1 <= P", lambda p, q: p >= 1),
    ("", "P <= 32", lambda p, q: p <= 32),
    ("", "P % 4 == 0", lambda p, q: p % 4 == 0),
    ("", "P == 8", lambda p, q: p == 8),
    ("", "Q <= P", lambda p, q: q <= p),
    ("", "P * Q <= 1024", lambda p, q: p * q <= 1024),
    ("", "P % Q == 0", lambda p, q: p % q == 0),
    ("", "P != 3", lambda p, q: p != 3),
)
"""A limit of the symbol P, a formula that is given, and which P and Q they leave."""

TERMS = ("P", "Q", "P + 1", "P * Q", "4", "8", "3", "2 * P")
STEPS = (
    '{{ transform = "merge", lengths = ["{a}", "{b}"], lower = [0, 1], upper = [0] }}',
    '{{ transform = "merge_v1_carry_check", lengths = ["{a}", "{b}"], lower = [0, 1], upper = [0] }}',
    '{{ transform = "xor", lengths = ["{a}", "{b}"], lower = [0, 1], upper = [0, 1] }}',
    '{{ transform = "right_pad", length = "{a}", right = 3, lower = [0], upper = [0] }}, '
    '{{ transform = "pass_through", length = "{b}", lower = [1], upper = [1] }}',
)
GOALS = (
    "i % P < P",
    "i // P * P <= i",
    "i + P > i",
    "i * P + i < P * P",
    "(i ^ 3) >= 0",
    "i * Q <= P * Q",
    "i % 4 == 0",
)


def spec(rng: random.Random) -> str:
    """A file with one descriptor and one lemma; the places of the assumption are left open."""
    a, b = rng.choice(TERMS), rng.choice(TERMS)
    stride = rng.choice((b, f"{b} + 1", f"({b}) * 2", "P", "Q"))
    steps = "" if rng.random() < 0.3 else f"steps = [[{rng.choice(STEPS).format(a=a, b=b)}]]"
    claims = ["in_bounds", "injective", "fits_index", "bijective", "increments", "contiguous(2)", "aligned(4)"]
    asked = ", ".join(f'"{c}"' for c in rng.sample(claims, 3))
    return f"""
symbols = {{ P = {{ LIMITS }}, Q = {{ min = 1, max = 64 }} }}
[[descriptor]]
name = "d"
base = {{ kind = "naive", lengths = ["{a}", "{b}"], strides = ["{stride}", 1] }}
{steps}
given = [GIVEN]
claims = [{asked}]
[[lemma]]
name = "l"
variables = {{ i = "{rng.choice(("P", "P * Q", "Q"))}" }}
given = [GIVEN]
goal = "{rng.choice(GOALS)}"
"""


def verdicts(text: str, limits: str, given: str) -> Mapping[str, Verdict]:
    """Each claim's verdict."""
    filled = text.replace("LIMITS", limits).replace("GIVEN", f'"{given}"' if given else "")
    return {f"{r.item.name}: {r.claim}": r.verdict for r in check(loads(filled), limits=LIMITS)}


def lost(plain: Verdict, strong: Verdict, admits: Callable[[int, int], bool]) -> bool:
    """Whether an answer is lost that the stronger assumption leaves as it was."""
    if isinstance(plain, Proved):
        return not isinstance(strong, Proved)
    if not isinstance(plain, Refuted) or not isinstance(strong, Unknown):
        return False
    at = plain.witness.points[0]
    return "P" in at and admits(at["P"], at.get("Q", 1))


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(FIRST, FIRST + CASES, GROUP))
def test_a_stronger_assumption_loses_no_answer(seed: int) -> None:
    for n in range(seed, seed + GROUP):
        rng = random.Random(n)
        text = spec(rng)
        limit, given, admits = rng.choice(STRONGER)
        plain = verdicts(text, "min = 1", "")
        strong = verdicts(text, limit if "min" in limit else f"min = 1, {limit}".rstrip(", "), given)
        for claim, verdict in plain.items():
            assert not lost(verdict, strong[claim], admits), (n, limit or given, claim, verdict, strong[claim], text)
