"""A launch file for a kernel, written from what is known of it: its binary, its sources, what following it showed.

| known | from | else |
|---|---|---|
| names, types, fields of structs by value, multiples of sizes | DWARF (`-g`), Triton's IR | `p0`, `a1`, words |
| bytes of an access of a pointer, whether it is stored to | following the code | whether it is said to be read only |
| `block` | what the kernel requires, or Triton compiled it for | a guess |
| `lds` | Triton's metadata | 0, a guess |
| lengths of tensors, `grid` | nothing: guesses (`guesses`), or a symbol each | |

A line that is a guess says so, and so does `guessed`, which a verdict tells until somebody deletes it.

>>> from layoutalg.formats import loads
>>> from layoutalg.isa.container.metadata import Argument
>>> arguments = Argument(0, 8, "global_buffer"), Argument(8, 4, "by_value"), Argument(12, 12, "by_value")
>>> launch = loads(template("scale", named(arguments), Frame((256,), 1))).launch
>>> launch.tensors, launch.guessed, [one.name for one in launch.given]
(('p0',), True, ['a2_0', 'a2_4', 'a2_8'])

What it cannot represent: bit-fields, and images and queues among arguments, which no launch file can give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from layoutalg.formats.launch import between, laid_out
from layoutalg.index import Expr, div, simplify
from layoutalg.index.parse import OPERATORS
from layoutalg.interop.parameters import KernelParameter
from layoutalg.isa.container.metadata import Argument
from layoutalg.launch.symbolic import AXES, LDS
from layoutalg.records import dataclass

#: The type that elements of so many bytes are taken for.
TYPES = {1: "u8", 2: "f16", 4: "f32", 8: "f64"}

#: What an unknown length is at most, and a size: such that two sizes' product does not wrap.
LENGTH, SIZE = 1_000_000, 20_000

#: Threads of a block, where the kernel takes as many and says no number.
THREADS = 256

#: Fields of a struct at most, that it is taken for one.
MOST_FIELDS = 100

#: How an argument is said to be one that nobody gives: images, queues, what lies between fields.
NOTHING = "nothing"


@dataclass(frozen=True)
class PointerUse:
    """What following the kernel showed of a pointer: bytes of its narrowest access, whether it is stored to, loaded."""

    bytes: int
    stored: bool
    loaded: bool = False


@dataclass(frozen=True)
class Frame:
    """Threads of a block, axes of the grid, bytes of LDS, and whence the block and the LDS are known ("": guesses)."""

    block: tuple[int, ...]
    axes: int
    lds: int = 0
    block_by: str = ""
    lds_by: str = ""


@dataclass(frozen=True)
class Guesses:
    """Lengths of tensors in elements, and blocks by axis, as expressions of the template's symbols."""

    lengths: Mapping[str, Expr] = field(default_factory=dict)
    grid: Mapping[int, Expr] = field(default_factory=dict)


def named(arguments: Sequence[Argument], said: Sequence[KernelParameter] = ()) -> tuple[KernelParameter, ...]:
    """What the visible arguments are, with names of their own: as sources say it, else as the binary has them.

    Triton's kernels end with pointers to scratch, of which its sources do not speak.
    """
    fits = said and len(said) <= len(arguments) and all(map(_fits, said, arguments))
    rest = arguments[len(said) :] if fits else arguments
    if fits and not all(one.kind == "global_buffer" for one in rest):
        return named(arguments)
    start = len(arguments) - len(rest)
    found = tuple(_unnamed(start + n, one) for n, one in enumerate(rest))
    if fits:
        found = (*said, *(replace(one, name="scratch", written=NOTHING) for one in found))
    taken = {*OPERATORS, LDS, *(f"grid_{axis}" for axis in AXES)}
    return tuple(_renamed(one, taken) for one in found)


def _fits(said: KernelParameter, argument: Argument) -> bool:
    ends = (0, *(one.at + one.bytes for one in said.fields))
    apart = all(end <= one.at for end, one in zip(ends, said.fields, strict=False)) and ends[-1] <= said.bytes
    alike = said.bytes == argument.size and said.points == (argument.kind == "global_buffer")
    return alike and apart and len(said.fields) <= MOST_FIELDS


