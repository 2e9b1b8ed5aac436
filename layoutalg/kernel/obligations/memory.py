"""Global memory: accesses inside, addresses in bounds, vectors whole, descriptors that mean what the user said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.index import (
    TRUE,
    Expr,
    all_equal,
    all_of,
    conjuncts,
    eq,
    extent_of,
    internal,
    substitute,
    symbol,
    variables,
)
from layoutalg.index.normal import simplify
from layoutalg.index.radix import horner
from layoutalg.kernel.access.address import address_of
from layoutalg.kernel.access.places import bounds, coordinates, first_copy, starts, vector_start
from layoutalg.kernel.obligations.base import Requirement, fits, inside, lanes_of
from layoutalg.kernel.program import ElementMap, GlobalAccess, Load, MemoryAccess, Program, Store, Tensor
from layoutalg.layout import LayoutError, TensorDescriptor, make_single_stage_tensor_adaptor
from layoutalg.prove import Bijective, Contiguous, ForAll, InBounds, Injective, RoundTrip, Shown


def computed(what: str, emitted: Sequence[Expr], meant: Sequence[Expr], program: Program) -> Requirement:
    """The coordinates that are computed are the map's."""
    shown = (Shown("block", program.grid), Shown("thread", program.threads), Shown("coordinates", tuple(emitted)))
    same = all_equal(emitted, meant)
    return Requirement(f"{what}: the emitted coordinates are the map's", ForAll("as computed", same, TRUE, shown))


def tensors(program: Program) -> Iterator[Requirement]:
    """Of each tensor: its map is in bounds, what is emitted is the map, and its arithmetic fits."""
    used = dict.fromkeys(s.tensor for s in program.of(GlobalAccess))
    for tensor in used:
        yield Requirement(f"{tensor.name}: addresses in bounds", InBounds(tensor.descriptor))
        yield from _emitted_address(program, tensor)
    target = program.target
    if program.fills:
        yield Requirement(f"{target.name}: every element has one coordinate", Bijective(target.descriptor))
    else:
        yield Requirement(f"{target.name}: no element has two coordinates", Injective(target.descriptor))
    for one in program.element_maps:
        yield from element_map(one)


def element_map(one: ElementMap) -> Iterator[Requirement]:
    """At each index that the user knows, the descriptor has data where it is said, and gives the element that is said.

    Digits and conditions are first brought to a short form; that it is the same is asked too.
    """
    top, found = one.coordinates, address_of(one.tensor)
    shown = (Shown("letters", one.letters), Shown("coordinates", top), Shown("offset", (one.offset,)))
    at: dict[Expr, Expr | int] = dict(zip(found.coordinates, top, strict=True))
    steps = list[Expr]()
    for named, value in (*found.digits.items(), *found.padded.items()):
        there = substitute(value, at)
        at[named] = simplify(there)
        steps.append(eq(at[named], there))
    valid, wanted = (conjuncts(condition) for condition in (substitute(found.valid, at), one.valid))
    steps += [eq(simplify(part), part) for part in (*valid, *wanted)]
    yield Requirement(f"{one.text}: its digits", ForAll("short forms are the same", all_of(*steps), TRUE, shown))
    goal = all_of(inside(top, one.tensor.descriptor.lengths), eq(_ordered(valid), _ordered(wanted)))
    yield Requirement(f"{one.text}: its coordinates", ForAll("coordinates in range, valid alike", goal, TRUE, shown))
    goal = eq(substitute(found.offset, at), one.offset)
    yield Requirement(
        f"{one.text}: its element is {simplify(one.offset)}",
        ForAll("the offset is the element's", goal, one.valid, shown),
    )


def _ordered(parts: Sequence[Expr]) -> Expr:
    """A conjunction of short forms, in an order of their own: equal sets of parts are equal expressions."""
    return all_of(*sorted((part for long in parts for part in conjuncts(simplify(long))), key=repr))


def _emitted_address(program: Program, tensor: Tensor) -> Iterator[Requirement]:
    """The emitted offset is the descriptor's, and its arithmetic fits."""
    address = address_of(tensor)
    direct = tensor.descriptor.offset(address.top)
    emitted = substitute(address.offset, address.padded)
    same = ForAll("the emitted offset is the descriptor's", eq(emitted, direct))
    yield Requirement(f"{tensor.name}: the emitted formula is the map", same)
    valid = tensor.descriptor.valid(address.top)
    if valid is not TRUE:
        printed = all_of(*conjuncts(address.valid))
        agree = ForAll("the emitted condition is the descriptor's validity", eq(printed, valid))
        yield Requirement(f"{tensor.name}: the emitted validity is the map's", agree)
    for n, merge in enumerate(address.merges):
        digits = make_single_stage_tensor_adaptor([merge], [list(range(len(merge.lengths)))], [[0]])
        yield Requirement(f"{tensor.name}: digits of merge {n} are its index", RoundTrip(digits))
    for digit, value in address.digits.items():
        same = ForAll("the emitted digit is the merge's", eq(value, address.meant[digit]))
        yield Requirement(f"{tensor.name}: {digit} as it is emitted", same)
    for index, value in address.padded.items():
        there = ForAll("an index below padding is in range", inside([value], [extent_of(index)]), address.valid)
        yield Requirement(f"{tensor.name}: {index} is in range where there is data", there)
    parts = [*address.digits.values(), *address.padded.values(), address.offset, address.valid]
    what = f"{tensor.name}: offsets fit {program.index_bits} bits"
    yield from fits(what, parts, program.index_bits, program.requires)


