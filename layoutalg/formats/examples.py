"""Examples: one index, and what it must reach; each becomes a formula to be proved like any other.

examples = [{ index = [1, 3, 2], offset = 8578 }, { index = [0, 0], valid = false }]     a descriptor
examples = [{ index = [13], lower = [2, 3] }]                                            a transform or adaptor
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from layoutalg.formats.context import Context, Data, expected, meaning
from layoutalg.formats.model import Example
from layoutalg.formats.reading import DocumentError, Path
from layoutalg.index import Expr, all_of, eq, negation
from layoutalg.layout import TensorAdaptor, TensorDescriptor, Transform

Mapped = TensorDescriptor | TensorAdaptor | Transform


def examples(context: Context, path: Path, data: Data, subject: Mapped) -> tuple[Example, ...]:
    """The examples of an item about `subject`."""
    return tuple(_examples(context, path, data, subject))


def _examples(context: Context, path: Path, data: Data, subject: Mapped) -> Iterator[Example]:
    for n, entry in enumerate(data.get("examples", ())):
        at = (*path, "examples", n)
        lists: dict[str, Any] = {
            key: context.exprs((*at, key), entry[key]) for key in ("index", "lower", "hidden") if key in entry
        }
        if "offset" in entry:
            lists["lower"] = (context.expr((*at, "offset"), entry["offset"]),)
        lengths = subject.upper_lengths if isinstance(subject, Transform) else subject.lengths
        _refuse_index((*at, "index"), lists["index"], lengths)
        with meaning(at):
            goals = list(_goals(at, subject, entry.get("valid"), **lists))
        if not goals:
            raise DocumentError(at, "an example says one of offset, lower, hidden, valid")
        yield Example(
            name=f"{data['name']} at ({', '.join(map(str, entry['index']))})", line=context.lines(at),
            goal=all_of(*goals), limits=context.limits(data), valid=entry.get("valid"), **expected(at, entry), **lists,
        )  # fmt: skip


def _goals(
    at: Path,
    subject: Mapped,
    valid: bool | None,
    index: Sequence[Expr],
    lower: Sequence[Expr] | None = None,
    hidden: Sequence[Expr] | None = None,
) -> Iterator[Expr]:
    if valid is not None:
        yield subject.valid(index) if valid else negation(subject.valid(index))
    if lower is not None:
        reached = (subject.offset(index),) if isinstance(subject, TensorDescriptor) else subject.lower(index)
        yield from _equal((*at, "lower"), lower, reached)
    if hidden is not None and isinstance(subject, TensorDescriptor):
        found = subject.hidden_index(index)
        yield from _equal((*at, "hidden"), hidden, [found[i] for i in sorted(found)])


def _equal(path: Path, wanted: Sequence[Expr], reached: Sequence[Expr]) -> Iterator[Expr]:
    if len(wanted) != len(reached):
        raise DocumentError(path, f"{len(wanted)} coordinates for {len(reached)} dimensions")
    for a, b in zip(reached, wanted, strict=True):
        yield eq(a, b)


def _refuse_index(path: Path, index: Sequence[Expr], lengths: Sequence[Any]) -> None:
    if len(index) != len(lengths):
        raise DocumentError(path, f"{len(index)} coordinates for {len(lengths)} dimensions")
    for n, (i, length) in enumerate(zip(index, lengths, strict=True)):
        if i.hi < 0 or (i - length).lo >= 0:
            raise DocumentError((*path, n), f"index {i} is outside dimension {n}, which has 0…{length - 1}")
