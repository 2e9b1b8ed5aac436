"""What an own kernel of CK Tile says of its launch: its views of memory, its grid and its block, as expressions.

    make_naive_tensor_view<address_space_enum::global>(p_x, make_tuple(m, n), make_tuple(x_stride, 1), number<8>{}, …)

The kernel is compiled once more, with `include/layoutalg/ck_probe.h` in front: where it makes a view, that tells of
what, and its pipeline does nothing.  The machine code that comes out is followed, each argument a symbol by the name
that its struct gives it; nothing is run.

| of                       | comes out                                                                       |
|--------------------------|---------------------------------------------------------------------------------|
| a view                   | whose pointer, where in it, the element type, lengths, strides, the vector       |
| what is padded           | of each length the tile, and whether it is padded to one                         |
| `GridSize`               | the blocks of each axis, of its parameters by name                               |
| `BlockSize`, `GetSmemSize` | numbers                                                                        |

What it cannot represent: kernels whose only argument is no struct of the kernel's own; what is read of memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from layoutalg.device.compile import compile_source
from layoutalg.errors import CompileError, LayoutError
from layoutalg.index import ONE, TRUE, ZERO, Expr, budget, const, mod, simplify, symbol, var
from layoutalg.interop.parameters import KernelParameter
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.container.signature import called, parameters
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.launch.symbolic import AXES, LDS
from layoutalg.prove import ForAll, Limits, holds
from layoutalg.records import dataclass
from layoutalg.symex.machine.arguments import BoundArgument
from layoutalg.symex.machine.environment import Environment, Inputs
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.trace import follow

#: Element types by the number that `element` of the header has of them.
ELEMENTS = ("", "f64", "f32", "f16", "bf16", "f8", "bf8", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8")

#: What a symbol is at most while the code is followed; what is seen of it holds for no larger ones.
MOST = 1 << 14

#: Numbers that are taken for 1: into how many parts a product's sum is split.
ONCE = ("k_batch", "KBatch")

#: What a place that tells of tiles says first; of a view it is 1.
TWO = const(2)

#: Bytes of LDS of a place that tells, and seconds that following may take.
_SITE, _SECONDS = 128, 60.0


class _Memory(Environment):
    """Memory of which nothing is known."""

    def shows(self, goal: Expr, given: Expr) -> bool:
        return holds(ForAll("what is followed", goal, given), Limits(seconds=1.0))


@dataclass(frozen=True)
class KernelView:
    """A view of memory: where it begins in bytes after a pointer, and of each dimension the length and the stride."""

    pointer: str
    offset: Expr
    dtype: str  # "" of a type that is not known
    bytes: int
    vector: int  # elements of a vector along the last dimension; -1: not said
    lengths: tuple[Expr, ...]
    strides: tuple[Expr, ...]


@dataclass(frozen=True)
class TiledLength:
    """A length, the tile that it is cut into, and whether it is padded to a multiple."""

    length: Expr
    tile: int
    padded: bool


@dataclass(frozen=True)
class ProbedKernel:
    """What a kernel says of its launch; `grid` is None where it says no `GridSize` that can be asked."""

    name: str
    written: str  # the class, as the source names it
    arguments: tuple[KernelParameter, ...]
    views: tuple[KernelView, ...]
    tiled: tuple[TiledLength, ...]
    null: frozenset[str]  # pointers that are read where they are not null, and of which there is no view
    grid: tuple[Expr, ...] | None
    block: tuple[int, ...]  # its threads along each axis; none: not said
    lds_bytes: int


_KERNEL = re.compile(r"__global__\b[^;{}]*?\b(?P<name>\w+)\s*(?P<parameters>\([^(){};]*\))\s*{")
_CALLED = re.compile(r"(?:^|[{};])\s*(?:return\s+)?(?P<of>\w[\w:<>, ]*?)\s*{\s*}\s*\(", re.MULTILINE)


@dataclass(frozen=True)
class WrittenKernel:
    """A kernel as a source has it: the class of CK's that it calls, its parameters and its body."""

    name: str
    of: str
    parameters: str
    body: str

    def calling(self, other: str, name: str) -> str:
        """The same kernel by another name, of another class."""
        parameters, body = (re.sub(rf"(?<![\w:]){re.escape(self.of)}(?=\s*(::|{{))", other, text)
                            for text in (self.parameters, self.body))  # fmt: skip
        return f'extern "C" __global__ void {name}{parameters} {body}\n'


def written(text: str) -> dict[str, WrittenKernel]:
    """The kernels of a source that call one of CK's, by name.

    >>> [one] = written('extern "C" __global__ void scale(Kernel::Kargs k) { Kernel{}(k); }').values()
    >>> one.of, one.calling("Other", "probe")
    ('Kernel', 'extern "C" __global__ void probe(Other::Kargs k) { Other{}(k); }\\n')
    """
    found = {}
    for head in _KERNEL.finditer(text):
        body = _braced(text, head.end() - 1)
        called = _CALLED.search(body)
        if called:
            found[head["name"]] = WrittenKernel(head["name"], called["of"].strip(), head["parameters"], body)
    return found


