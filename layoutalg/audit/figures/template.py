"""A launch file for a kernel of which nothing is known but its binary: what the metadata say, the rest to be filled in.

| the binary has | the template has |
|---|---|
| a pointer | a descriptor of one dimension, whose length is a symbol; what is stored to is among `writes` |
| a pointer that is seen to be used by no access | `{ unused = true }` |
| a number of 1, 2, 4 or 8 bytes | a symbol |
| more bytes by value | a struct of words, each a named value |
| another kind of argument (an image, a queue), and one that the runtime fills in | nothing; the latter is left out |
| a size of blocks that it requires, or the most threads of one | `block` |
| block numbers, and thread numbers, of so many axes | `grid`, a symbol each, and `block`, of as many |

>>> from layoutalg.formats import loads
>>> from layoutalg.isa.container.metadata import Argument
>>> arguments = Argument(0, 8, "global_buffer"), Argument(8, 4, "by_value"), Argument(12, 12, "by_value")
>>> launch = loads(template("scale", arguments, (256,), 1)).launch
>>> launch.tensors, [one.name for one in launch.given]
(('p0',), ['a2_0', 'a2_4', 'a2_8'])

What it cannot represent: types, names, and how lengths and grid depend on sizes: a binary does not say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from layoutalg.isa.container.metadata import Argument

#: The type that elements of so many bytes are taken for.
TYPES = {1: "u8", 2: "f16", 4: "f32", 8: "f64"}

#: What an unknown length is at most.
LENGTH = 1_000_000

#: Threads of a block, where the kernel takes as many and says no number.
THREADS = 256

AXES = "xyz"


@dataclass(frozen=True)
class PointerUse:
    """What following the kernel showed of a pointer: bytes of its narrowest access, and whether it is stored to."""

    bytes: int
    stored: bool


def template(
    kernel: str, arguments: Sequence[Argument], block: tuple[int, ...], grid: int, limit: str = "",
    used: Mapping[str, PointerUse] | None = None,
) -> str:  # fmt: skip
    """The text of a launch file, which loads as it stands.

    `arguments` are the visible ones, `grid` is the number of its axes, `limit` a word on the block, and `used` what is
    known of each pointer by its name in the template; None where the kernel could not be followed.
    """
    names = [f"{'p' if one.kind == 'global_buffer' else 'a'}{n}" for n, one in enumerate(arguments)]
    tensors = {
        name: one
        for name, one in zip(names, arguments, strict=True)
        if one.kind == "global_buffer" and (used is None or name in used)
    }
    numbers = {name: one for name, one in zip(names, arguments, strict=True) if _is_number(one)}
    lines = ["[symbols]  # every size, with its limits: the verdict holds for all sizes within them"]
    lines += [f"n_{name} = {{ min = 1, max = {LENGTH} }}  # elements of {name}" for name in tensors]
    lines += [
        f"{name} = {{ min = 0, max = {(1 << 8 * one.size - 1) - 1} }}  # {one.size} bytes: a size, or not: see below"
        for name, one in numbers.items()
    ]
    lines += [f"grid_{axis} = {{ min = 1, max = 65535 }}" for axis in AXES[:grid]]
    for name, one in tensors.items():
        lines += ["", *_descriptor(name, one, used)]
    stored = [name for name, one in tensors.items() if used[name].stored] if used is not None else [
        name for name, one in tensors.items() if "read_only" not in one.accesses
    ]  # fmt: skip
    axes, writes = (", ".join(f'"{one}"' for one in many) for many in ([f"grid_{a}" for a in AXES[:grid]], stored))
    lines += [
        "",
        "[launch]",
        f'kernel = "{kernel}"',
        f'grid = [{axes}]  # blocks, such as "(M + 63) // 64"',
        f"block = [{', '.join(map(str, block))}]  # threads{f'; {limit}' if limit else ''}",
        "lds = 0  # bytes of LDS that the launch adds to the kernel's own",
        "arguments = [",
        *(f"  {_argument(name, one, tensors)}" for name, one in zip(names, arguments, strict=True)),
        "]",
        f"writes = [{writes}]  # all others are only read",
        "assume = []    # on contents that become addresses: { of = \"p0\", min = 0, max = \"M - 1\" }",
        "claims = []    # beyond the usual ones: \"stores_all\", \"bank_conflict_free\", \"coalesced\"",
        "computes = []  # what comes out: \"o[j, i] = x[i, j]\"",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _is_number(one: Argument) -> bool:
    return one.kind == "by_value" and one.size in TYPES


def _descriptor(name: str, one: Argument, used: Mapping[str, PointerUse] | None) -> Iterator[str]:
    width = used[name].bytes if used is not None else 4
    said = f"accessed {width} bytes at a time; the type is a guess" if used is not None else "a guess"
    yield "[[descriptor]]"
    yield f'name = "{name}"'
    yield f'dtype = "{TYPES[min(width, 8)]}"  # {said}'
    yield f'base = {{ kind = "naive", lengths = ["n_{name}"], strides = [1] }}  # its shape, such as ["M", "N"]'


def _argument(name: str, one: Argument, tensors: Mapping[str, Argument]) -> str:
    if name in tensors:
        return f'"{name}",'
    if one.kind == "global_buffer":
        return "{ unused = true },  # a pointer by which nothing is accessed"
    if one.kind != "by_value":
        return f"{{ unused = true }},  # a {one.kind}, which no launch file can give"
    if _is_number(one):
        float_ = {2: "f16", 4: "f32", 8: "f64"}.get(one.size, "u8")
        return f'"{name}",  # or {{ name = "alpha", dtype = "{float_}" }}, if it is no size'
    width = 4 if one.size % 4 == 0 else 2 if one.size % 2 == 0 else 1
    fields = ", ".join(f'{{ name = "{name}_{at}", bytes = {width} }}' for at in range(0, one.size, width))
    return f'{{ fields = [{fields}] }},  # {one.size} bytes by value; a pointer among them is "x"'
