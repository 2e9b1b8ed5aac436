"""Programs with one thing wrong: each statement dropped or doubled, each field of everything with other values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from layoutalg.index import TRUE, Expr, as_expr, extent_of, substitute, var
from layoutalg.kernel.program import Barrier, Commit, Loop, Program, Registers, Shared, SharedAccess, Statement, Tensor
from layoutalg.kernel.program.fragments import instruction_named
from layoutalg.layout import LayoutError, TensorDescriptor, make_naive_tensor_descriptor
from layoutalg.target.dtypes import DTYPES
from layoutalg.target.operand import MatrixInstruction

Mutant = tuple[str, Program]
"""What was changed, and the program."""
WGMMA = "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{}.{}"


def parts(thing: Any) -> Iterator[Any]:
    """Everything of the program's own below a value, that has fields."""
    for held in thing if isinstance(thing, tuple) else (thing,):
        if is_dataclass(held) and type(held).__module__.startswith("layoutalg.kernel"):
            yield held
            for f in fields(held):
                yield from parts(getattr(held, f.name))


def put(thing: Any, old: Any, new: Any) -> Any:
    """The value with one thing in another's place, wherever it stands."""
    if type(thing) is type(old) and thing == old:
        return new
    if isinstance(thing, tuple):
        return tuple(put(one, old, new) for one in thing)
    if is_dataclass(thing) and type(thing).__module__.startswith("layoutalg.kernel"):
        return replace(thing, **{f.name: put(getattr(thing, f.name), old, new) for f in fields(thing)})
    return thing


def others(program: Program, name: str, held: Any) -> Iterator[Any]:
    """Other values of a field."""
    pool = list(dict.fromkeys(one for s in program.body for one in parts(s)))
    shapes = [s.descriptor for s in program.of(SharedAccess)]
    match held:
        case bool():
            yield not held
        case int():
            yield from (held + 1, held - 1, (held, 0), None)
        case None if name == "vector":
            yield from (0, 1, 2)
        case Expr():
            yield from (held + 1, held * 2, as_expr(0), TRUE, *(held + i for i in loops(program)))
        case Registers() | Shared() | Tensor():
            yield from (one for one in (*pool, *program.tensors) if type(one) is type(held) and one != held)
            yield replace(held, name=f"{held.name}_too")
            for dtype in ("f32", "f16", "bf16"):
                yield replace(held, dtype=DTYPES[dtype])
        case TensorDescriptor():
            yield from (one for one in dict.fromkeys(shapes) if one is not held)
            if all(n.op == "const" for n in held.lengths):
                yield from (make_naive_tensor_descriptor(held.lengths, strides) for strides in packed(held.lengths))
        case MatrixInstruction():
            yield from (instruction_named(WGMMA.format(n, "f16", "f16")) for n in (128, 256))
            yield instruction_named(WGMMA.format(64, "bf16", "bf16"))
        case (bool(), *_):
            yield from (tuple(not b for b in held), held[::-1], True, False)
        case (Expr(), *_):
            for at, one in enumerate(held):
                yield from ((*held[:at], new, *held[at + 1 :]) for new in others(program, name, one))
            yield held[::-1]
        case (Shared(), *_):
            yield from (held[:-1], held[::-1], (*held, held[0]))
        case "sum" | "max":
            yield "max" if held == "sum" else "sum"
        case str() if name == "by":
            yield from ("ldmatrix", "ldmatrix.trans")


def packed(lengths: Sequence[Expr]) -> Iterator[list[Expr]]:
    """Strides: the last coordinate fastest, the first one, rows apart, all of them alike."""
    strides = [as_expr(1)]
    for length in lengths[:0:-1]:
        strides.append(strides[-1] * length)
    yield from (strides[::-1], strides, [s * 2 for s in strides[::-1]], [as_expr(1)] * len(lengths))


def loops(program: Program) -> tuple[Expr, ...]:
    return tuple(s.index for s in program.of(Loop))