def _braced(text: str, start: int) -> str:
    """From a brace to the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return text[start : at + 1]
    return text[start:]


def probed(source: Path, names: Sequence[str], target: str, include: Sequence[Path]) -> list[ProbedKernel]:
    """What kernels of a source say; LayoutError where they are none of CK Tile's, or cannot be followed."""
    text = source.read_text(encoding="utf-8")
    kernels = [one for name, one in written(text).items() if name in names]
    payload = _compiled(source, text, kernels, target, include)
    built = read_kernels(payload)
    return [_probed(payload, one, built, n) for n, one in enumerate(kernels)]


def _compiled(source: Path, text: str, kernels: Sequence[WrittenKernel], target: str, include: Sequence[Path]) -> bytes:
    folders = (source.resolve().parent, *include)
    flags = ("-g", "-std=c++23", "-Wno-invalid-constexpr", "-Wno-duplicate-decl-specifier", "-fno-access-control")
    try:
        return compile_source(_text(source, text, kernels, True), target, flags=flags, include=folders).payload
    except CompileError:  # a grid that asks the machine how large it is, for one
        return compile_source(_text(source, text, kernels, False), target, flags=flags, include=folders).payload


def _text(source: Path, text: str, kernels: Sequence[WrittenKernel], grids: bool) -> str:
    """The source with its kernels as functions that nobody calls, and those that tell after them."""
    asked = "".join(_asked(n, one, grids) for n, one in enumerate(kernels))
    uncalled = _KERNEL.sub(lambda head: f"__device__ inline void {head['name']}{head['parameters']} {{", text)
    return f"""#include "layoutalg/ck_probe.h"
#line 1 "{source.name}"
{uncalled}
#line 1 "layoutalg"
{asked}"""


def _asked(n: int, one: WrittenKernel, grids: bool) -> str:
    grid = f"""
using layoutalg_grid_{n} = ck_tile::layoutalg::signature<decltype(&{one.of}::GridSize)>::Arguments;
__device__ __attribute__((used)) void layoutalg_names_{n}() {{ auto volatile named = &{one.of}::GridSize; }}
extern "C" __global__ void layoutalg_blocks_{n}(layoutalg_grid_{n} arguments, volatile int* out) {{
#if defined(__HIP_DEVICE_COMPILE__)
  dim3 found = std::apply([](auto... one) {{ return {one.of}::GridSize(one...); }}, arguments.all);
  out[0] = found.x, out[1] = found.y, out[2] = found.z;
#endif
}}"""
    return f"""
using layoutalg_kernel_{n} = ck_tile::layoutalg::without_parts<{one.of}>::type;
{one.calling(f"layoutalg_kernel_{n}", f"layoutalg_views_{n}")}
extern "C" __global__ void layoutalg_block_{n}(volatile int* out) {{
#if defined(__HIP_DEVICE_COMPILE__)
  dim3 found = ck_tile::layoutalg::threads<{one.of}>();
  out[0] = found.x, out[1] = found.y, out[2] = found.z, out[3] = ck_tile::layoutalg::lds_bytes<{one.of}>();
#endif
}}{grid if grids else ""}
"""


def _probed(payload: bytes, one: WrittenKernel, built: Mapping[str, KernelBinary], n: int) -> ProbedKernel:
    kernel = built[f"layoutalg_views_{n}"]
    arguments = _apart(parameters(payload, kernel.entry))
    trace = _followed(kernel, arguments, frozenset())
    seen = {each.buffer for each in trace if each.store}
    null = frozenset(each.buffer for each in trace if not each.store) - seen - {LDS}
    if null:
        trace = _followed(kernel, arguments, null)
    views, tiled = _told(trace)
    block = [each.value for each in _followed(built[f"layoutalg_block_{n}"], (_OUT,), frozenset())]
    grid, asked = None, built.get(f"layoutalg_blocks_{n}")
    if asked is not None:
        said = parameters(payload, asked.entry)
        found = _followed(asked, _renamed(said, called(payload, "GridSize")), frozenset())
        grid = tuple(each.value for each in found if each.store)
    *axes, lds_bytes = map(_number, block)
    return ProbedKernel(one.name, one.of, arguments, views, tiled, null, grid, tuple(filter(None, axes)), lds_bytes)


_OUT = KernelParameter("out", 8, points=True)


