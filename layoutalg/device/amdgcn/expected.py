"""What a kernel program says a thread does to memory, element by element: the other side of the claims on a binary.

Each element of each access has a place (a buffer and a byte offset), a condition, and, of a store, a value: what an
earlier load brought, or 0 where that load's condition did not hold.  All are index expressions in the block, the thread
and the sizes, for every one of the program's unrolled register elements.

What it cannot represent: loops, sums of products and several buffers in LDS (their places are the compiler's choice).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from layoutalg.device.amdgcn.words import NotReadable
from layoutalg.index import FALSE, TRUE, Expr, all_of, select, simplify, substitute, symbol
from layoutalg.kernel.program import (
    Access,
    Barrier,
    GlobalAccess,
    Load,
    LoadShared,
    Program,
    Store,
    StoreShared,
    vector_width,
    vector_ys,
)


@dataclass(frozen=True)
class ExpectedElement:
    """One element of one access."""

    what: str  # the access in words
    store: bool
    buffer: str  # a tensor's name, or `lds`
    offset: Expr  # bytes
    guard: Expr
    barriers: int  # how many stand before it
    value: Expr  # what is stored; or the unknown that is loaded
    size: int  # bytes
    width: int  # bytes that one instruction was meant to move


def expected_elements(program: Program) -> tuple[ExpectedElement, ...]:
    """Every element that a thread accesses, in the program's order.

    Raises `NotReadable` for a statement that is no plain move.
    """
    return tuple(_walk(program))


def _walk(program: Program) -> Iterator[ExpectedElement]:
    held: dict[tuple[str, tuple[int, ...]], Expr] = {}
    barriers = 0
    if len({tensor.dtype for tensor in program.tensors}) > 1:
        raise NotReadable(f"{program.name} converts elements from one type to another")
    if len(program.shared) > 1:
        raise NotReadable(f"{program.name} has several buffers in LDS")
    for number, statement in enumerate(program.body):
        if isinstance(statement, Barrier):
            barriers += 1
            continue
        if not isinstance(statement, Load | Store | StoreShared | LoadShared):
            raise NotReadable(f"{program.name}: statement {number} is a {type(statement).__name__}")
        if isinstance(statement, StoreShared | LoadShared) and statement.slot is not FALSE:
            raise NotReadable(f"{program.name}: statement {number} uses LDS in turns")
        for y in product(*map(range, map(int, statement.registers.distribution.ys))):
            key = (statement.registers.name, y)
            if isinstance(statement, Load | LoadShared):
                unknown = symbol(f"want_{number}_{'_'.join(map(str, y))}", min=0, max=(1 << 8 * _size(statement)) - 1)
                element = _element(program, number, statement, y, barriers, unknown)
                held[key] = select(element.guard, unknown, FALSE)
            else:
                if key not in held:
                    raise NotReadable(f"{program.name}: statement {number} stores what nothing has loaded")
                element = _element(program, number, statement, y, barriers, held[key])
            yield element


def _size(access: Access) -> int:
    return int(access.registers.dtype.bytes)


def _element(
    program: Program, number: int, access: Access, y: tuple[int, ...], barriers: int, value: Expr
) -> ExpectedElement:
    variables = access.registers.distribution.y_index
    at = dict(zip(variables, y, strict=True))
    start = at | {variables[y]: 0 for y in vector_ys(access)}
    inner = program.coordinates(access, variables)
    size = _size(access)
    if isinstance(access, GlobalAccess):
        x = tuple(o + c for o, c in zip(access.origin, inner, strict=True))
        place = tuple(simplify(substitute(c, at)) for c in x)
        first = tuple(simplify(substitute(c, start)) for c in x)
        descriptor, buffer = access.tensor.descriptor, access.tensor.name
        guard = _guard(access, first) if access.guarded else TRUE
    else:
        place = tuple(simplify(substitute(c, at)) for c in inner)
        descriptor, buffer, guard = access.descriptor, "lds", TRUE
    verb = "load" if isinstance(access, Load | LoadShared) else "store"
    return ExpectedElement(
        what=f"statement {number}, {verb} of {access.registers.name}{list(y)}",
        store=isinstance(access, Store | StoreShared),
        buffer=buffer,
        offset=simplify(descriptor.offset(place) * size),
        guard=guard,
        barriers=barriers,
        value=value,
        size=size,
        width=size * vector_width(access),
    )


def _guard(access: GlobalAccess, x: tuple[Expr, ...]) -> Expr:
    """Inside the tensor, and not padding."""
    inside = (simplify(i < n) for i, n in zip(x, access.tensor.descriptor.lengths, strict=True))
    return all_of(*inside, simplify(access.tensor.descriptor.valid(x)))