def _unnamed(number: int, one: Argument) -> KernelParameter:
    if one.kind == "global_buffer":
        return KernelParameter(f"p{number}", 8, points=True, constant="read_only" in one.accesses)
    name = f"a{number}"
    if one.kind != "by_value" or one.size in TYPES:
        return KernelParameter(name, one.size, written="" if one.kind == "by_value" else NOTHING)
    width = 4 if one.size % 4 == 0 else 2 if one.size % 2 == 0 else 1
    words = tuple(KernelParameter(f"{name}_{at}", width, at=at, written="word") for at in range(0, one.size, width))
    return KernelParameter(name, one.size, fields=words)


def _renamed(one: KernelParameter, taken: set[str]) -> KernelParameter:
    """The parameter and its fields under names that no other has, and that expressions can say."""
    name = re.sub(r"\W", "_", one.name) or "unnamed"
    name = f"_{name}" if name[0].isdigit() else name
    if one.fields:
        return replace(one, name=name, fields=tuple(_renamed(each, taken) for each in one.fields))
    while name in taken:
        name += "_"
    taken.add(name)
    return replace(one, name=name)


def leaves(parameters: Sequence[KernelParameter]) -> tuple[KernelParameter, ...]:
    """The parameters, fields of structs in place of the structs."""
    return tuple(leaf for one in parameters for leaf in one.fields or (one,))


