"""Risks of a layout in memory: the width of the index, overlap, waste, padding, and how wide memory may be accessed.

| about    | asked                                                 | told                                            |
|----------|-------------------------------------------------------|-------------------------------------------------|
| bounds   | does every valid index stay in its dimensions?        | the index that leaves, and where                |
| index    | does every intermediate value fit 32 bits?            | the largest value; or the bits that do suffice  |
| overlap  | do two indices share an element?                      | the two; and how many elements are shared       |
| memory   | are there elements that no index reaches?             | how many, and what that is in bytes             |
| padding  | are there indices that reach no data?                 | how many of how many                            |
| vectors  | how many elements along the last dimension are one?   | the most; and where the next more fails         |
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import numpy as np

from layoutalg.explain.finding import Prover, Remark
from layoutalg.formats import DescriptorItem
from layoutalg.index import TRUE, postorder, prod, simplify
from layoutalg.index.evaluate import grids
from layoutalg.layout import TensorDescriptor
from layoutalg.layout.vectors import vector_candidates
from layoutalg.prove import Proved, Refuted
from layoutalg.target.dtypes import DTYPES

INT32 = (1 << 31) - 1
COUNTED = 1 << 20
"""Indices that are counted one by one."""
WIDEST = 16
"""Bytes of the widest memory instruction of a lane (128 bits)."""


def findings(item: DescriptorItem, prover: Prover) -> Iterator[Remark]:
    """Every side of a descriptor in memory, in the order of the table."""
    yield bounds(item, prover)
    yield index_width(item, prover)
    yield overlap(item, prover)
    yield from space(item, prover)
    yield from padding(item.descriptor)
    yield vectors(item, prover)


def bounds(item: DescriptorItem, prover: Prover) -> Remark:
    """Whether every valid index stays inside."""
    verdict = prover(item, "in_bounds")
    if isinstance(verdict, Proved):
        text = "Every valid index stays in its dimensions and in the memory."
        return Remark("bounds", text, "fine", verdict.strategy, verdict)
    told = ("fault", "An index leaves") if isinstance(verdict, Refuted) else ("open", "Whether an index leaves is open")
    return Remark("bounds", f"{told[1]}: {verdict.reason}.", told[0], verdict.strategy, verdict)


def index_width(item: DescriptorItem, prover: Prover) -> Remark:
    """Whether 32 bits hold every value that is computed, and how far it is to the limit."""
    d, verdict = item.descriptor, prover(item, "fits_index")
    nodes = postorder(*d.hidden_index(d.index).values(), d.element_space_size)
    most = max(max(node.hi, -node.lo) for node in nodes)
    if isinstance(verdict, Proved):
        text = "Every value on the way fits a signed 32-bit integer"
        if 0 < most < inf:
            text += f": none exceeds {int(most):,}, and the limit {INT32:,} is {INT32 // int(most):,} times that"
        return Remark("index", f"{text}.", "fine", verdict.strategy, verdict)
    if not isinstance(verdict, Refuted):
        return Remark("index", f"Whether 32 bits suffice is open: {verdict.reason}.", "open", verdict.strategy, verdict)
    bits = next((b for b in range(33, 65) if isinstance(prover(item, "fits_index", b), Proved)), None)
    enough = f"{bits} bits suffice (proved)" if bits else "no width up to 64 bits was proved to suffice"
    return Remark("index", f"A signed 32-bit index overflows: {verdict.reason}; {enough}.", "fault",
                   verdict.strategy, verdict)  # fmt: skip


def overlap(item: DescriptorItem, prover: Prover) -> Remark:
    """Whether two indices share an element, and how many elements are shared."""
    d, verdict = item.descriptor, prover(item, "injective")
    if isinstance(verdict, Proved):
        return Remark("overlap", "No two indices share an element.", "fine", verdict.strategy, verdict)
    if not isinstance(verdict, Refuted):
        return Remark("overlap", f"Whether indices share elements is open: {verdict.reason}.", "open",
                       verdict.strategy, verdict)  # fmt: skip
    text = f"Indices share elements: {verdict.reason}"
    if (counted := reached(d)) is not None:
        valid, different = counted
        text += f". {valid:,} indices reach {different:,} elements"
    one_to_one = any(c.name in ("injective", "bijective") and c.expect == "proved" for c in item.claims)
    meant = item.stated and not one_to_one and isinstance(prover(item, "in_bounds"), Proved)
    text += ". The file claims nothing else" if meant else ". A view may mean this; a tile that is written may not"
    return Remark("overlap", f"{text}.", "fine" if meant else "fault", verdict.strategy, verdict)


def space(item: DescriptorItem, prover: Prover) -> Iterator[Remark]:
    """The elements that no index reaches."""
    d = item.descriptor
    onto = prover(item, "bijective")
    if isinstance(onto, Proved):
        yield Remark("memory", "Every element of the memory is used, exactly once.", "fine", onto.strategy, onto)
        return
    whole = d.element_space_size
    if (counted := reached(d)) is not None and whole.op == "const":
        unused = int(whole) - counted[1]
        if unused:
            part = f"{_bytes(unused, item.dtype)}{100 * unused / int(whole):.1f} % of the memory"
            text = f"{unused:,} of {int(whole):,} elements are never used: {part}."
            yield Remark("memory", text, "cost", "enumeration")
    elif d.adaptor.valid(d.index) is TRUE and isinstance(one := prover(item, "injective"), Proved):
        unused_sizes = simplify(whole - prod(list(d.lengths)))
        yield Remark("memory", f"{unused_sizes} of {whole} elements are never used.", "cost", one.strategy, one)


def padding(d: TensorDescriptor) -> Iterator[Remark]:
    """The indices that reach no data."""
    if d.adaptor.valid(d.index) is TRUE:
        return
    where = f"An index reaches data only where {d.adaptor.valid(d.index)}"
    if (counted := reached(d)) is None:
        yield Remark("padding", f"{where}; elsewhere a load gives 0 and a store is dropped.", "fine", "by its formula")
        return
    count, valid = int(prod(list(d.lengths))), counted[0]
    yield Remark("padding", f"{where}: {count - valid:,} of {count:,} indices are padding; there a load gives 0 and a "
                  "store is dropped.", "fine", "enumeration")  # fmt: skip


def vectors(item: DescriptorItem, prover: Prover) -> Remark:
    """The widest vector along the last dimension, and why the next wider one is none."""
    d, last = item.descriptor, item.descriptor.rank - 1
    most = max(1, WIDEST * 8 // DTYPES[item.dtype].bits) if item.dtype else WIDEST
    failed: Refuted | None = None
    tried = [n for n in vector_candidates(d, last, most) if n > 1]
    for n in tried:
        verdict = prover(item, "contiguous", n)
        if isinstance(verdict, Proved):
            text = f"Along i{last}, {n} elements are one aligned vector{_size(n, item.dtype)}"
            if failed is None:
                return Remark("vectors", f"{text}.", "fine", verdict.strategy, verdict)
            return Remark("vectors", f"{text}, {2 * n} are not: {failed.reason}.", "cost", failed.strategy, failed)
        failed = verdict if isinstance(verdict, Refuted) else None
    if failed is not None:
        text = f"Along i{last}, elements move one by one: not even 2 are a vector: {failed.reason}."
        return Remark("vectors", text, "cost", failed.strategy, failed)
    if tried:
        return Remark("vectors", f"Along i{last}, whether elements form vectors is open.", "open", "portfolio")
    text = f"Along i{last}, elements move one by one: its length {d.lengths[last]} is no multiple of 2."
    return Remark("vectors", text, "cost", "its length")


def reached(d: TensorDescriptor) -> tuple[int, int] | None:
    """The number of valid indices, and of different elements that they reach; None where they are too many or symbolic.

    >>> from layoutalg.layout import make_naive_tensor_descriptor
    >>> reached(make_naive_tensor_descriptor((4, 3), (2, 3)))
    (12, 11)
    """
    count = prod(list(d.lengths))
    if count.op != "const" or int(count) > COUNTED:
        return None
    offsets, valid = grids([d.offset(d.index), d.valid(d.index)], list(d.index))
    kept = np.broadcast_to(offsets, valid.shape)[valid != 0]
    return int(kept.size), int(np.unique(kept).size)


def _bytes(count: int, dtype: str | None) -> str:
    return f"{count * DTYPES[dtype].bits // 8:,} bytes, " if dtype else ""


def _size(count: int, dtype: str | None) -> str:
    return f" ({count * DTYPES[dtype].bits // 8} bytes)" if dtype and count * DTYPES[dtype].bits % 8 == 0 else ""
