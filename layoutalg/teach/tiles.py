"""Tile distributions: a wrong one is told a lane, a register, what it holds and what it should."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from layoutalg import cpp
from layoutalg.draw import DrawError, Picture, holders
from layoutalg.index import ONE, ZERO, all_of, as_expr, eq, var
from layoutalg.index.evaluate import value, values
from layoutalg.layout import TileDistribution, TileDistributionEncoding
from layoutalg.layout.adaptor import same_length
from layoutalg.prove import ForAll, Proved, Refuted, Shown, prove
from layoutalg.teach.checked import NO_ANSWER, ODD, Checked, how, not_known, tupled

Encoding = tuple[Sequence[int], Sequence[Sequence[int]], Sequence[Sequence[tuple[int, int]]], Sequence[tuple[int, int]]]
"""Rs, Hs, Ps and Ys, as `TileDistributionEncoding.of` takes them."""
Tile = TileDistribution | Encoding | str
"""A tile distribution as an answer: itself, its encoding, or CK Tile's text `tile_distribution_encoding<…>{}`."""
FOUR_LISTS = (
    "an encoding is four lists: Rs, numbers; Hs, for each dimension its factors; "
    "Ps, for each P the factors that it owns, each as (major, minor); Ys, for each Y the one that it owns."
)