def template(
    kernel: str, parameters: Sequence[KernelParameter], frame: Frame, used: Mapping[str, PointerUse] | None = None,
    guesses: Guesses | None = None,
) -> str:  # fmt: skip
    """The text of a launch file, which loads as it stands; `used`: None where the kernel could not be followed."""
    known, each = guesses or Guesses(), leaves(parameters)
    there = [one.name for one in each if one.written != NOTHING] if used is None else used
    tensors = {one.name: one for one in each if one.points and one.name in there}
    writes = [name for name, one in tensors.items() if (not one.constant if used is None else used[name].stored)]
    grid = [str(known.grid.get(axis, f"grid_{AXES[axis]}")) for axis in range(frame.axes)]
    lines = ["[symbols]  # every size, with its limits: the verdict holds for all sizes within them"]
    lines += [*_symbols(each, tensors, known, frame)]
    for name, one in tensors.items():
        lines += ["", *_descriptor(one, used, known.lengths.get(name))]
    lines += [
        "",
        "[launch]",
        "guessed = true  # what is a guess says so: delete this line once it is what the host does",
        f'kernel = "{kernel}"',
        f"grid = [{_texts(grid)}]  # guess: blocks, such as \"(M + 63) // 64\"",
        f"block = [{', '.join(map(str, frame.block))}]  # {frame.block_by or 'guess: threads'}",
        f"lds = {frame.lds}  # {frame.lds_by or 'guess: bytes that the launch adds to the LDS of the kernel itself'}",
        "arguments = [",
        *(f"  {_argument(one, tensors)}" for one in parameters),
        "]",
        f"writes = [{_texts(writes)}]  # all others are only read",
        "assume = []    # on contents that become addresses: \"0 <= x[i] < M\"",
        *_initially([name for name in writes if used is not None and used[name].loaded]),
        "claims = []    # beyond the usual ones: \"stores_all\", \"bank_conflict_free\", \"coalesced\"",
        "computes = []  # what comes out: \"o[j, i] = x[i, j]\"",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _initially(loaded: Sequence[str]) -> Iterator[str]:
    """Where it is said what tensors hold when it begins that are loaded and stored to."""
    if loaded:
        yield f'initially = []  # on what {", ".join(loaded)} hold when it begins: "{loaded[0]}[i] == 0"'


def _texts(many: Sequence[str]) -> str:
    return ", ".join(f'"{one}"' for one in many)


def _is_size(one: KernelParameter) -> bool:
    """Whether a number may be a size: integers, and what may be any."""
    whole = not one.dtype or one.dtype[0] in "iu"
    return not (one.points or one.fields or one.written in (NOTHING, "word")) and whole and one.bytes in TYPES


def _symbols(
    each: Sequence[KernelParameter], tensors: Mapping[str, KernelParameter], known: Guesses, frame: Frame
) -> Iterator[str]:
    sizes = [one for one in each if _is_size(one)]
    alone = len(sizes) == 1 and len(known.grid) == frame.axes
    for name in tensors:
        if name not in known.lengths:
            yield f"n_{name} = {{ min = 1, max = {LENGTH} }}  # guess: elements of {name}"
    for one in sizes:
        if one.written == "bool":
            yield f"{one.name} = {{ min = 0, max = 1 }}"
            continue
        most = min(LENGTH if alone else SIZE, (1 << 8 * one.bytes - 1) - 1)
        multiple = f", multiple_of = {one.divisible}" if one.divisible > 1 else ""
        low = one.divisible if one.divisible > 1 else 1
        what = one.written or f"{one.bytes} bytes: a size, or not: see below"
        yield f"{one.name} = {{ min = {low}, max = {most - most % low}{multiple} }}  # guess: limits; {what}"
    for axis in range(frame.axes):
        if axis not in known.grid:
            yield f"grid_{AXES[axis]} = {{ min = 1, max = {SIZE} }}  # guess: blocks"


def _descriptor(one: KernelParameter, used: Mapping[str, PointerUse] | None, elements: Expr | None) -> Iterator[str]:
    count = simplify(div(elements + (one.each - 1), one.each)) if elements is not None else f"n_{one.name}"
    lengths = _texts([str(count), *([str(one.each)] if one.each > 1 else [])])
    width = used[one.name].bytes if used is not None else 4
    said = f"accessed {width} bytes at a time" if used is not None else "its kernel is not followed"
    dtype, why = (one.dtype, one.written) if one.dtype else (TYPES[min(width, 8)], f"guess: {one.written or said}")
    yield "[[descriptor]]"
    yield f'name = "{one.name}"'
    yield f'dtype = "{dtype}"  # {why}'
    yield f'base = {{ kind = "packed", lengths = [{lengths}] }}  # guess: its shape, such as ["M", "N"]'


def _argument(one: KernelParameter, tensors: Mapping[str, KernelParameter]) -> str:
    if one.fields:
        return f"{{ fields = [{', '.join(_laid(one, tensors))}] }},  # {one.written or f'{one.bytes} bytes by value'}"
    if one.points and one.name not in tensors:
        return f"{{ unused = true }},  # {one.name}: a pointer by which nothing is accessed"
    if one.written == NOTHING:
        return "{ unused = true },  # an image or a queue, which no launch file can give"
    if one.points or (_is_size(one) and one.dtype):
        return f'"{one.name}",'
    if _is_size(one):
        return f'"{one.name}",  # guess: or {{ name = "alpha", dtype = "{TYPES[one.bytes]}" }}, if it is no size'
    return f'{{ name = "{one.name}", {_sort(one)} }},'


def _sort(one: KernelParameter) -> str:
    return f'dtype = "{one.dtype}"' if one.dtype else f"bytes = {one.bytes}"


def _laid(one: KernelParameter, tensors: Mapping[str, KernelParameter]) -> Iterator[str]:
    """The fields of a struct, and what lies between them where C would lay those out more tightly."""
    sizes: list[int] = []

    def gap(until: int, size: int) -> Iterator[str]:
        yield from (f"{{ unused = true, bytes = {piece} }}" for piece in between(sizes, until, size))

    for leaf in one.fields:
        yield from gap(one.at + leaf.at, leaf.bytes)
        sizes.append(leaf.bytes)
        if leaf.points:
            yield f'"{leaf.name}"' if leaf.name in tensors else "{ unused = true, bytes = 8 }"
        elif _is_size(leaf):
            yield f'{{ value = "{leaf.name}", bytes = {leaf.bytes} }}'
        else:
            yield f'{{ name = "{leaf.name}", {_sort(leaf)} }}'
    while laid_out(sizes)[1] != one.bytes:
        yield from gap(one.bytes, 1)
