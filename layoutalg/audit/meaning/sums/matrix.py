"""A matrix instruction's sum: which lane's registers each of its products is of, by the operand maps of the target.

D[i] of a lane is C[i] of that lane and Σ_k A(row, k) · B(k, column), where (row, column) is what the lane holds of D as
its element i. A(row, k) is an element of another lane of the wave, in its place among that lane's elements:

    mfma_f32_16x16x16f16, lane 33, D[0]: row 8, column 1; A(8, 5) is element 1 of lane 24, B(5, 1) of lane 17

Every lane is active there (`symex.machine.lanes` asks it), so what another holds is this lane's word, of that thread.
What it cannot represent: operands that several lanes hold (they must hold the same, which nothing here shows).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from layoutalg.audit.ask import Open
from layoutalg.audit.lds.digits import Table, digits
from layoutalg.index import Expr, div, mod, simplify
from layoutalg.records import dataclass
from layoutalg.symex.values.instances import moved
from layoutalg.target.dtypes import dtype_of
from layoutalg.target.operand import MatrixInstruction, OperandMap


@dataclass(frozen=True, eq=False)
class HeldOperand:
    """One element of an operand, for each lane that makes use of it: in which lane, and its place there."""

    lane: Table
    element: int


@cache
def products(matrix: MatrixInstruction, number: int) -> tuple[tuple[HeldOperand, HeldOperand], ...] | Open:
    """Where the factors of each product of an element of D are, in one place of lanes' registers."""
    if matrix.a.copies > 1 or matrix.b.copies > 1:
        return Open(f"{matrix.name}: several lanes hold each element of A and B")
    rows, columns = (place[:, number] for place in matrix.d.places)
    a, b = _holders(matrix.a), _holders(matrix.b)
    found = []
    for k in range(matrix.k):
        left, right = _held(a[:, rows, k]), _held(b[:, k, columns])
        if left is None or right is None:
            return Open(f"{matrix.name}: lanes have one product's factors in different places")
        found.append((left, right))
    return tuple(found)


def _holders(operand: OperandMap) -> Table:
    """The lane, and the place in it, of each element of a matrix."""
    found = np.full((2, *operand.shape), -1, np.int64)
    rows, columns = operand.places
    for lane, element in np.ndindex(*rows.shape):
        found[:, rows[lane, element], columns[lane, element]] = lane, element
    return found


def _held(held: Table) -> HeldOperand | None:
    """Where an element is; None where lanes have it in different places."""
    lanes, elements = held
    return HeldOperand(lanes, int(elements[0])) if len(np.unique(elements)) == 1 else None


def element_of(words: tuple[Expr, ...], number: int, dtype: str) -> Expr:
    """The bits of one of the elements that registers hold, low ones first."""
    bits = 8 * dtype_of(dtype).bytes
    if bits == 64:
        return simplify(words[2 * number] + words[2 * number + 1] * (1 << 32))
    each = 32 // bits
    word = words[number // each]
    return word if each == 1 else simplify(mod(div(mod(word, 1 << 32), 1 << bits * (number % each)), 1 << bits))


def thread_of(
    lanes: Table, wave: int, numbers: Mapping[Expr, Table], env: Mapping[Expr, Expr]
) -> dict[Expr, Expr] | Open:
    """The coordinates of the thread that is another lane of the own thread's wave, for each lane which."""
    every = np.arange(len(next(iter(numbers.values()))))
    if len(every) % wave:
        return Open("a matrix instruction of a wave that is not whole")
    there = every // wave * wave + lanes[every % wave]
    found = {}
    for v, held in numbers.items():
        form = digits(held[there], numbers)
        if form is None:
            return Open("a matrix operand's lane is no map of digits")
        found[v] = simplify(moved(form, env))
    return found
