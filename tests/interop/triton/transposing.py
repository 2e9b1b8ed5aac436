"""What Triton's compiler takes loads that transpose to do: where each lane looks, and what its registers then are.

A tile goes from memory to LDS as it lies and comes back as a matrix operand whose k lie apart, by loads that transpose,
and each register is stored to the place in memory that it belongs to.  So of every load two things stand in the
compiled kernel (LLVM's IR, whose integers are carried out here for each lane of a wave):

| recorded | of lane l                                                                                          |
|----------|----------------------------------------------------------------------------------------------------|
| `asked`  | the element in LDS that it names                                                                   |
| `got`    | the elements that its registers are, by their order in memory, which is that in LDS                |

Elements of 4 bits come two a byte, which Triton turns round by `amdg.local_load_packed_transposed`.
"""

from __future__ import annotations

import json
import operator
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

TRANSPOSED = Path(__file__).parent / "transposed.jsonl"

MFMA = "#ttg.amd_mfma<{{version = 4, warpsPerCTA = [1, 1], instrShape = [{side}, {side}, {k}], isTransposed = true}}>"
WMMA = (
    "#ttg.amd_wmma<{{version = 3, isTranspose = true, ctaLayout = {{warp = []}}, instrShape = [{side}, {side}, {k}]}}>"
)


