"""Words that are read of memory: what was stored in LDS, elements of tensors before the launch."""

from __future__ import annotations

from dataclasses import replace

from layoutalg.audit.ask import Open, each_seen
from layoutalg.audit.meaning.sums.addends import Addend, Factor, Sum, Value, guarded, total
from layoutalg.audit.meaning.sums.reading import WordAt, WordReader
from layoutalg.audit.meaning.sums.shapes import joined
from layoutalg.index import ZERO, simplify
from layoutalg.target.dtypes import dtype_of


def forwarded(reader: WordReader, word: WordAt) -> Value | None:
    """What its writer stored to LDS, of that thread in that iteration."""
    if not all(v in reader.kernel.history.read for v in word.made_of):
        return None
    found = reader.kernel.stored(word.expr, word.env)
    if isinstance(found, Open):
        return found
    stored, obligations = found
    each = each_seen(reader.elsewhere(word.of(one.expr).at(one.env)) for one in stored)
    if isinstance(each, Open):
        return each
    if len(stored) == 1:
        return each[0].asking(obligations)
    whole = joined([one.addends for one in each], stored[0].form, [one.piece for one in stored])
    if whole is not None:
        return total(Sum((), obligations), *(replace(one, addends=()) for one in each), Sum(whole))
    return total(Sum((), obligations), *(guarded(v, one.where) for v, one in zip(each, stored, strict=True)))


def element(reader: WordReader, word: WordAt) -> Value | None:
    """The element of a tensor whose bytes a word is."""
    kernel = reader.kernel
    if not all(v in kernel.loads for v in word.made_of):
        return None
    parts = sorted((kernel.loads[v] for v in word.made_of), key=lambda one: one.within)
    first, size = parts[0], sum(one.size for one in parts)
    whole, at = ZERO, 0
    for one in parts:
        if one.moment != first.moment or one.within != first.within + at or one.guard is not first.guard:
            return Open(f"{word.expr} is put together of several loads")
        whole, at = whole + one.value * (1 << 8 * at), at + one.size
    held = kernel.dtypes.get(first.buffer, "")
    if simplify(whole - word.expr) is not ZERO or held != word.dtype or size != dtype_of(word.dtype).bytes:
        return Open(f"{word.expr}, of elements of {held}, as {word.dtype}")
    if not kernel.first.has(first.value):
        return Open(f"{first.buffer} is loaded from where it may have been stored to")
    place = kernel.placed(first.offset, word.env)
    return place if isinstance(place, Open) else Sum((Addend(factors=(Factor(first.buffer, word.dtype, place),)),))
