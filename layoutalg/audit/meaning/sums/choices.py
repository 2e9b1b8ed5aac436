"""Words that are others in another form: constants, choices, words cut or negated, of another lane, of the launch."""

from __future__ import annotations

from fractions import Fraction

from layoutalg.audit.ask import Open
from layoutalg.audit.meaning.sums.addends import (
    Addend,
    Factor,
    Placed,
    Sum,
    Value,
    candidate,
    guarded,
    scaled,
    total,
)
from layoutalg.audit.meaning.sums.numbers import INTEGERS, constant
from layoutalg.audit.meaning.sums.reading import WordAt, WordReader
from layoutalg.audit.meaning.sums.words import bits_of, chosen_by, lifted
from layoutalg.audit.meaning.terms import FLOAT_BITS, without_sign
from layoutalg.index import TRUE, mod, negation, simplify, variables
from layoutalg.index.conditions import implies
from layoutalg.symex.machine.wave_unknowns import ELSEWHERE
from layoutalg.symex.values.instances import moved
from layoutalg.symex.values.unknowns import Kind, arguments_of, function_of, kind_of

#: The tensor of what nothing wrote.
NOBODYS = "undefined"


def literal(reader: WordReader, word: WordAt) -> Value | None:
    """A constant."""
    return constant(int(word.expr.value), word.dtype, word.how) if word.expr.op == "const" else None


def choice(reader: WordReader, word: WordAt) -> Value | None:
    """Each way of a choice where its condition is so, but for one that does not count."""
    if word.expr.op != "select":
        return None
    condition, *ways = word.expr.args
    if any(kind_of(v) is not None for v in variables(condition)):
        return Open(f"a choice by {condition}")
    found: list[Value] = []
    for truth, way in zip((condition, negation(condition)), ways, strict=True):
        where = reader.kernel.placed(truth, word.env)
        if isinstance(where, Open):
            return where
        if implies(reader.given, where.value):
            alike = where.value is TRUE and where.at  # of one thread of many, of others of which it says something
            made = reader.read(word.of(way))
            return guarded(made, where) if alike else made
        if not implies(reader.given, negation(where.value)):
            made = reader.read(word.of(way))
            if isinstance(made, Open):
                return made
            found.append(guarded(made, where))
    return total(*found)


def choice_within(reader: WordReader, word: WordAt) -> Value | None:
    """A choice in a word, as one between words."""
    condition = chosen_by(word.expr)
    return None if condition is None else reader.seen(word.of(lifted(word.expr, condition)))


def cut(reader: WordReader, word: WordAt) -> Value | None:
    """A word modulo more than its type's bits; one of several parts, of which these bits are fewer."""
    e = word.expr
    if e.op == "add" and word.dtype not in INTEGERS:
        low = simplify(mod(e, 1 << bits_of(word.dtype)))
        return None if low is e or low.op == "mod" else reader.seen(word.of(low))
    if e.op != "mod" or e.args[1].op != "const" or int(e.args[1].value) % (1 << bits_of(word.dtype)):
        return None
    return reader.seen(word.of(simplify(e.args[0])))


def negated(reader: WordReader, word: WordAt) -> Value | None:
    """A float with its sign turned."""
    if word.dtype not in FLOAT_BITS:
        return None
    turned, magnitude = without_sign(word.expr, bits_of(word.dtype))
    if not turned:
        return None
    found = scaled(reader.read(word.summed.of(magnitude)), Fraction(-1))
    return found if word.how == "add" else candidate(found)


def of_another_lane(reader: WordReader, word: WordAt) -> Value | None:
    """What another lane of the wave holds: the same word, read of that lane."""
    lanes = {arguments_of(v)[1] if function_of(v) == ELSEWHERE else None for v in word.made_of}
    lane = next(iter(lanes)) if len(lanes) == 1 else None
    if lane is None:
        return None
    there = simplify(moved(word.expr, {v: arguments_of(v)[0] for v in word.made_of}))
    env = reader.kernel.lane(lane, word.env)
    return env if isinstance(env, Open) else reader.elsewhere(word.of(there).at(env))


def given_by_launch(reader: WordReader, word: WordAt) -> Value | None:
    """What the launch passes; or what nothing wrote, which no equation has."""
    kind = kind_of(word.expr)
    if word.expr.op != "var" or kind not in (None, Kind.UNDEFINED):
        return None
    place = reader.kernel.placed(word.expr, word.env) if kind is None else Placed(word.expr)
    if isinstance(place, Open):
        return place
    return Sum((Addend(factors=(Factor("" if kind is None else NOBODYS, word.dtype, place),)),))
