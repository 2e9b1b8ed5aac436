"""Triton's GPU IR (`.ttgir`) as data: what lies in shared memory, and each load and store that meets it.

Only what says where bytes lie is read: the module's attributes, its layout aliases, the types of shared memory, and who
passes it on.  Nothing is executed.

    %43 = ttg.local_alloc : () -> !ttg.memdesc<1x128x64xf16, #shared, #smem, mutable>
    %45 = ttg.memdesc_index %43[%c0] : … -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
    %61 = ttg.local_load %45 : !ttg.memdesc<128x64xf16, #shared, …> -> tensor<128x64xf16, #dot>

says that %43 is read in vectors of #dot.  What it passes over, it names with its line: copies from global memory
straight into LDS, parts of a larger tile, products that read shared memory themselves, and conversions whose own
scratch is laid out only later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Literal

from layoutalg.interop.triton.attribute import Attribute, TritonTextError, parse
from layoutalg.records import dataclass

_ALIAS = re.compile(r"(#[A-Za-z_][\w$]*)\s*=\s*(#(?:ttg|triton_gpu)\.[a-z_]+\s*<.*)")
_OP = re.compile(r'"?\b((?:ttg|triton_gpu|ttng|amdg|amdgpu|tt|scf|cf)\.[\w.]+)"?')
_RESULT = re.compile(r"\s*(%[\w$.-]+)(?::\d+)?\s*=")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_SHAPED = re.compile(r"(!(?:ttg|triton_gpu|tt)\.memdesc|tensor)\s*<")
_SIZES = re.compile(r"((?:\d+x)*)(.*)", re.DOTALL)
_OPEN, _CLOSE = "<[{(", ">]})"

Way = Literal["read", "write"]


@dataclass(frozen=True)
class ShapedType:
    """A tensor's or memory's type: `layout` None where it states none; `whole` the shape that memory was given."""

    memory: bool
    shape: tuple[int, ...]
    dtype: str
    layout: Attribute | None
    whole: tuple[int, ...]


@dataclass(frozen=True)
class LocalAccess:
    """A load or a store: the operation's line and result, the memory it meets, and the registers."""

    line: int
    name: str
    way: Way
    root: str
    memory: ShapedType
    registers: ShapedType


@dataclass(frozen=True)
class Ttgir:
    """A module: its target (`hip:gfx942`, empty where it says none), its allocations by name, and what meets them.

    `passed`: the line, the operation and the reason of what is not looked at.
    """

    target: str
    lanes: int | None
    warps: int | None
    allocations: Mapping[str, tuple[int, ShapedType]]
    accesses: tuple[LocalAccess, ...]
    passed: tuple[tuple[int, str, str], ...] = field(default=())


_HARMLESS = ("ttg.local_dealloc", "ttg.memdesc_", "scf.", "cf.", "tt.return", "tt.call", "tt.func", "ttg.async_wait",
             "ttg.async_commit_group", "ttg.barrier", "ttg.local_barrier", "ttg.warp_")  # fmt: skip
"""What passes memory on, or ends it, and touches none of its bytes."""

_OTHERS = {
    "ttg.async_copy_global_to_local": "copies from global memory straight into LDS",
    "ttg.convert_layout": "it may go through scratch of its own, which is laid out only after this file",
}


def ttgir(text: str) -> Ttgir:
    """A module's shared memory and what meets it; TritonTextError where a layout or type is none, by its line.

    >>> module = ttgir('''
    ... #r = #ttg.blocked<{sizePerThread=[1], threadsPerWarp=[64], warpsPerCTA=[1], order=[0]}>
    ... #s = #ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[0]}>
    ... module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942"} {
    ...   %0 = ttg.local_alloc %x : (tensor<64xf32, #r>) -> !ttg.memdesc<64xf32, #s, #ttg.shared_memory> }''')
    >>> module.target, list(module.allocations), [(a.line, a.way, a.root) for a in module.accesses]
    ('hip:gfx942', ['%0'], [(5, 'write', '%0')])
    """
    return _Reader(text.splitlines()).module()


class LineError(TritonTextError):
    """What is wrong in a line of a file: `line`, from 1, besides what is wrong there."""

    def __init__(self, error: TritonTextError, line: int, text: str) -> None:
        super().__init__(error.reason, text, max(0, text.find(error.text)) + error.at)
        self.line = line