def mutants(program: Program) -> Iterator[Mutant]:
    """Each statement dropped, doubled, behind a barrier; each field with other values, here and everywhere."""
    for path in paths(program.body):
        s = at(program.body, path)
        what = f"{type(s).__name__} {path}"
        for words, new in (
            ("dropped", ()),
            ("twice", (s, s)),
            ("behind a barrier", (Barrier(), s)),
            ("committed", (s, Commit())),
        ):
            yield f"{what} {words}", replace(program, body=edited(program.body, path, new))
        for part in dict.fromkeys(parts(s)):
            for f in fields(part):
                if f.name != "body" and not (isinstance(part, Loop) and f.name == "index"):
                    for value in others(program, f.name, getattr(part, f.name)):
                        told = f"{what} {type(part).__name__}.{f.name}"
                        try:
                            new = replace(part, **{f.name: value})
                            yield told, replace(program, body=edited(program.body, path, (put(s, part, new),)))
                            if isinstance(part, Registers | Shared):
                                yield f"{told} everywhere", replace(program, body=put(program.body, part, new))
                        except (LayoutError, ValueError, TypeError, OverflowError):
                            continue
    yield from of_loops(program)
    for one in (*dict.fromkeys(p for s in program.body for p in parts(s) if isinstance(p, Shared)),):
        for change in ({"elements": one.elements * 2}, {"elements": one.elements - 64}, {"slots": one.slots + 1},
                       {"slots": max(1, one.slots - 1)}, {"again": not one.again}):  # fmt: skip
            yield f"{one.name} {change}", replace(program, body=put(program.body, one, replace(one, **change)))
    yield from of_program(program)
    for change in ({"resident": 2}, {"linear": not program.linear}, {"fills": not program.fills}, {"requires": TRUE},
                   {"index_bits": 64}, {"grid": program.grid[::-1]}, {"tile": program.tile[::-1]},
                   {"persistent": 132}):  # fmt: skip
        yield f"program {change}", replace(program, **change)


def of_program(program: Program) -> Iterator[Mutant]:
    """Lanes, tiles, tensors' maps and what is said of them."""
    yield "program lanes", replace(program, lanes=program.lanes[::-1])
    yield "program lanes", replace(program, lanes=tuple(lane * 0 for lane in program.lanes))
    yield "program lanes", replace(program, lanes=tuple((lane + 1) % (int(lane.hi) + 1) for lane in program.lanes))
    for d, n in enumerate(program.tile):
        for new in (n * 2, n + 1, max(1, n // 2)):
            yield "program tile", replace(program, tile=(*program.tile[:d], new, *program.tile[d + 1 :]))
    for one in program.tensors:
        for strides in packed(one.descriptor.lengths):
            new = replace(one, descriptor=make_naive_tensor_descriptor(one.descriptor.lengths, strides))
            yield f"{one.name} map", put(program, one, new)
        yield f"{one.name} type", put(program, one, replace(one, dtype=DTYPES["bf16"]))
    for n, said in enumerate(program.element_maps):
        for new in (replace(said, offset=said.offset + 1), replace(said, coordinates=said.coordinates[::-1])):
            maps = (*program.element_maps[:n], new, *program.element_maps[n + 1 :])
            yield "said of a tensor", replace(program, element_maps=maps)


def of_loops(program: Program) -> Iterator[Mutant]:
    """Loops of other counts."""
    for n, s in enumerate(program.body):
        if isinstance(s, Loop):
            for count in (extent_of(s.index) + 1, extent_of(s.index) - 1, extent_of(s.index) * 2, as_expr(4)):
                try:
                    index = var(s.index.value.name, count)
                except ValueError:
                    continue
                yield (
                    f"loop of {count}",
                    replace(program, body=edited(program.body, (n,), (renamed(s, s.index, index),))),
                )


def renamed(thing: Any, old: Expr, new: Expr) -> Any:
    if isinstance(thing, Expr):
        return substitute(thing, {old: new})
    if isinstance(thing, tuple):
        return tuple(renamed(one, old, new) for one in thing)
    if isinstance(thing, Statement):
        return replace(thing, **{f.name: renamed(getattr(thing, f.name), old, new) for f in fields(thing)})
    return thing


def paths(body: Sequence[Statement], above: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    for n, s in enumerate(body):
        yield (*above, n)
        if isinstance(s, Loop):
            yield from paths(s.body, (*above, n))


def at(body: Sequence[Statement], path: tuple[int, ...]) -> Statement:
    s = body[path[0]]
    return at(s.parts, path[1:]) if len(path) > 1 else s


def edited(body: tuple[Statement, ...], path: tuple[int, ...], new: Sequence[Any]) -> tuple[Any, ...]:
    """The body with other statements in one's place."""
    n, *rest = path
    here = body[n]
    if rest:
        assert isinstance(here, Loop)
        new = (replace(here, body=edited(here.body, tuple(rest), new)),)
    return (*body[:n], *new, *body[n + 1 :])