def same_tile(answer: Tile | None, wanted: TileDistribution) -> Checked:
    """Whether a tile distribution gives every lane the same element in the same register as another.

    >>> tile = TileDistribution(TileDistributionEncoding.of([], [[4, 2]], [[(1, 0)]], [(1, 1)]))
    >>> same_tile(([], [[2, 4]], [[(1, 1)]], [(1, 0)]), tile)  # doctest: +ELLIPSIS
    Not yet: lane ..., register ... holds element (...); it should hold (...).
    >>> same_tile(([], [[4, 2]], [[(1, 0)]], [(1, 0)]), tile).text
    'factor (1, 0) is owned by both P0 and Y0; each must be owned exactly once.'
    """
    mine = _tile(answer)
    if isinstance(mine, Checked):
        return mine
    for what, one, other in (("the tile has", mine.lengths, wanted.lengths), ("P has lengths", mine.ps, wanted.ps)):
        if len(one) != len(other) or not all(map(same_length, one, other)):
            return Checked(False, f"{what} {tupled(one)}; it should be {tupled(other)}.")
    if not same_length(mine.registers, wanted.registers):
        return Checked(False, f"a lane has {mine.registers} registers; it should have {wanted.registers}.")
    p, register = wanted.p_index, var("register", wanted.registers)
    held, should = (one.lower(p, one.ys_to_d.upper([register])) for one in (mine, wanted))
    show = tuple(Shown(str(v), (v,)) for v in (*p, register))
    verdict = prove(ForAll("the holders agree", all_of(*map(eq, held, should)), show=show))
    if isinstance(verdict, Proved):
        return Checked(True, f"every lane holds what it should ({how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return not_known(verdict)
    at = {v: verdict.witness.points[0].get(str(v.value.name), 0) for v in (*p, register)}
    has, wants = (tupled(values(list(one), at)) for one in (held, should))
    where = f"{_holder([at[v] for v in p])}, register {at[register]}"
    return Checked(False, f"{where} holds element {has}; it should hold {wants}.", _holders(mine, [at[v] for v in p]))


def in_vectors(
    answer: Tile | None, width: int, lengths: Sequence[int] | None = None, lanes: int | None = None
) -> Checked:
    """Whether each `width` registers of every lane are neighbours of one row, so that one instruction moves them.

    `lengths` are those that the tile must have, `lanes` how many must share it out: no element is held twice then.

    The last dimension is the fast one.  A vector then begins at a multiple of `width`: the factors that make it are the
    fastest ones, and the strides of the others are multiples of theirs.

    >>> in_vectors(([], [[4, 2]], [[(1, 0)]], [(1, 1)]), 2).right
    True
    >>> in_vectors(([], [[2, 4]], [[(1, 1)]], [(1, 0)]), 2)  # doctest: +ELLIPSIS
    Not yet: lane ..., register 1 holds element (...); next to (...) of register 0 is (...).
    >>> in_vectors(([], [[4, 2]], [[(1, 0)]], [(1, 1)]), 2, lengths=(16,), lanes=4)
    Not yet: the tile has (8,); it should be (16,).
    """
    mine = _tile(answer)
    if isinstance(mine, Checked):
        return mine
    if lengths is not None and (tupled(mine.lengths) != tupled(lengths)):
        return Checked(False, f"the tile has {tupled(mine.lengths)}; it should be {tupled(lengths)}.")
    if lanes is not None:
        if not same_length(prod(mine.ps, start=ONE), as_expr(lanes)):
            return Checked(False, f"P has lengths {tupled(mine.ps)}: these are not {lanes} lanes.")
        if not same_length(mine.registers * lanes, prod(mine.lengths, start=ONE)):
            return Checked(False, f"a lane has {mine.registers} registers: {lanes} lanes hold elements twice.")
    if not same_length(mine.registers % width, ZERO):
        return Checked(False, f"a lane has {mine.registers} registers: not a multiple of {width}.")
    p, register = mine.p_index, var("register", mine.registers)
    start = register // width * width
    each, first = (mine.lower(p, mine.ys_to_d.upper([r])) for r in (register, start))
    wanted = (*first[:-1], first[-1] + register % width)
    show = tuple(Shown(str(v), (v,)) for v in (*p, register))
    verdict = prove(ForAll("neighbours of one row", all_of(*map(eq, each, wanted)), show=show))
    if isinstance(verdict, Proved):
        return Checked(True, f"every lane holds vectors of {width} ({how(verdict)}).")
    if not isinstance(verdict, Refuted):
        return not_known(verdict)
    at = {v: verdict.witness.points[0].get(str(v.value.name), 0) for v in (*p, register)}
    has, begins, next_ = (tupled(values(list(one), at)) for one in (each, first, wanted))
    where = f"{_holder([at[v] for v in p])}, register {at[register]}"
    text = f"{where} holds element {has}; next to {begins} of register {value(start, at)} is {next_}."
    return Checked(False, text, _holders(mine, [at[v] for v in p]))


def _tile(answer: Tile | None) -> TileDistribution | Checked:
    """The distribution that an answer is, or what is wrong with it."""
    if answer is None:
        return NO_ANSWER
    try:
        if isinstance(answer, str):
            found = cpp.loads(_statement(answer.strip().rstrip(";")), "answer.hpp")
            if not found.distributions:
                why = found.unread[0].reason.partition(";")[0] if found.unread else "this is no encoding"
                return Checked(False, f"{why}.")
            return found.distributions[0].distribution
        if isinstance(answer, TileDistribution):
            return answer
        if not isinstance(answer, tuple | list) or len(answer) != 4:
            return Checked(False, FOUR_LISTS)
        return TileDistribution(TileDistributionEncoding.of(*answer))
    except ODD as wrong:
        return Checked(False, FOUR_LISTS if type(wrong).__module__ == "builtins" else f"{wrong}.")


def _statement(text: str) -> str:
    """A line of CK's C++ that makes a distribution: of an encoding, of the call that takes one, or as it is."""
    if "make_static_tile_distribution" not in text:
        text = f"make_static_tile_distribution({text})"
    return f"{text if '=' in text else f'auto answer = {text}'};"


def _holder(p: Sequence[int]) -> str:
    """A lane by its coordinates, of a wave where there are two."""
    return " ".join(f"{name} {n}" for name, n in zip(("wave", "lane")[-len(p) :], p, strict=True))


def _holders(tile: TileDistribution, p: Sequence[int]) -> Picture | None:
    """What a lane holds, as a picture; None for a tile that is too large for one."""
    try:
        return holders(tile, p)
    except DrawError:
        return None
