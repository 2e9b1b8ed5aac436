"""What `given` says of sizes are their limits inside the item, and nowhere else."""

from __future__ import annotations

import pytest

from layoutalg.formats import SpecError, dump, loads
from layoutalg.formats.check import Result, check
from layoutalg.index import holds, narrowed, substitute, symbol
from layoutalg.index.evaluate import value
from layoutalg.prove import Refuted

HEAD = "symbols = { M = { min = 0 }, N = { min = 1, max = 64 } }\n"


def results(text: str) -> dict[str, Result]:
    return {f"{r.item.name}: {r.claim}": r for r in check(loads(HEAD + text))}


@pytest.mark.parametrize(
    "given",
    ['"1 <= M"', '"M > 0"', '"M * 3 + 1 >= 3"', '"M == 7"', '"1 <= M and i < M"', '"i < M", "M >= 1"', '"3 < M <= 9"'],
)
def test_a_divisor_that_is_given_to_be_at_least_1_divides(given: str) -> None:
    told = results(f'[[lemma]]\nname = "rest"\nvariables = {{ i = "N" }}\ngiven = [{given}]\ngoal = "i % M < M"')
    assert told["rest: holds"].verdict.name == "proved", told["rest: holds"].verdict
    assert any("<= M" in line for line in told["rest: holds"].verdict.assumptions)


@pytest.mark.parametrize("given", ['"0 <= M"', '"1 <= N"', '"M != 0"', '"M * N >= 1"', '"M >= 1 or N >= 1"'])
def test_what_does_not_say_so_alone_narrows_nothing(given: str) -> None:
    with pytest.raises(SpecError, match="division by M, which can be 0"):
        loads(HEAD + f'[[lemma]]\nname = "rest"\ngiven = [{given}]\ngoal = "N % M < M"')


def test_another_item_sees_the_size_of_the_file() -> None:
    told = results("""
[[lemma]]
name = "narrow"
given = ["1 <= M", "M % 4 == 0"]
goal = "N // M * M <= N and M >= 4"
[[lemma]]
name = "wide"
goal = "M >= 1"
""")
    assert told["narrow: holds"].verdict.name == "proved"
    refuted = told["wide: holds"].verdict
    assert isinstance(refuted, Refuted)
    assert refuted.witness.points[0]["M"] == 0


TILE = """
[[descriptor]]
name = "tile"
base = { kind = "naive", lengths = ["N", "M"], strides = ["64 // M * M + M", 1] }
given = ["1 <= M"]
claims = ["in_bounds", "injective"]
"""


def test_every_item_that_uses_another_is_built_with_its_own_sizes() -> None:
    told = results(
        TILE
        + """
[[descriptor]]
name = "copied"
base = { kind = "descriptor", name = "tile" }
given = ["2 <= M", "M <= 64"]
[[agree]]
name = "same"
left = "tile"
right = "copied"
given = ["3 <= M", "M <= 32"]
[[access]]
name = "reached"
descriptor = "tile"
index = ["lane % N", "lane // 64"]
given = ["1 <= M", "M <= 9"]
claims = ["in_bounds"]
"""
    )
    assert {name: r.verdict.name for name, r in told.items()} == dict.fromkeys(told, "proved")
    assert any("3 <= M <= 32" in line for line in told["same: agree"].verdict.assumptions)
    assert any("1 <= M <= 9" in line for line in told["reached: in_bounds"].verdict.assumptions)


def test_an_item_that_lacks_what_the_one_it_uses_is_given_is_told_so() -> None:
    with pytest.raises(SpecError, match=r"tile is built here without its own given: .*which can be 0.*give this item"):
        loads(HEAD + TILE + '[[agree]]\nname = "same"\nleft = "tile"\nright = "tile"\n')


def test_a_limit_that_leaves_no_value_is_vacuous_and_none_is_proved() -> None:
    told = results('[[lemma]]\nname = "none"\ngiven = ["M >= 5", "M <= 4"]\ngoal = "M == 77"')
    assert told["none: holds"].verdict.name == "unknown"


def test_a_file_is_printed_with_what_it_gives() -> None:
    file = loads(HEAD + TILE)
    again = loads(dump(file))
    assert 'given = ["1 <= M"]' in dump(file)
    assert dump(again) == dump(file)
    assert again.items == file.items


def test_limits_are_exactly_what_is_assumed() -> None:
    """Every assumption of these holds of the narrowed size, and each value that it admits is one that is left."""
    m = symbol("M", min=0, max=60)
    parts = [m * k + c <= d for k in (-3, -1, 2, 5) for c in (-7, 0, 4) for d in (0, 11, 96)]
    for part in (p for p in parts if p.op != "const"):
        sizes = narrowed([part])
        left = [n for n in range(61) if value(part, {m: n})]
        assert (m in sizes) == (0 < len(left) < 61), part
        if m in sizes:
            assert [sizes[m].lo, sizes[m].hi] == [left[0], left[-1]]
            assert holds(substitute(part, dict(sizes)))


OF_ALL = """
symbols = { M = { min = 1, max = 64 }, N = { min = 1, max = 64 } }
given = ["M < N", "N % 8 == 0"]
"""


def test_what_is_given_at_the_top_holds_in_every_item() -> None:
    lemmas = (f'[[lemma]]\nname = "{name}"\ngoal = "{goal}"\n' for name, goal in (("one", "M < 64"), ("two", "N >= 8")))
    assert all(r.verdict for r in check(loads(OF_ALL + "".join(lemmas))))
    file = loads(OF_ALL + '[[lemma]]\nname = "own"\ngiven = ["M >= 60"]\ngoal = "N == 64"')
    assert str(file.given) == "M < N"
    assert file.symbols["N"].lo == 8
    assert [r.verdict.name for r in check(file)] == ["proved"]


def test_what_is_given_at_the_top_speaks_of_sizes() -> None:
    with pytest.raises(SpecError, match=r"given\[0\]: .*no symbol 'i'"):
        loads(OF_ALL.replace("M < N", "i < N"))
    with pytest.raises(SpecError, match="a formula is expected"):
        loads(OF_ALL.replace("M < N", "M + N"))