class _Reader:
    """Line by line; who passes memory on is followed by name."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.aliases: dict[str, Attribute] = {}
        self.sources: dict[str, str] = {}
        self.allocations: dict[str, tuple[int, ShapedType]] = {}
        self.accesses: list[LocalAccess] = []
        self.passed: list[tuple[int, str, str]] = []

    def module(self) -> Ttgir:
        """The whole file."""
        self.read_aliases()
        for number, line in enumerate(self.lines, 1):
            if not line.lstrip().startswith(("#", "//")):
                try:
                    self.read_line(number, line)
                except TritonTextError as error:
                    raise LineError(error, number, line) from None
        whole = "\n".join(self.lines)
        target = re.search(r'"?ttg\.target"?\s*=\s*"([^"]*)"', whole)
        lanes, warps = (re.search(rf'"?ttg\.{key}"?\s*=\s*(\d+)', whole) for key in ("threads-per-warp", "num-warps"))
        return Ttgir(
            target[1] if target else "",
            int(lanes[1]) if lanes else None,
            int(warps[1]) if warps else None,
            self.allocations,
            tuple(self.accesses),
            tuple(self.passed),
        )

    def read_aliases(self) -> None:
        """Every `#name = #ttg.…`; one may stand for part of another, in any order."""
        found = [(n, match) for n, line in enumerate(self.lines, 1) if (match := _ALIAS.match(line.strip()))]
        waiting = {match[1]: (n, match[2]) for n, match in found}
        while waiting:
            ready = [name for name, (_, text) in waiting.items() if not self.names_in(text) & set(waiting)]
            for name in ready or list(waiting)[:1]:
                number, text = waiting.pop(name)
                try:
                    self.aliases[name] = parse(text, self.aliases)
                except TritonTextError as error:
                    raise LineError(error, number, self.lines[number - 1]) from None

    @staticmethod
    def names_in(text: str) -> set[str]:
        """The aliases that a text mentions."""
        return set(re.findall(r"#[A-Za-z_][\w$]*(?![\w.$])", text))

    def read_line(self, number: int, line: str) -> None:
        """One operation (or a part of one that says nothing of memory)."""
        given = _RESULT.match(line)
        rest = line[given.end() :] if given else line
        op = _OP.search(rest)
        if op is None:
            return
        name, result = op[1].replace("triton_gpu.", "ttg."), given[1] if given else ""
        if "iter_args" in rest:
            self.pass_through_loop(result, rest)
        types = list(self.types(rest))
        memory = [one for one in types if one.memory]
        values = _VALUE.findall(rest[op.end() :])
        if name == "ttg.local_alloc" and memory:
            self.allocations[result] = number, memory[-1]
            if len(types) == 2:
                self.access(number, result, "write", result, memory[-1], types[0])
        elif name == "ttg.local_store" and len(types) == 2 and len(values) >= 2:
            self.access(number, values[1], "write", self.root(values[1]), types[1], types[0])
        elif name == "ttg.local_load" and memory and len(types) == 2 and values:
            self.access(number, result, "read", self.root(values[0]), types[0], types[1])
        elif name.startswith("ttg.memdesc_") and values:
            self.sources[result] = values[0]
        elif name in _OTHERS or (memory and not name.startswith(_HARMLESS)):
            self.passed.append((number, name, _OTHERS.get(name, "it reaches shared memory in a way of its own")))

    def pass_through_loop(self, result: str, rest: str) -> None:
        """A loop's arguments and results are what it begins with."""
        given = re.search(r"iter_args\((.*?)\)\s*->", rest)
        for n, (inner, outer) in enumerate(
            re.findall(r"(%[\w$.-]+)\s*=\s*(%[\w$.-]+(?:#\d+)?)", given[1] if given else "")
        ):
            self.sources[inner] = outer
            self.sources[f"{result}#{n}"] = outer
            if n == 0:
                self.sources.setdefault(result, outer)

    def root(self, value: str) -> str:
        """The allocation that a value is of, or the value that a function or region was given."""
        seen = set()
        while value in self.sources and value not in seen:
            seen.add(value)
            value = self.sources[value]
        return value

    def access(self, line: int, name: str, way: Way, root: str, memory: ShapedType, registers: ShapedType) -> None:
        """A load or store, unless it is of a part of a larger tile."""
        what = "ttg.local_load" if way == "read" else "ttg.local_store"
        if memory.whole[len(memory.whole) - len(memory.shape) :] != memory.shape:
            whole = "×".join(map(str, memory.whole))
            self.passed.append((line, what, f"it meets a part of a tile of {whole}, whose place is not followed"))
        elif memory.layout is None or registers.layout is None:
            self.passed.append((line, what, "its types state no layout"))
        else:
            self.accesses.append(LocalAccess(line, name, way, root, memory, registers))

    def types(self, text: str) -> Iterator[ShapedType]:
        """The shaped types that a text mentions, but those within others."""
        at = 0
        while (match := _SHAPED.search(text, at)) is not None:
            end = _closing(text, match.end())
            yield self.shaped(match[1] != "tensor", text[match.end() : end], text, match.end())
            at = end

    def shaped(self, memory: bool, inner: str, text: str, at: int) -> ShapedType:
        """One type from between its brackets."""
        parts = _split(inner)
        sizes = _SIZES.match(parts[0].strip())
        shape = tuple(int(n) for n in sizes[1].split("x")[:-1]) if sizes else ()
        if not all(len(str(n)) < 10 for n in shape):
            raise TritonTextError("a length is too large", text, at)
        given = next((part.strip() for part in parts[1:] if part.strip().startswith("#")), "")
        layout = self.aliases.get(given)
        if layout is None and given.startswith(("#ttg.", "#triton_gpu.")) and "<" in given:
            layout = parse(given, self.aliases)
        last = parts[-1].strip() if memory else ""
        whole = (
            tuple(map(int, last.split("x"))) if re.fullmatch(r"\d{1,9}(x\d{1,9})*", last) and len(parts) > 1 else shape
        )
        return ShapedType(memory, shape, sizes[2].strip() if sizes else "", layout, whole)


def _closing(text: str, at: int) -> int:
    """Where the bracket that is open closes; TritonTextError where it does not."""
    depth = 1
    for n in range(at, len(text)):
        if text[n] in _OPEN:
            depth += 1
        elif text[n] in _CLOSE and text[n - 1 : n + 1] != "->":
            depth -= 1
        if depth == 0:
            return n
    raise TritonTextError("a bracket is not closed", text, at)


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in _OPEN) - (letter in _CLOSE)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