@dataclass(frozen=True)
class Turned:
    """One compiled tile: a target's operand 0 (A) or 1 (B), whose instruction is side × side × k."""

    target: str
    operand: int
    bits: int
    type: str
    side: int
    k: int
    width: int

    @property
    def lanes(self) -> int:
        return 32 if self.target == "gfx1250" else 64

    @property
    def packs(self) -> int:
        """Elements of a byte, or 1."""
        return max(1, 8 // self.bits)

    @property
    def rows(self) -> int:
        """Enough that every lane has eight elements to bring."""
        return max(self.side, 512 // self.k)

    def text(self) -> str:
        """The kernel, in Triton's GPU IR: what lies in memory, and what comes back of it."""
        rows, kind = self.rows, self.type
        order = "[1, 0]" if self.operand else "[0, 1]"
        stored, held = (rows // self.packs, self.k), (rows, self.k // self.packs)
        strides = (1, stored[0])
        back = strides if self.packs == 1 else (held[1], 1) if not self.operand else (1, held[0])
        if self.operand:
            stored, held, strides, back = stored[::-1], held[::-1], strides[::-1], back[::-1]
        mma = (WMMA if self.target == "gfx1250" else MFMA).format(side=self.side, k=self.k)
        inside, outside = (f"{lengths[0]}x{lengths[1]}x" for lengths in (stored, held))
        load = "ttg.local_load" if self.packs == 1 else "amdg.local_load_packed_transposed"
        memory = f"!ttg.memdesc<{inside}{kind}, #shared, #smem, mutable>"
        pointer = f"!tt.ptr<{kind}> {{tt.divisibility = 16 : i32}}"
        lanes = f"threadsPerWarp = [{self.lanes // 8}, 8]"
        return f"""
#own = #ttg.blocked<{{sizePerThread = [1, 8], {lanes}, warpsPerCTA = [1, 1], order = [1, 0]}}>
#mma = {mma}
#dot = #ttg.dot_op<{{opIdx = {self.operand}, parent = #mma, kWidth = {self.width}}}>
#shared = #ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {order}}}>
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:{self.target}",
                    "ttg.threads-per-warp" = {self.lanes} : i32}} {{
  tt.func public @turned(%x: {pointer}, %o: {pointer}) {{
    {places("x", stored, strides, "#own", kind)}
    %tile = tt.load %x_at : tensor<{inside}!tt.ptr<{kind}>, #own>
    %lds = ttg.local_alloc %tile : (tensor<{inside}{kind}, #own>) -> {memory}
    %operand = {load} %lds : {memory} -> tensor<{outside}{kind}, #dot>
    {places("o", held, back, "#dot", kind)}
    tt.store %o_at, %operand : tensor<{outside}!tt.ptr<{kind}>, #dot>
    tt.return
  }}
}}
"""

    def recorded(self, compiled: str) -> Iterator[dict[str, Any]]:
        """Each load that transposes: its name, what every lane asks for, and what it gets, as numbers of elements."""
        packs, size, rows = self.packs, max(1, self.bits // 8), self.rows
        for name, asked, got in Carried(compiled, self.lanes).loads():
            elements = got[:, ::size] // size
            if packs > 1:  # a byte back is two k of a row; a byte in memory is two rows of a k
                row, k = divmod(elements, self.k // packs) if not self.operand else divmod(elements, rows)[::-1]
                elements = ((k[..., None] * packs + np.arange(packs)) * rows + row[..., None]).reshape(len(asked), -1)
            yield {"target": self.target, "type": self.type, "operand": self.operand, "instruction": name,
                   "asked": (asked * packs // size).tolist(), "got": elements.tolist()}  # fmt: skip


def places(name: str, lengths: tuple[int, int], strides: tuple[int, int], layout: str, kind: str) -> str:
    """The pointers of a tile: `%NAME_at`."""
    shape, lines = "x".join(map(str, lengths)), []
    for d, (word, own) in enumerate((("row", f"{lengths[0]}x1"), ("column", f"1x{lengths[1]}"))):
        n, one = lengths[d], f"%{name}_{word}"
        line = f"tensor<{n}xi32, #ttg.slice<{{dim = {1 - d}, parent = {layout}}}>>"
        lines += [
            f"{one}s = tt.make_range {{end = {n} : i32, start = 0 : i32}} : {line}",
            f"{one} = tt.expand_dims {one}s {{axis = {1 - d} : i32}} : {line} -> tensor<{own}xi32, {layout}>",
            f"{one}_step = arith.constant dense<{strides[d]}> : tensor<{own}xi32, {layout}>",
            f"{one}_far = arith.muli {one}, {one}_step : tensor<{own}xi32, {layout}>",
            f"{one}_all = tt.broadcast {one}_far : tensor<{own}xi32, {layout}> -> tensor<{shape}xi32, {layout}>",
        ]
    pointers = f"tensor<{shape}x!tt.ptr<{kind}>, {layout}>"
    lines += [
        f"%{name}_far = arith.addi %{name}_row_all, %{name}_column_all : tensor<{shape}xi32, {layout}>",
        f"%{name}_first = tt.splat %{name} : !tt.ptr<{kind}> -> {pointers}",
        f"%{name}_at = tt.addptr %{name}_first, %{name}_far : {pointers}, tensor<{shape}xi32, {layout}>",
    ]
    return "\n    ".join(lines)


_BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "mul": operator.mul, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "shl": operator.lshift, "lshr": operator.rshift,
}  # fmt: skip


class Carried:
    """A kernel of straight lines, carried out for every lane: integers as numbers, vectors as the bytes of a load."""

    def __init__(self, text: str, lanes: int) -> None:
        self.lane = np.arange(lanes)
        self.known: dict[str, Any] = {"%0": 0 * self.lane, "%1": 0 * self.lane, "@global_smem": 0 * self.lane}
        self.asked: list[tuple[str, Any]] = []
        self.got: dict[tuple[int, int], Any] = {}
        body = text.split("define amdgpu_kernel", 1)[1].split("\n}", 1)[0]
        for line in body.splitlines()[1:]:
            self.carry_out(re.sub(r", ![\w.]+ !\d+", "", line.strip()))

    def loads(self) -> Iterator[tuple[str, Any, Any]]:
        """The instruction, the byte that each lane names, and of each byte that it gets the place it is stored to."""
        for n, (name, asked) in enumerate(self.asked):
            count = 1 + max(byte for load, byte in self.got if load == n)
            yield name, asked, np.stack([self.got[n, byte] for byte in range(count)], axis=1)

    def carry_out(self, line: str) -> None:
        """One line; ValueError where it is of no kind that is known."""
        if re.match(r"fence|ret|tail call void @llvm\.amdgcn\.s\.barrier|store .*, ptr addrspace\(3\)", line):
            return
        if found := re.match(r"store <?(?:\d+ x )?\w+>? (\S+), ptr addrspace\(1\) (%\d+)", line):
            for n, tag in enumerate(self.known[found[1]]):
                self.got[tag] = self.value(found[2]) + n
            return
        name, _, rest = line.partition(" = ")
        self.known[name] = self.made(rest)

    def value(self, word: str) -> Any:
        return self.known[word] if word in self.known else int(word) + 0 * self.lane

    def made(self, text: str) -> Any:
        """What a line makes."""
        if "workitem.id.x" in text:
            return self.lane
        if found := re.match(r"tail call .*@llvm\.amdgcn\.(ds\.(?:read|load)\.tr\S+?)\(.* (%\d+)\)", text):
            self.asked.append((_name(found[1]), self.value(found[2])))
            return [(len(self.asked) - 1, byte) for byte in range(_bytes(text.split("@")[0]))]
        if found := re.match(r"getelementptr .*?(i8|\[\d+ x i8\]), ptr addrspace\(\d\) (\S+), i\d+ (\S+)", text):
            step = 1 if found[1] == "i8" else int(found[1][1:].split()[0])
            return self.value(found[2]) + step * self.value(found[3])
        if found := re.match(r"(\w+) (?:nuw |nsw |exact |disjoint )*i\d+ (\S+), (\S+)$", text):
            return _BINARY[found[1]](self.value(found[2]), self.value(found[3]))
        if found := re.match(r"[sz]ext (?:nneg )?i\d+ (\S+) to", text) or re.match(r"bitcast <.*?> (\S+) to", text):
            return self.known[found[1]]
        if found := re.match(r"shufflevector (<.*?>) (\S+), <.*?> (\S+), <(\d+) x i32> (.*)", text):
            return self.shuffled(*found.groups())
        if text.startswith("load "):
            return []
        raise ValueError(f"no line that is known: {text}")

    def shuffled(self, kind: str, one: str, other: str, count: str, mask: str) -> list[Any]:
        places = [0] * int(count) if mask == "zeroinitializer" else [int(n) for n in re.findall(r"i32 (\d+)", mask)]
        both = [*self.known[one], *self.known.get(other, [])]
        size = _bytes(kind) // int(kind[1:].split()[0])
        return [both[n * size + byte] for n in places for byte in range(size)] if both else []


def _bytes(kind: str) -> int:
    """The bytes of a vector's type, the first one in a text."""
    found = re.search(r"<(\d+) x (\w+)>", kind)
    assert found, kind
    sizes = {"half": 2, "bfloat": 2, "float": 4}
    return int(found[1]) * (sizes.get(found[2]) or int(found[2][1:]) // 8)


def _name(intrinsic: str) -> str:
    """The instruction of an intrinsic: `ds.read.tr16.b64.v4f16` is ds_read_b64_tr_b16, gfx1250's have their own."""
    _, way, bits, width, _ = intrinsic.split(".")
    return f"ds_read_{width}_tr_b{bits.removeprefix('tr')}" if way == "read" else f"ds_load_{bits}_{width}"


CASES = tuple(
    Turned(target, operand, *one)
    for operand in (0, 1)
    for target, one in (
        ("gfx950", (16, "f16", 16, 32, 8)),
        ("gfx950", (16, "bf16", 32, 16, 8)),
        ("gfx950", (8, "i8", 16, 64, 16)),
        ("gfx950", (8, "f8E4M3FN", 16, 32, 8)),
        ("gfx950", (4, "i8", 16, 128, 16)),
        ("gfx1250", (16, "f16", 16, 32, 8)),
        ("gfx1250", (16, "bf16", 16, 32, 8)),
        ("gfx1250", (8, "i8", 16, 64, 8)),
        ("gfx1250", (8, "f8E4M3FN", 16, 128, 16)),
        ("gfx1250", (4, "i8", 16, 128, 16)),
    )
)


def record_transposed() -> None:
    """Compiles each case and writes what its loads ask for and get."""
    triton, compiler = (import_module(name) for name in ("triton", "triton.backends.compiler"))
    with TRANSPOSED.open("w") as file, tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            path = Path(folder) / "turned.ttgir"
            path.write_text(case.text())
            of = compiler.GPUTarget("hip", case.target, case.lanes)
            built = triton.compile(str(path), target=of, options={"num_warps": 1})
            for line in case.recorded(built.asm["llir"]):
                print(json.dumps(line, separators=(",", ":")), file=file)
