"""A launch file for an own kernel of CK Tile, from what the kernel itself says of its launch (`probe`).

| in the file           | from                                            | a guess                                   |
|-----------------------|-------------------------------------------------|-------------------------------------------|
| a tensor and its type | a view of the kernel's, and where it begins     | of two strides, which is the greater      |
| sizes                 | what views and `GridSize` speak of              | their limits                              |
| strides               | views                                           | that rows are packed                      |
| multiples             | vectors, and tiles that are not padded          | that the host asks for them               |
| grid, block           | `GridSize`, `BlockSize`                         |                                           |
| a null pointer        | it is read where it is not null, without a view | that the host passes null                 |
| any number            | an argument of which no view or grid speaks     |                                           |

A line with a guess says so, and `guessed` stands until somebody has looked at them.  What it cannot represent: tensors
whose views begin elsewhere than a block's numbers times strides say; contents that become addresses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from math import lcm

from layoutalg.ck.probe import MOST, ONCE, KernelView, ProbedKernel
from layoutalg.formats.launch import between, laid_out
from layoutalg.index import ONE, Expr, div, simplify, substitute, symbol, variables
from layoutalg.index.normal import normal
from layoutalg.interop.parameters import KernelParameter
from layoutalg.launch.symbolic import AXES
from layoutalg.records import dataclass

#: What a size of the grid alone is at most, before what must fit into the bytes of an argument and a buffer.
OUTER = 64

#: What tensors and numbers stay below: offsets of buffers are of 32 bits, and CK's index_t has a sign.
_BELOW = 1 << 31


@dataclass(frozen=True)
class ContractTensor:
    """A tensor: lengths and strides in elements, the outermost dimension first."""

    view: KernelView
    lengths: tuple[Expr, ...]
    strides: tuple[Expr, ...]

    @property
    def packed(self) -> bool:
        """Whether rows lie one after the other, the last dimension the fastest."""
        step: Expr = ONE
        for length, stride in zip(reversed(self.lengths), reversed(self.strides), strict=True):
            if stride is not step:
                return False
            step = simplify(step * length)
        return True

    @property
    def bytes(self) -> Expr:
        """Of all of it."""
        places = zip(self.lengths, self.strides, strict=True)
        return simplify((sum(((n - 1) * s for n, s in places), ONE)) * self.view.bytes)


@dataclass
class _Launch:
    """A launch that is made up: tensors by pointer, what strides are, of which multiples sizes are."""

    kernel: ProbedKernel
    tensors: dict[str, ContractTensor] = field(default_factory=dict)
    strides: dict[str, Expr] = field(default_factory=dict)
    multiples: dict[str, int] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)  # sizes of whole tiles, which are not padded
    unplaced: dict[str, str] = field(default_factory=dict)  # pointers whose views are not understood, and why

    @property
    def grid(self) -> tuple[Expr, ...]:
        """Blocks, as the kernel says or a symbol each."""
        return self.kernel.grid or tuple(symbol(f"grid_{axis}") for axis in AXES)

    @property
    def sizes(self) -> tuple[Expr, ...]:
        """Every size, in the order of the arguments and then of the grid."""
        used = [part for one in self.tensors.values() for part in (*one.lengths, *one.strides)]
        found = {v.value.name: v for v in variables(*used, *self.grid, *self.strides.values())}
        order = [leaf.name for one in self.kernel.arguments for leaf in one.fields or (one,)]
        return tuple(found[name] for name in sorted(found, key=lambda n: order.index(n) if n in order else len(order)))


def contract(kernel: ProbedKernel, static_lds: int, source: str) -> str:
    """The text of a launch file; `static_lds`: bytes of LDS that the kernel has of itself."""
    launch = _made(kernel)
    limits = _limits(launch)
    lines = [
        f"# How {kernel.name} of {source} is launched, as {kernel.written} says: by its views, GridSize and BlockSize.",
        "# A line that ends in a guess is to be held against what your host code passes; then delete `guessed`.",
        *_notes(launch), "", "[symbols]  # every size, with its limits: the verdict holds for all sizes within them",
        *(_symbol(name, *one) for name, one in limits.items()),
    ]  # fmt: skip
    for name, one in launch.tensors.items():
        lines += ["", *_descriptor(name, one)]
    grid = [*_axes(str(simplify(one)) for one in launch.grid)]
    said = "GridSize" if kernel.grid else "guess: GridSize is not known"
    block = ", ".join(_axes(map(str, kernel.block or (256,))))
    writes = [name for name in launch.tensors if not _leaf(kernel, name).constant]
    lines += [
        "", "[launch]", "guessed = true  # delete this line once the guesses are what the host does",
        f'kernel = "{kernel.name}"', f"grid = [{_texts(grid)}]  # {said}",
        f"block = [{block}]  # {'BlockSize' if kernel.block else 'guess: threads'}",
        f"lds = {_lds(kernel.lds_bytes, static_lds)}",
        "arguments = [", *_arguments(launch), "]", f"writes = [{_texts(writes)}]  # its pointers to what is not const",
        'claims = ["stores_all"]', 'computes = []  # what comes out: "y[i, j] = x[i, j]"',
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _axes(lengths: Iterable[str]) -> tuple[str, ...]:
    """Lengths of axes without those behind the last that is more than 1; of one axis at least."""
    first, *rest = lengths
    while rest and rest[-1] == "1":
        rest.pop()
    return first, *rest


def _lds(said: int, static: int) -> str:
    """The bytes of LDS that the launch adds: none to a kernel that has its own, whatever it says that it needs."""
    smem = f"; GetSmemSize is {said}" if said else ""
    guess = "guess: " if static < said else ""
    return f"{0 if static else said}  # {guess}beside {static} bytes of the kernel's own{smem}"


def _made(kernel: ProbedKernel) -> _Launch:
    launch = _Launch(kernel)
    placed: dict[str, tuple[list[Expr], list[Expr]]] = {}
    for view in kernel.views:
        outer = _outer(view, launch.grid)
        if view.pointer in placed or outer is None:
            why = f"begins at byte {view.offset}" if outer is None else "is one of several"
            launch.unplaced.setdefault(view.pointer, why)
            continue
        placed[view.pointer] = [*outer[0], *view.lengths], [*outer[1], *view.strides]
    said = variables(*(part for lengths, _ in placed.values() for part in lengths), *launch.grid)
    for view in kernel.views:
        if view.pointer in placed and view.pointer not in launch.tensors:
            lengths, strides = placed[view.pointer]
            launch.tensors[view.pointer] = _packed(launch, view, lengths, strides, {v.value.name for v in said})
            _ask_multiples(launch, view)
    return launch


def _outer(view: KernelView, grid: Sequence[Expr]) -> tuple[list[Expr], list[Expr]] | None:
    """The dimensions that blocks walk along before a view begins; None where its beginning is not made of these."""
    found: list[tuple[int, Expr, Expr]] = []
    for monomial, k in normal(view.offset).terms.items():
        walked = [one for one in monomial if any(v.value.name.startswith("block.") for v in variables(one))]
        if len(walked) != 1 or k % view.bytes:
            return None
        (one,) = walked
        stride: Expr = ONE * (k // view.bytes)
        for factor in (each for each in monomial if each is not one):
            stride = stride * factor
        of = one.args[0] if one.op == "div" else one
        if of.op != "var":
            return None
        axis = AXES.index(of.value.name.removeprefix("block."))
        if grid[axis] is ONE:
            continue
        count = grid[axis] if one is of else div(grid[axis] + one.args[1] - 1, one.args[1])
        found.append((-axis, simplify(count), simplify(stride)))
    found.sort(key=lambda one: one[0])
    return [one[1] for one in found], [one[2] for one in found]


def _packed(
    launch: _Launch, view: KernelView, lengths: Sequence[Expr], strides: Sequence[Expr], said: set[str]
) -> ContractTensor:
    """A tensor whose strides are what they are where rows are packed, as far as they are arguments of their own."""
    order = sorted(range(len(lengths)), key=lambda n: (strides[n] is not ONE, -n))
    step: Expr = ONE
    found = list(strides)
    for n in order:
        stride = strides[n]
        if stride.op == "var" and stride.value.name not in said:
            found[n] = launch.strides.setdefault(stride.value.name, step)
        step = simplify(found[n] * lengths[n])
    return ContractTensor(view, tuple(lengths), tuple(found))


def _ask_multiples(launch: _Launch, view: KernelView) -> None:
    """What the length along which a view is contiguous must be a multiple of."""
    for length, stride in zip(view.lengths, view.strides, strict=True):
        if stride is ONE and length.op == "var":
            tiles = [one.tile for one in launch.kernel.tiled if one.length is length and not one.padded]
            of = lcm(max(view.vector, 1), *tiles)
            launch.whole |= {length.value.name} if tiles else set()
            launch.multiples[length.value.name] = lcm(launch.multiples.get(length.value.name, 1), of)


def _limits(launch: _Launch) -> dict[str, tuple[int, int]]:
    """Of each size what it is a multiple of, and at most: such that no stride and no tensor is too large."""
    of = {one.value.name: launch.multiples.get(one.value.name, 1) for one in launch.sizes}
    names = {leaf.name for one in launch.kernel.arguments for leaf in one.fields or (one,)}
    most = {name: max((MOST if name in names else OUTER) // step * step, step) for name, step in of.items()}
    fitting = [*launch.strides.values(), *(one.bytes for one in launch.tensors.values()), *launch.grid]
    while over := _over(fitting, most):
        shrinking = [name for name in over if most[name] > of[name]]
        if not shrinking:
            break
        # Those of whole tiles first, which need be no larger than one; then the largest.
        name = max(shrinking, key=lambda name: (name in launch.whole, most[name]))
        most[name] = max(most[name] // 2 // of[name] * of[name], of[name])
    return {name: (of[name], most[name]) for name in most}


def _over(fitting: Sequence[Expr], most: Mapping[str, int]) -> list[str]:
    """The sizes of what is too large, if anything is."""
    for one in fitting:
        sizes = {v: symbol(v.value.name, min=1, max=most[v.value.name]) for v in variables(one)}
        if simplify(substitute(one, sizes)).hi >= _BELOW:
            return [v.value.name for v in sizes]
    return []


def _symbol(name: str, of: int, most: int) -> str:
    multiple = f", multiple_of = {of}" if of > 1 else ""
    why = "; a multiple, as vectors and tiles that are not padded need it" if of > 1 else ""
    return f"{name} = {{ min = {of}, max = {most}{multiple} }}  # guess: limits{why}"


def _descriptor(name: str, one: ContractTensor) -> Iterator[str]:
    view = one.view
    known = view.dtype, "as its view has it"
    dtype, why = known if view.dtype else (f"u{8 * view.bytes}", "guess: a type of these bytes")
    shape = f"its view has lengths {_plain(view.lengths)}, strides {_plain(view.strides)}"
    yield "[[descriptor]]"
    yield f'name = "{name}"'
    yield f'dtype = "{dtype}"  # {why}'
    lengths = _texts(map(str, one.lengths))
    if one.packed:
        yield f'base = {{ kind = "packed", lengths = [{lengths}] }}  # guess: packed; {shape}'
    else:
        strides = _texts(map(str, one.strides))
        base = f'{{ kind = "naive", lengths = [{lengths}], strides = [{strides}] }}'
        yield f"base = {base}  # guess: strides; {shape}"


def _arguments(launch: _Launch) -> Iterator[str]:
    for one in launch.kernel.arguments:
        if not one.fields:
            yield f"  {_value(launch, one)}"
            continue
        yield f"  {{ fields = [  # {one.written}"
        sizes: list[int] = []
        for leaf in (each for each in one.fields if each.points or each.dtype):
            for piece in between(sizes, one.at + leaf.at, leaf.bytes):
                yield f"    {{ unused = true, bytes = {piece} }},"
            sizes.append(leaf.bytes)
            yield f"    {_value(launch, leaf)}"
        while laid_out(sizes)[1] != one.bytes:
            for piece in between(sizes, one.bytes, 1):
                yield f"    {{ unused = true, bytes = {piece} }},"
        yield "  ] },"


def _value(launch: _Launch, leaf: KernelParameter) -> str:
    """An argument or a field, and what is known of it."""
    name = leaf.name
    if leaf.points:
        if name in launch.tensors:
            return f'"{name}",'
        if name in launch.kernel.null:
            return f"{{ value = 0, bytes = 8 }},  # {name}: guess: null; where it is not, the kernel reads it"
        return f"{{ unused = true, bytes = 8 }},  # {name}: no view of it is made"
    if name in launch.strides:
        return f'{{ value = "{launch.strides[name]}", bytes = {leaf.bytes} }},  # {name}: guess: packed'
    if name in ONCE:
        return f"{{ value = 1, bytes = {leaf.bytes} }},  # {name}: guess: not split"
    if name in {one.value.name for one in launch.sizes}:
        return f'{{ value = "{name}", bytes = {leaf.bytes} }},'
    if not leaf.dtype:
        return f"{{ unused = true, bytes = {leaf.bytes} }},  # {name}: of no type that is known"
    why = "; guess: views are those where it is false" if leaf.written == "bool" else ""
    return f'{{ name = "{name}", dtype = "{leaf.dtype}" }},  # any {leaf.written}{why}'


def _notes(launch: _Launch) -> Iterator[str]:
    for name, why in launch.unplaced.items():
        yield f"# {name} is to be written by hand: its view {why}, which is not understood."


def _leaf(kernel: ProbedKernel, name: str) -> KernelParameter:
    return next(leaf for one in kernel.arguments for leaf in one.fields or (one,) if leaf.name == name)


def _texts(many: Iterator[str] | Sequence[str]) -> str:
    return ", ".join(f'"{one}"' for one in many)


def _plain(many: Sequence[Expr]) -> str:
    return f"({', '.join(map(str, many))})"
