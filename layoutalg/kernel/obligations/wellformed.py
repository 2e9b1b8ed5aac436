"""Whether a program is one: names, scopes, ranks and types, before anything is asked of the prover.

A program is read twice, by the prover (where two variables of one name and range are one variable) and as C (where an
inner declaration hides an outer one).  Both readings are of one program only if every name is declared once and every
expression uses names that are declared around it:

| expression                              | may use                                                |
|-----------------------------------------|--------------------------------------------------------|
| descriptors, tiles, requires, extents   | the sizes                                              |
| lanes                                   | the threads                                            |
| count of a loop                         | the sizes, the grid and the threads                    |
| origins and slots                       | the sizes, the grid and the loops around the statement |

Origins and slots know no threads: all threads of a block take part in the same tile.  What is refused here has no
meaning; what has one, but a wrong one, is refuted by an obligation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from layoutalg.index import FALSE, TRUE, Expr, c_expression, var, variables
from layoutalg.index.ranges import BOOLEAN
from layoutalg.kernel.access.address import address_of
from layoutalg.kernel.program import (
    Attend,
    BoxCopy,
    Compute,
    Contract,
    ContractScaled,
    GlobalAccess,
    Load,
    Loop,
    MaskScores,
    Meaning,
    MemoryAccess,
    Multiply,
    Program,
    Read,
    Reduce,
    Registers,
    SharedAccess,
    Statement,
    Tensor,
    apart,
)
from layoutalg.kernel.program.functions import unknown
from layoutalg.kernel.program.names import operation_name, shared_names, vector_type
from layoutalg.kernel.program.typed import wrongly_typed
from layoutalg.layout import Functor, LayoutError, TensorAdaptor
from layoutalg.target.dtypes import OPERAND_DTYPES

RESERVED = (
    (r"_.*|threadIdx|blockIdx|blockDim|gridDim|warpSize", "C++ and HIP"),
    (
        r"LAYOUTALG_\w*|HIP_\w*|CUDA_\w*|linux|unix|i386|assert|errno|alloca|offsetof|signgam|math_errhandling"
        r"|std(in|out|err)|NULL|NAN|INFINITY|EOF|BUFSIZ|CHAR_BIT|CLOCKS_PER_SEC|EXIT_\w+|HUGE_VAL\w?|FP_[A-Z]\w*"
        r"|(FLT|L?DBL|DECIMAL)_[A-Z]\w*|M_(\d_)?(E|LN|LOG|PI|SQRT)\w*"
        r"|([SU]?CHAR|U?SHRT|U?L{0,2}ONG|U?INT[A-Z\d_]*|SIZE|PTRDIFF|RAND|WCHAR)_(MAX|MIN|WIDTH|C)",
        "a macro",
    ),
    (
        r"tw?\d+|table\d+|block\d+|launched_blocks?|word|v|place|there|lds_bytes|data_at|copy_to_lds|copy_inside_to_lds|copy_straight(_ranged)?|landing(_of)?|tile_at|commit_copies|await_copies|meet_under_way|publish_lds|operand_at|begin_products|commit_products|await_products|hold|load_matrices\w*"
        r"|Words?|Copied|to_bf16|from_bf16|TensorBox|PhaseBarrier|lds_at|make_barriers|await_phase|expect_bytes|leave|copy_box|copy_pixels|turn|last_slot|next_turn|keep_registers|take_registers|meet"
        r"|full|empty|slot|.*_box"
        r"|words|w|turn_words|load_once|power_of_two|of_lane|greater_of|rescale|greater|kept",
        "the emitted text",
    ),
    (r".*_start|.*_inside", "the emitted text"),
    (
        r"(any|undefined|loaded|carried|below)_\d+|(want|head|address_of|aperture_of)_.*|flat_scratch_init|scratch_wavefront_offset",
        "the reading of machine code",
    ),
)
"""Names that a program may not use, and who does."""

Scope = frozenset[Expr]


def refuse(program: Program) -> None:
    """LayoutError unless the program is well-formed; the message says what is wrong and what would do."""
    for check in (_types, _numbers, _ranks, _names, _sizes, _indices, _tensors, _meaning, _statements):
        check(program)


def _no(program: Program, what: str) -> LayoutError:
    return LayoutError(f"{program.name}: not well-formed: {what}")


def _types(program: Program) -> None:
    """Every field is what it is declared to be, and what is a condition is a truth value."""
    wrong = next(wrongly_typed(program), None)
    if wrong is not None:
        raise LayoutError(f"not well-formed: {wrong}")
    conditions = [("what is required", program.requires)]
    conditions += [(f"what is said to be valid of {one.tensor.name}", one.valid) for one in program.element_maps]
    conditions += [(f"the condition on {s.tensor.name}", s.only) for s in program.of(Load)]
    conditions += [(f"what is kept of {s.registers.name}", s.keep) for s in program.of(MaskScores)]
    conditions += [(f"where {s.registers.name} is masked", s.only) for s in program.of(MaskScores)]
    conditions += [("what the meaning keeps", m.keep) for m in _parts(program.claimed) if isinstance(m, Attend)]
    for what, condition in conditions:
        if condition.op not in BOOLEAN and condition is not TRUE and condition is not FALSE:
            raise _no(program, f"{what} is {condition}, a number; a truth value is needed")


def _numbers(program: Program) -> None:
    rank = program.target.descriptor.rank
    counts = {"grid": len(program.grid), "threads": len(program.threads)}
    most = {"grid": len(program.grid) if program.linear else 3, "threads": 3}
    for what, n in counts.items():
        if not 1 <= n <= most[what]:
            raise _no(program, f"{n} indices of {what}; at least 1, at most {most[what]}")
    if program.index_bits not in (32, 64):
        raise _no(program, f"indices of {program.index_bits} bits; 32 or 64")
    if program.resident < 1:
        raise _no(program, f"{program.resident} blocks of it are to be held at a time; at least 1")
    if program.persistent < 0 or (program.persistent and not program.linear):
        raise _no(program, f"{program.persistent} blocks compute tiles in turns; at least 0, of a linear grid")
    if program.chiplets < 1 or (program.chiplets > 1 and (program.persistent or not program.linear)):
        raise _no(program, f"blocks for {program.chiplets} chiplets; at least 1, more of a linear grid, a tile a block")
    if len(program.tile) != rank or min(program.tile) < 1:
        raise _no(program, f"a tile of {program.tile}; {rank} lengths of at least 1 are needed")
    tiles = program.tiles
    if len(tiles.lengths) != len(program.grid) or len(tiles.bottom_ids) != rank or None in tiles.bottom_lengths:
        raise _no(
            program, f"tiles must lead from {len(program.grid)} grid indices to {rank} tile numbers of known range"
        )
    for shared in program.shared:
        if shared.elements < 1 or shared.slots < 1:
            raise _no(program, f"{shared.name} has {shared.elements} elements in {shared.slots} slots; 1 at least")


def _ranks(program: Program) -> None:
    """As many coordinates, lanes and Ys as what they are given for has."""
    for registers in program.registers:
        lanes = len(registers.distribution.ps)
        if lanes != len(program.lanes):
            raise _no(program, f"{len(program.lanes)} lanes; {registers.name} is distributed over {lanes} P indices")
    for one in program.element_maps:
        if len(one.coordinates) != one.tensor.descriptor.rank:
            raise _no(program, f"{len(one.coordinates)} coordinates are said of {one.tensor.name}, which has others")
    for s in program.of(MemoryAccess):
        _rank(program, s)


def _rank(program: Program, s: MemoryAccess) -> None:
    place = s.memory.name
    everywhere = isinstance(s, GlobalAccess)
    rank = s.reached.rank
    held = len(s.registers.distribution.lengths)
    if held != rank:
        raise _no(program, f"{s.registers.name} holds a tile of rank {held}; {place} has {rank} coordinates")
    moved = s.vector_ys
    if len(set(moved)) != len(moved) or not set(moved) <= set(range(len(s.registers.distribution.ys))):
        raise _no(program, f"{s.registers.name} has no Ys {s.vector} to move as a vector")
    if len(s.start) != rank and (s.start or everywhere):
        raise _no(program, f"an origin of {len(s.start)} coordinates in {place}, which has {rank}")
    guarded = s.guarded if isinstance(s, GlobalAccess) else True
    if isinstance(guarded, tuple) and len(guarded) != rank:
        raise _no(program, f"{len(guarded)} coordinates are guarded or not in {place}, which has {rank}")


# --- names ------------------------------------------------------------------------------------------------------------


def _names(program: Program) -> None:
    """Every name is a C identifier, declared once, and hidden by no other."""
    outer = list(outer_names(program))
    inner = set(_inner_names(program))
    for name in (*outer, *inner):
        _refuse_name(program, name)
    twice = next((name for name, n in Counter(outer).items() if n > 1), None)
    if twice is not None:
        raise _no(program, f"{twice!r} names two things; give each its own name")
    hidden = next((name for name in outer if name in inner), None)
    if hidden is not None:
        raise _no(program, f"{hidden!r} is also a coordinate, a digit or a register index; rename one of them")
    for s in program.of(MemoryAccess):
        local = [*_y_names(s.registers), *_place_names(program, s)]
        twice = next((name for name, n in Counter(local).items() if n > 1), None)
        if twice is not None:
            raise _no(program, f"{twice!r} names two indices of one access; rename a coordinate")


def outer_names(program: Program) -> Iterator[str]:
    """What the kernel declares: itself and its types, arguments, positions, loops, buffers and registers."""
    yield program.name
    yield from (t.name for t in program.tensors)
    indices = (*program.sizes, *program.grid, *program.threads, *(i.index for i in program.of(Loop)))
    yield from (v.value.name if v.op == "var" else repr(v) for v in indices)
    yield from (s.name for s in program.shared)
    yield from (r.name for r in program.registers)
    moved = {(s.memory.dtype.c, s.width) for s in program.of(MemoryAccess)}
    yield from (vector_type(c, n) for c, n in sorted(moved) if n > 1)
    instructions = {s.instruction.name: s.instruction for s in program.of(Multiply)}
    yield from (operation_name(i) for i in instructions.values() if i.wave > 1)


def _inner_names(program: Program) -> Iterator[str]:
    for _, s in program.statements():
        yield from s.letters
        yield from (v.value.name for v in s.coordinates if v.op == "var") if isinstance(s, MaskScores) else ()
        for registers in s.tiles:
            yield from _y_names(registers)
        if isinstance(s, MemoryAccess):
            yield from _place_names(program, s)


def _y_names(registers: Registers) -> Iterator[str]:
    return (y.value.name for y in registers.distribution.y_index)


def _place_names(program: Program, s: MemoryAccess) -> Iterator[str]:
    """The names that an access gives to coordinates, and to what is made of them."""
    if isinstance(s, SharedAccess):
        yield from shared_names(program, s)
        return
    assert isinstance(s, GlobalAccess)
    address = address_of(s.tensor)
    yield from (v.value.name for v in (*address.coordinates, *address.digits, *address.padded))


def _refuse_name(program: Program, name: str) -> None:
    try:
        c_expression(var(name, 2))
    except ValueError as error:
        raise _no(program, f"{name!r} is no name in C") from error
    for pattern, owner in RESERVED:
        if re.fullmatch(pattern, name):
            raise _no(program, f"the name {name!r} is kept for {owner}; choose another")


# --- scopes -----------------------------------------------------------------------------------------------------------


def _within(program: Program, what: str, exprs: Iterable[Expr], scope: Scope) -> None:
    """Every variable below is in scope: the very one, with its range."""
    for v in variables(*exprs):
        if v not in scope:
            alike = next((f", which is another than the {s} in {s.value.lo}…{s.value.hi} declared there" for s in scope
                          if s.value.name == v.value.name), "")  # fmt: skip
            raise _no(program, f"{what} uses {v} (in {v.value.lo}…{v.value.hi}), which is not declared there{alike}")


def _sizes(program: Program) -> None:
    """Sizes are symbols, and all that descriptors, tiles and requirements use."""
    scope = frozenset(program.sizes)
    for size in program.sizes:
        if size.op != "var" or size.value.index:
            raise _no(program, f"the size {size} is no symbol")
    for tensor in program.tensors:
        _within(program, f"the descriptor of {tensor.name}", _parameters(tensor.descriptor.adaptor), scope)
        _within(program, f"the memory of {tensor.name}", [tensor.descriptor.element_space_size], scope)
    for _, s in program.statements():
        if isinstance(s, SharedAccess):
            _within(program, f"the map of {s.shared.name}", _parameters(s.descriptor.adaptor), scope)
        for registers in s.tiles:
            distribution = registers.distribution
            parameters = (*_parameters(distribution.adaptor), *distribution.lengths, *distribution.ps, *distribution.ys)
            _within(program, f"the distribution of {registers.name}", parameters, frozenset())
        if isinstance(s, MaskScores):
            _within(program, f"what is kept of {s.registers.name}", [s.keep], scope | set(s.coordinates))
        if isinstance(s, BoxCopy) and s.pixels is not None:
            _within(program, f"the image of {s.load.tensor.name}", s.pixels.lengths, scope)
    _within(program, "the map of tiles", _parameters(program.tiles), scope)
    _within(program, "what is required", [program.requires], scope)
    for meaning in _parts(program.claimed):
        if isinstance(meaning, Attend):
            _within(program, "what the meaning keeps", [meaning.keep], scope | set(meaning.coordinates))
    for one in program.element_maps:
        letters = frozenset(one.letters)
        _within(program, f"what {one.text} says", (*one.coordinates, one.offset, one.valid), scope | letters)


def _parameters(adaptor: TensorAdaptor) -> Iterator[Expr]:
    """Every expression that an adaptor is made of; of a function, what it uses beside its argument."""
    yield from adaptor.hidden_lengths.values()
    for transform in adaptor.transforms:
        if isinstance(transform, Functor):
            yield transform.length
            yield from (v for v in variables(transform.function) if v is not transform.index)
            continue
        for field in fields(transform):
            value = getattr(transform, field.name)
            yield from value if isinstance(value, tuple) else (value,)


def _indices(program: Program) -> None:
    """Grid, threads and loops count from 0, one by one; how far, is known where they begin."""
    sizes = frozenset(program.sizes)
    grid, threads = frozenset(program.grid), frozenset(program.threads)
    scopes = [(i, sizes) for i in program.grid] + [(i, Scope()) for i in program.threads]
    scopes += [(s.index, sizes | grid | threads) for s in program.of(Loop)]
    for index, scope in scopes:
        if index.op != "var" or not index.value.index or index.value.lo != 0:
            raise _no(program, f"{index} does not count 0, 1, 2 …; use var(name, extent)")
        if index.value.extent is None and index.hi == float("inf"):
            raise _no(program, f"{index} has no end; use var(name, extent)")
        if index.value.extent is not None:
            _within(program, f"the extent of {index}", [index.value.extent], scope)
    _within(program, "the lanes", program.lanes, threads)


# --- tensors, meaning, statements -------------------------------------------------------------------------------------


def _tensors(program: Program) -> None:
    dtypes = [(t.name, t.dtype) for t in program.tensors]
    dtypes += [(r.name, r.dtype) for r in program.registers] + [(s.name, s.dtype) for s in program.shared]
    for name, dtype in dtypes:
        if OPERAND_DTYPES.get(dtype.name) != dtype:
            raise _no(program, f"{name} has elements {dtype}; known are {', '.join(OPERAND_DTYPES)}")
    for _, s in program.statements():
        if isinstance(s, GlobalAccess):
            if s.tensor not in program.tensors:
                raise _no(program, f"{s.tensor.name} is accessed, and is no argument of the kernel")
            if isinstance(s, Load) and s.tensor == program.target:
                raise _no(
                    program, f"{s.tensor.name} is the target, and is loaded from; other blocks may write it first"
                )
    for one in program.element_maps:
        if one.tensor not in program.tensors:
            raise _no(program, f"{one.text} speaks of {one.tensor.name}, which is no argument of the kernel")
        for v in variables(*one.letters, one.offset):  # they are written into comments
            if not v.value.name.isidentifier():
                raise _no(program, f"the letter {v.value.name!r} is no name")


def _meaning(program: Program) -> None:
    for meaning in _parts(program.claimed):
        ranks: tuple[tuple[Tensor, int], ...] = ()
        match meaning:
            case Read(tensor):
                ranks = ((tensor, program.target.descriptor.rank),)
            case Contract(a, b):
                ranks = ((a, 3), (b, 3), (program.target, 3))
            case ContractScaled(a, b, a_scale, b_scale):
                ranks = ((a, 3), (b, 3), (a_scale, 3), (b_scale, 3), (program.target, 3))
            case Reduce(tensor):
                ranks = ((tensor, program.target.descriptor.rank + 1),)
            case Attend(q, k, v):
                ranks = ((q, 3), (k, 3), (v, 3), (program.target, 3))
                if meaning is not program.claimed:
                    raise _no(program, "attention is the whole meaning, or none of it")
            case Compute(function, operands):
                _refuse_first(program, unknown(function, len(operands)))
        for tensor, rank in ranks:
            if tensor not in program.tensors:
                raise _no(program, f"{tensor.name} is in the meaning, and is no argument of the kernel")
            if tensor.descriptor.rank != rank:
                raise _no(program, f"{tensor.name} has {tensor.descriptor.rank} coordinates; its meaning has {rank}")


def _parts(meaning: Meaning) -> Iterator[Meaning]:
    yield meaning
    for operand in meaning.operands if isinstance(meaning, Compute) else ():
        yield from _parts(operand)


def _statements(program: Program) -> None:
    _body(program, program.body, frozenset((*program.sizes, *program.grid)))
    for _, s in program.statements():
        _refuse_first(program, _computed(s))
    for s in apart(program.body):
        if isinstance(s, Multiply) and s.instruction.operands_in_lds:
            raise _no(program, f"{s.instruction.name} takes its operands from LDS; {s.a.name} is in registers")


def _computed(s: Statement) -> Iterator[str]:
    """What a statement makes of elements whose format only the target knows: they are moved, and multiplied there."""
    if isinstance(s, MemoryAccess):
        if s.registers.dtype != s.memory.dtype and (s.registers.dtype.formats or s.memory.dtype.formats):
            held, there = s.registers.dtype.name, s.memory.dtype.name
            yield f"{s.memory.name} is {there}, {s.registers.name} {held}, and no statement converts between them"
        if isinstance(s, Load) and s.fill != "sum" and s.registers.dtype.formats:
            yield f"{s.registers.name} is {s.registers.dtype.name}, of which no least number is known"
        return
    taken = (s.a, s.b, *s.scales) if isinstance(s, Multiply) and s.instruction.wave > 1 else ()
    for registers in (one for one in s.tiles if one.dtype.formats and one not in taken and not s.parts):
        yield f"{registers.name} is {registers.dtype.name}, which {type(s).__name__} does not compute with"


def _body(program: Program, body: Sequence[Statement], scope: Scope) -> None:
    for s in body:
        _body(program, s.parts, scope | {s.index} if isinstance(s, Loop) else scope)
        for what, exprs in s.places():
            _within(program, what, exprs, scope)
        _refuse_first(program, s.wrong())


def _refuse_first(program: Program, wrong: Iterator[str]) -> None:
    text = next(wrong, None)
    if text is not None:
        raise _no(program, text)


__all__ = ["outer_names", "refuse"]
