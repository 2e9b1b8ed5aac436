"""A small language of kernels: what a fuzzer draws, changes and makes smaller; its text as HIP, its launch file.

| a term | is |
|---|---|
| `Const`, `Var` | a number; a variable: the thread `t`, the block `g`, a size, a loop's, one that `Let` made |
| `Op` | an operation of C on terms, `?:` among them, or `shfl`: a value of another lane |
| `Load` | an element of a memory, a tensor or a buffer in LDS |

| a statement | does |
|---|---|
| `Let`, `Set` | makes a variable; gives it another value |
| `Store`, `Add`, `Copy` | stores an element; adds to one, atomically; moves several neighbours at once |
| `Sync` | a barrier, one half of a split one, or a fence of the compiler's alone |
| `For`, `Break`, `If` | a loop, that it is left, a choice |
| `Hide` | keeps the compiler from knowing a variable |

A kernel is one block of threads, or as many blocks as the size `G` says; memories are flat, in elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

#: Element types: what C calls them.
TYPES = {
    "f32": "float",
    "f16": "_Float16",
    "i32": "int",
    "u32": "unsigned",
    "u16": "unsigned short",
    "u8": "unsigned char",
}


#: Lanes that exchange by `shfl`, on every target.
GROUP = 32


@dataclass(frozen=True)
class Const:
    value: int


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Op:
    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True)
class Load:
    memory: str
    index: Term


Term = Const | Var | Op | Load


def op(name: str, a: Term | int, b: Term | int) -> Term:
    """An operation on two terms or numbers."""
    left, right = (Const(one) if isinstance(one, int) else one for one in (a, b))
    return Op(name, (left, right))


@dataclass(frozen=True)
class Let:
    name: str
    dtype: str
    value: Term


@dataclass(frozen=True)
class Set:
    name: str
    value: Term


@dataclass(frozen=True)
class Store:
    memory: str
    index: Term
    value: Term


@dataclass(frozen=True)
class Add:
    memory: str
    index: Term
    value: Term


@dataclass(frozen=True)
class Copy:
    memory: str
    index: Term
    source: str
    at: Term
    count: int


@dataclass(frozen=True)
class Sync:
    kind: str = "barrier"  # or signal, wait, fence


BARRIER = Sync()


@dataclass(frozen=True)
class For:
    var: str
    first: Term
    end: Term
    step: int
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Break:
    when: Term


@dataclass(frozen=True)
class If:
    when: Term
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Hide:
    name: str
    uniform: bool = False


Statement = Let | Set | Store | Add | Copy | Sync | For | Break | If | Hide
Body = tuple[Statement, ...]
Node = Term | Statement


@dataclass(frozen=True)
class Tensor:
    """A tensor of the launch, and what is assumed of its elements."""

    name: str
    dtype: str
    lengths: tuple[int | str, ...]
    written: bool = False
    assumed: tuple[int, int] | None = None


@dataclass(frozen=True)
class Buffer:
    """A buffer in LDS."""

    name: str
    dtype: str
    length: int
    volatile: bool = False


@dataclass(frozen=True)
class Kernel:
    """A kernel and its launch; `equations` are claimed one by one."""

    block: int
    sizes: tuple[str, ...]
    tensors: tuple[Tensor, ...]
    buffers: tuple[Buffer, ...]
    body: Body
    equations: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    bounded: bool = True  # the compiler knows how many threads a block has
    most: int = 1000  # of each size

    @property
    def dtypes(self) -> dict[str, str]:
        """Of each memory."""
        return {one.name: one.dtype for one in (*self.tensors, *self.buffers)}


def term(node: Term) -> str:
    """A term in C."""
    match node:
        case Const():
            return str(node.value)
        case Var():
            return node.name
        case Load():
            return f"{node.memory}[{term(node.index)}]"
        case Op("!", (a,)):
            return f"!({term(a)})"
        case Op("shfl", (value, lane)):
            return f"__shfl({term(value)}, {term(lane)}, {GROUP})"
        case Op("?:", (when, a, b)):
            return f"({term(when)} ? {term(a)} : {term(b)})"
        case Op(name, (a, b)):
            return f"({term(a)} {name} {term(b)})"
    raise ValueError(node)


_SYNC = {
    "barrier": "__syncthreads();",
    "signal": 'asm volatile("s_wait_storecnt 0\\ns_wait_dscnt 0\\ns_barrier_signal -1" ::: "memory");',
    "signal early": 'asm volatile("s_wait_dscnt 0\\ns_barrier_signal -1" ::: "memory");',
    "wait": 'asm volatile("s_wait_storecnt 0\\ns_barrier_wait -1" ::: "memory");',
    "fence": '__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");',
}  # fmt: skip


def lines(body: Body, dtypes: dict[str, str], depth: int = 1) -> Iterator[str]:
    """Statements in C."""
    pad = "  " * depth
    for one in body:
        match one:
            case Let():
                yield f"{pad}{TYPES[one.dtype]} {one.name} = {term(one.value)};"
            case Set():
                yield f"{pad}{one.name} = {term(one.value)};"
            case Store():
                yield f"{pad}{one.memory}[{term(one.index)}] = {term(one.value)};"
            case Add():
                place = f"({TYPES[dtypes[one.memory]]}*)&{one.memory}[{term(one.index)}]"  # volatile is cast away
                yield f"{pad}atomicAdd({place}, {term(one.value)});"
            case Copy():
                to, source = (
                    f"*(V{one.count}<{TYPES[dtypes[m]]}>*)&{m}[{term(i)}]"
                    for m, i in ((one.memory, one.index), (one.source, one.at))
                )
                yield f"{pad}{to} = {source};"
            case Sync():
                yield pad + _SYNC[one.kind]
            case For():
                step = f"{one.var} += {one.step}" if one.step != 1 else f"++{one.var}"
                yield f"{pad}#pragma unroll 1"
                yield f"{pad}for (int {one.var} = {term(one.first)}; {one.var} < {term(one.end)}; {step}) {{"
                yield from lines(one.body, dtypes, depth + 1)
                yield f"{pad}}}"
            case Break():
                yield f"{pad}if ({term(one.when)}) break;"
            case If():
                yield f"{pad}if ({term(one.when)}) {{"
                yield from lines(one.then, dtypes, depth + 1)
                if one.otherwise:
                    yield f"{pad}}} else {{"
                    yield from lines(one.otherwise, dtypes, depth + 1)
                yield f"{pad}}}"
            case Hide():
                yield f'{pad}asm volatile("" : "+{"s" if one.uniform else "v"}"({one.name}));'


HEAD = """#include <hip/hip_runtime.h>
template <class T> using V2 = T __attribute__((ext_vector_type(2)));
template <class T> using V4 = T __attribute__((ext_vector_type(4)));
"""


def text(kernel: Kernel, name: str = "k") -> str:
    """A kernel as HIP, to stand behind `HEAD`."""
    given = [f"{'' if one.written else 'const '}{TYPES[one.dtype]}* {one.name}" for one in kernel.tensors]
    given += [f"int {one}" for one in kernel.sizes if one != "G"]
    bounds = f"__launch_bounds__({kernel.block}) " if kernel.bounded else ""
    head = f'extern "C" __global__ void {bounds}{name}({", ".join(given)}) {{'
    buffers = [
        f"  __shared__ {'volatile ' if one.volatile else ''}{TYPES[one.dtype]} {one.name}[{one.length}];"
        for one in kernel.buffers
    ]
    ids = ["  int t = threadIdx.x;"] + (["  int g = blockIdx.x;"] if "G" in kernel.sizes else [])
    return "\n".join([head, *buffers, *ids, *lines(kernel.body, kernel.dtypes), "}"])


def launch(kernel: Kernel, name: str = "k", equations: tuple[str, ...] | None = None) -> str:
    """The launch file; with its equations unless others are said."""
    least = ", ".join(f"{one} = {{ min = 1, max = {kernel.most} }}" for one in kernel.sizes)
    found = [f"symbols = {{ {least} }}"]
    for one in kernel.tensors:
        lengths = ", ".join(f'"{n}"' if isinstance(n, str) else str(n) for n in one.lengths)
        found += ["[[descriptor]]", f'name = "{one.name}"', f'dtype = "{one.dtype}"',
                  f'base = {{ kind = "packed", lengths = [{lengths}] }}']  # fmt: skip
    passed = [*(one.name for one in kernel.tensors), *(one for one in kernel.sizes if one != "G")]
    found += ["[launch]", f'kernel = "{name}"', 'grid = ["G"]' if "G" in kernel.sizes else "grid = [1]",
              f"block = [{kernel.block}]", f"arguments = {_listed(passed)}",
              f"writes = {_listed([one.name for one in kernel.tensors if one.written])}"]  # fmt: skip
    assumed = [
        f'"{one.assumed[0]} <= {one.name}[{", ".join("ijk"[: len(one.lengths)])}] <= {one.assumed[1]}"'
        for one in kernel.tensors
        if one.assumed
    ]
    found += [f"assume = [{', '.join(assumed)}]"] if assumed else []
    found += [f"claims = {_listed(list(kernel.claims))}"] if kernel.claims else []
    said = kernel.equations if equations is None else equations
    found += [f"computes = {_listed(list(said))}"] if said else []
    return "\n".join(found) + "\n"


def _listed(names: list[str]) -> str:
    return "[" + ", ".join(f'"{one}"' for one in names) + "]"


def rewritten(node: Any, change: Callable[[Any], Any]) -> Any:
    """A node, a body or a tuple, each part of it and then itself changed."""
    if isinstance(node, tuple):
        found: list[Any] = []
        for one in node:
            new = rewritten(one, change)
            found += new if isinstance(new, tuple) else [new]  # a statement may become several, or none
        return tuple(found)
    if isinstance(node, Const | Var | Op | Load | Let | Set | Store | Add | Copy | Sync | For | Break | If | Hide):
        parts = {one.name: getattr(node, one.name) for one in fields(node)}
        new = {name: rewritten(part, change) for name, part in parts.items()}
        changed = [name for name in parts if new[name] is not parts[name] and new[name] != parts[name]]
        return change(replace(node, **{name: new[name] for name in changed}) if changed else node)
    return node


def walk(node: Any) -> Iterator[Any]:
    """Every node of a body, outer ones first."""
    if isinstance(node, tuple):
        for one in node:
            yield from walk(one)
    elif not isinstance(node, str | int | bool):
        yield node
        for one in fields(node):
            yield from walk(getattr(node, one.name))


def undeclared(body: Body, known: frozenset[str]) -> set[str]:
    """Variables that are used where nothing makes them."""
    found: set[str] = set()
    for one in body:
        match one:
            case For():
                found |= names((one.first, one.end)) - known | undeclared(one.body, known | {one.var})
            case If():
                found |= names(one.when) - known | undeclared(one.then, known) | undeclared(one.otherwise, known)
            case Let():
                found |= names(one.value) - known
                known |= {one.name}
            case _:
                found |= names(one) - known
    return found


def names(node: Any) -> set[str]:
    """The variables in a term or a statement."""
    return {one.name for one in walk(node) if isinstance(one, Var | Set | Hide)}
