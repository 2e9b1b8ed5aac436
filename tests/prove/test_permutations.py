"""Blocks in another order: what is shown is one to one at all small sizes, and broken twins are not shown."""

from __future__ import annotations

from itertools import product

import pytest

from layoutalg.index import TRUE, Expr, minimum, mod, select, simplify, symbol, value, var
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.prove.permutations import renumbers

ROWS, COLUMNS = symbol("R", min=1, max=500), symbol("C", min=1, max=500)
BLOCKS = simplify(ROWS * COLUMNS)
B = var("b", BLOCKS)
ROW, COLUMN = var("row", ROWS), var("column", COLUMNS)


def _shows(goal: Expr, given: Expr) -> bool:
    return holds(ForAll("it is one to one", goal, given), Limits(steps=2_000_000))


def _shown(values: list[Expr], lengths: list[Expr], *numberings: list[Expr]) -> bool:
    return renumbers([*map(simplify, values)], numberings or [[B]], lengths, TRUE, _shows)


def _is_one_to_one(values: list[Expr], lengths: list[Expr]) -> bool:
    """By enumeration of all sizes up to 9 × 9."""
    for rows, columns in product(range(1, 10), repeat=2):
        at = {ROWS: rows, COLUMNS: columns}
        points = {tuple(value(v, {**at, B: b}) for v in values) for b in range(rows * columns)}
        if points != {*product(*(range(value(length, at)) for length in lengths))}:
            return False
    return True


def turns(count: int, wrong: str = "") -> list[Expr]:
    """Blocks by turns: b mod n of them begin at one place each, the last of which have one less."""
    each = (BLOCKS + count - 1) // count if wrong != "too few" else BLOCKS // count
    whole = count - (each * count - BLOCKS) + (wrong == "one whole more")
    x, y = B % count, B // count
    before = each * x + whole - x if wrong != "before" else each * x - x
    return [select(whole < x, before, each * x) + y]


def grouped(size: int, wrong: str = "") -> list[Expr]:
    """Tiles by groups of so many rows, of which the last may have fewer (Triton's GROUP_M)."""
    columns = COLUMNS if wrong != "by rows" else ROWS
    group = B // (columns * size)
    rows: Expr = minimum(ROWS - group * size, size)
    rows = mod(rows - 1, 1 << 32) + 1 if wrong != "last group" else rows * 0 + size
    within = B % (columns * size)
    row, column = group * size + within % rows, within // rows
    return [column, row] if wrong == "changed over" else [row, column]


@pytest.mark.parametrize("count", [2, 3, 8])
def test_turns_are_one_to_one(count: int) -> None:
    assert _is_one_to_one(turns(count), [BLOCKS])
    assert _shown(turns(count), [BLOCKS])


@pytest.mark.parametrize("wrong", ["too few", "one whole more", "before"])
def test_wrong_turns_are_not_shown(wrong: str) -> None:
    assert not _is_one_to_one(turns(4, wrong), [BLOCKS])
    assert not _shown(turns(4, wrong), [BLOCKS])


@pytest.mark.parametrize("size", [2, 3, 4])
def test_groups_whose_last_is_shorter_are_one_to_one(size: int) -> None:
    assert _is_one_to_one(grouped(size), [ROWS, COLUMNS])
    assert _shown(grouped(size), [ROWS, COLUMNS])


@pytest.mark.parametrize("wrong", ["by rows", "last group", "changed over"])
def test_wrong_groups_are_not_shown(wrong: str) -> None:
    assert not _is_one_to_one(grouped(4, wrong), [ROWS, COLUMNS])
    assert not _shown(grouped(4, wrong), [ROWS, COLUMNS])


def test_fewer_tiles_than_blocks_are_not_shown() -> None:
    assert not _shown([B // COLUMNS, B % COLUMNS], [ROWS, COLUMNS + 1])
    assert not _shown([B % COLUMNS], [COLUMNS])


@pytest.mark.parametrize(("row", "shown"), [(0, True), (1, False)])
def test_sizes_choose_of_which_numbering_values_are(row: int, shown: bool) -> None:
    one_row, one_column = ROWS < 2, COLUMNS < 2
    m = select(one_row, row, select(one_column, B, ROW))
    n = select(one_row, B, select(one_column, 0, COLUMN))
    assert _shown([m, n], [ROWS, COLUMNS], [B], [ROW, COLUMN]) is shown


def test_what_is_given_of_blocks_is_no_condition_on_sizes() -> None:
    assert not renumbers([B], [[B]], [BLOCKS], B < 3, _shows)