def global_access(program: Program, number: int, access: GlobalAccess) -> Iterator[Requirement]:
    """Every access stays inside, misses nothing that is inside, and moves whole vectors."""
    what = f"{number}: {access.what}"
    lengths, x = access.tensor.descriptor.lengths, coordinates(program, access)
    start = starts(program, access)
    yield computed(what, start, vector_start(access, x), program)
    guard = all_of(*bounds(access, start))
    given = all_of(guard, access.only) if isinstance(access, Load) else guard
    shown = (
        Shown("block", program.grid),
        Shown("thread", program.threads),
        Shown("coordinates", start),
        Shown("lengths", lengths),
    )
    in_range = ForAll("guarded coordinates are in range", inside(start, lengths), given, shown)
    yield Requirement(f"{what}: inside the tensor", in_range)
    if access.guarded and access.vector is not None and guard is not TRUE:
        elements = all_of(*(i < n for i, n in zip(x, lengths, strict=True)))
        passes = ForAll("an element inside passes the guard", guard, elements, shown)
        yield Requirement(f"{what}: the guard lets everything inside through", passes)
    yield from vector(what, access, access.tensor.descriptor)
    if access.vector is not None:
        width = access.width
        first, more, lane = symbol("first", min=0), symbol("more", min=0), internal("lane", width)
        ends = first * width + lane < (first + more + 1) * width
        lemma = ForAll("of multiples: first < end gives first + lane < end", ends)
        yield Requirement(f"{what}: a vector that begins inside ends inside", lemma)
    about = f"{what}: coordinates fit {program.index_bits} bits"
    x0 = address_of(access.tensor).coordinates
    within = [i < n for i, n in zip(x0, lengths, strict=True)] if access.guarded else []
    tested = [access.only] if isinstance(access, Load) else []
    tested += [first_copy(program, access.registers)] if isinstance(access, Store) else []
    yield from fits(about, [*start, *within, *tested], program.index_bits, program.requires)
    if isinstance(access, Load) and access.ranged:
        yield from ranged(program, what, access)


RANGE = (1 << 31) - 16
"""Bytes that a ranged load can reach (`emit.instructions.RANGED`)."""

RANGED_BYTES = 16
"""Bytes of a ranged load."""


def ranged(program: Program, what: str, load: Load) -> Iterator[Requirement]:
    """Every element of the tensor lies within the range; LayoutError where the text has no such load."""
    size, address = load.tensor.dtype.bytes, address_of(load.tensor)
    if load.fill != "sum" or load.only is not TRUE or load.width * size != RANGED_BYTES:
        raise LayoutError(f"{what}: a ranged load is of {RANGED_BYTES} bytes at once, and gives zeros")
    if not address.is_polynomial or load.tensor.dtype != load.registers.dtype:
        raise LayoutError(f"{what}: a ranged load needs elements as they are held, at a polynomial in the coordinates")
    end = (address.offset + 1) * size  # of 16 bytes at a multiple of 16: below 2³¹ it is at most RANGE
    yield from fits(f"{what}: bytes fit the range", [end], 32, program.requires)


def vector(what: str, access: MemoryAccess, descriptor: TensorDescriptor) -> Iterator[Requirement]:
    """A vector's elements lie one after another along one coordinate, and so in memory."""
    if access.vector is None:
        return
    width, ys = access.width, [access.registers.distribution.y_index[y] for y in access.vector_ys]
    number = horner(ys, [access.registers.distribution.ys[y] for y in access.vector_ys])
    lanes = lanes_of(access.registers.distribution)
    inner = access.registers.distribution.lower(lanes, access.registers.distribution.y_index)
    moving = [d for d, i in enumerate(inner) if set(ys) & set(variables(i))]
    if len(moving) != 1:
        raise LayoutError(f"{what}: a vector runs along {len(moving)} coordinates; it must run along one")
    (along,) = moving
    (start,) = vector_start(access, (inner[along],))
    goal = all_of(eq(inner[along], start + number), eq(start % width, 0))
    yield Requirement(f"{what}: a vector runs along coordinate {along}", ForAll("lanes of a vector", goal))
    if access.start:
        begin = eq(access.start[along] % width, 0)
        yield Requirement(f"{what}: tiles begin at a vector", ForAll("the origin is a multiple of the vector", begin))
    yield Requirement(f"{what}: {width} elements are one vector", Contiguous(descriptor, along, width))