def _apart(said: Sequence[KernelParameter]) -> tuple[KernelParameter, ...]:
    """Parameters of which no two have one name, as fields of two structs may: else one symbol is for both."""
    leaves = [leaf.name for one in said for leaf in one.fields or (one,)]
    taken, numbers = set(leaves), Counter[str]()

    def renamed(one: KernelParameter) -> KernelParameter:
        name = one.name
        while leaves.count(one.name) > 1 and name in taken:
            numbers[one.name] += 1
            name = f"{one.name}_{numbers[one.name]}"
        taken.add(name)
        return replace(one, name=name)

    return tuple(replace(one, fields=tuple(map(renamed, one.fields))) if one.fields else renamed(one) for one in said)


def _renamed(said: Sequence[KernelParameter], names: frozenset[tuple[str, ...]]) -> tuple[KernelParameter, ...]:
    """Fields of a tuple of numbers by the names of the parameters that they are, if it is known of which function."""
    packed, *rest = said
    fitting = [each for each in names if len(each) == len(packed.fields)]
    if any(one.points for one in packed.fields) or len(fitting) != 1:
        return (packed, *rest)
    fields = (replace(one, name=name.strip("_")) for one, name in zip(packed.fields, fitting[0], strict=True))
    return (replace(packed, fields=tuple(fields)), *rest)


def _followed(
    kernel: KernelBinary, said: Sequence[KernelParameter], null: frozenset[str]
) -> tuple[TracedElement, ...]:  # fmt: skip
    """What a kernel does whose arguments are symbols; LayoutError where that is not seen."""
    bound = tuple(_bound(kernel, said, null))
    blocks = [var(f"block.{axis}", symbol(f"grid_{axis}", max=MOST)) for axis in AXES]
    threads = [var(f"thread.{axis}", 1) for axis in AXES]
    sizes = {LDS: 4, **{one.buffer: 4 for one in bound if one.buffer}}
    with budget.within(_SECONDS):
        trace = follow(decode_kernel(kernel), Inputs(bound, blocks, threads, TRUE, sizes), _Memory())
    if trace.stopped is not None:
        raise LayoutError(f"{kernel.name}: what it says is not followed: {trace.stopped}")
    return trace.elements


def _bound(kernel: KernelBinary, said: Sequence[KernelParameter], null: frozenset[str]) -> Iterator[BoundArgument]:
    for one, place in zip(said, kernel.metadata.visible, strict=True):
        for leaf in one.fields or (one,):
            at = place.offset + leaf.at
            if leaf.name in null or leaf.written == "bool":
                yield BoundArgument(at, leaf.bytes, number=ZERO)
            elif leaf.name in ONCE:
                yield BoundArgument(at, leaf.bytes, number=ONE)
            elif leaf.points:
                yield BoundArgument(at, 8, leaf.name)
            else:
                yield BoundArgument(at, leaf.bytes, number=symbol(leaf.name, max=MOST))


def _told(trace: Sequence[TracedElement]) -> tuple[tuple[KernelView, ...], tuple[TiledLength, ...]]:
    """The views and the tiles that a trace tells of: of one all comes together, a view's pointer before it."""
    views: list[KernelView] = []
    tiled: list[TiledLength] = []
    pointer: TracedElement | None = None
    numbers: list[Expr] = []
    records: list[tuple[TracedElement | None, list[Expr]]] = []
    for one in (one for one in trace if one.store):
        if one.buffer != LDS:
            pointer = one
        elif simplify(mod(one.offset, _SITE)) is ZERO:
            numbers = [one.value]
            records.append((pointer, numbers))
        else:
            numbers.append(one.value)
    for at, (kind, *rest) in records:
        if kind is ONE and at is not None:
            views.append(_view(at, rest))
        elif kind is TWO and rest:
            tiled += _tiles(rest)
        else:
            raise LayoutError("it stores to LDS itself, beside its pipeline: what it says is not told from that")
    return tuple(dict.fromkeys(views)), tuple(dict.fromkeys(tiled))


def _view(at: TracedElement, told: Sequence[Expr]) -> KernelView:
    element, size, vector, rank = (_number(one) for one in told[:4])
    lengths, strides = told[4 : 4 + rank], told[4 + rank : 4 + 2 * rank]
    return KernelView(at.buffer, at.offset, ELEMENTS[element], size, vector, tuple(lengths), tuple(strides))


def _tiles(told: Sequence[Expr]) -> Iterator[TiledLength]:
    rank = _number(told[0])
    for length, tile, padded in zip(*(told[1 + n * rank : 1 + (n + 1) * rank] for n in range(3)), strict=True):
        yield TiledLength(length, _number(tile), bool(_number(padded)))


def _number(one: Expr) -> int:
    """A constant as what the machine has in 32 bits."""
    if one.op != "const":
        raise LayoutError(f"{one} is told where a number is expected")
    return int(one.value) - (1 << 32) * (int(one.value) >> 31)
