"""Where Triton's compiler puts the elements of partitioned memory on gfx1250: the addresses of its own stores.

A tile of 32-bit elements goes from memory to LDS in a compiled kernel, whose integers are carried out for each lane of
a wave (`transposing`): what is stored where says the address of each element, in bytes.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.interop.triton.cases import SEED, blocked_text, order, power, swizzled_fields
from tests.interop.triton.transposing import Carried, places

PARTITIONED = Path(__file__).parent / "partitioned.jsonl"
CASES, LANES = 30, 32


def cases(seed: int = SEED) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Registers, partitioned memory, padded mostly, and the tensor's shape."""
    draw = Random(f"{seed} partitions")
    for _ in range(CASES):
        partitions, groups, dim = power(draw, 1, 2), power(draw, 0, 2), draw.randrange(2)
        piece = [power(draw, 1, 3), power(draw, 2, 4)]
        sizes = [n * partitions * groups if d == dim else n for d, n in enumerate(piece)]
        inner = f"#ttg.swizzled_shared<{{{swizzled_fields(draw, 2)}}}>"
        if draw.random() < 0.7:
            pads = f"{power(draw, 2, 4)}:+{power(draw, 0, 3)}"
            inner = f"#ttg.padded_shared<[{pads}] {{order = {order(draw, 2)}, shape = {piece}}}>"
        fields = f"numPartitions = {partitions}, numGroups = {groups}, partitionDim = {dim}, partitionLayout = {inner}"
        yield blocked_text(draw, 2, LANES, 1), f"#ttg.partitioned_shared<{{{fields}}}>", (sizes[0], sizes[1])


def module(registers: str, memory: str, shape: tuple[int, int]) -> str:
    """A module that loads a tile by rows, and stores it to LDS."""
    sizes = "x".join(map(str, shape))
    kept = f"!ttg.memdesc<{sizes}xi32, #shared, #smem, mutable>"
    return f"""
#own = {registers}
#shared = {memory}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx1250",
                    "ttg.threads-per-warp" = {LANES} : i32}} {{
  tt.func public @stored(%x: !tt.ptr<i32> {{tt.divisibility = 16 : i32}}) {{
    {places("x", shape, (shape[1], 1), "#own", "i32")}
    %tile = tt.load %x_at {{isVolatile = true}} : tensor<{sizes}x!tt.ptr<i32>, #own>
    %lds = ttg.local_alloc : () -> {kept}
    ttg.local_store %tile, %lds : tensor<{sizes}xi32, #own> -> {kept}
    tt.return
  }}
}}
"""


class Stored(Carried):
    """What a kernel stores to LDS: `addresses` of the elements that it has loaded, by their place in memory."""

    def __init__(self, text: str) -> None:
        self.addresses: dict[int, int] = {}
        text = re.sub(r"getelementptr \(i8, ptr addrspace\(3\) @global_smem, i32 (\d+)\)", r"\1", text)
        super().__init__(text.replace(", !dbg", " !dbg"), LANES)

    def carry_out(self, line: str) -> None:
        """One line; of stores to LDS, each lane's elements and where they go."""
        line = re.sub(r" !dbg !\d+", "", line)
        found = re.match(r"store (?:<\d+ x i32>|i32) (%\d+), ptr addrspace\(3\) (\S+),", line)
        if found is None:
            super().carry_out(line)
            return
        at = self.value(found[2])
        for n, elements in enumerate(self.known[found[1]]):
            for lane in self.lane:
                address = int(at[lane]) + 4 * n
                assert self.addresses.setdefault(int(elements[lane]), address) == address

    def made(self, text: str) -> Any:
        """What a line makes; a load, the numbers of its elements."""
        if found := re.match(r"load (?:volatile )?(?:<(\d+) x i32>|i32), ptr addrspace\(1\) (%\d+)", text):
            return [self.value(found[2]) // 4 + n for n in range(int(found[1] or 1))]
        if found := re.match(r"icmp (eq|ne) i\d+ (\S+), (\S+)$", text):
            same = self.value(found[2]) == self.value(found[3])
            return same if found[1] == "eq" else ~same
        if found := re.match(
            r"select i1 (%\d+), (?:i\d+|ptr addrspace\(3\)) (\S+), (?:i\d+|ptr addrspace\(3\)) (\S+)$", text
        ):
            return np.where(self.known[found[1]], self.value(found[2]), self.value(found[3]))
        if found := re.match(r"extractelement <\d+ x ptr addrspace\(3\)> <(.*)>, i\d+ (\S+)$", text):
            bases = [self.value(one.split()[-1]) for one in found[1].split(", ")]
            return np.choose(self.value(found[2]), bases)
        if found := re.match(r"extractelement <\d+ x i32> (%\d+), i\d+ (\d+)$", text):
            return [self.known[found[1]][int(found[2])]]
        if found := re.match(r"shufflevector <.*?> (%\d+), <.*?> (\S+), <(\d+) x i32> (.*)", text):
            first, chosen = self.known[found[1]], re.findall(r"i32 (\d+)", found[4].replace("poison", "0"))
            both = [*first, *self.known.get(found[2], first)]
            return [both[int(n)] for n in chosen or ["0"] * int(found[3])]
        if found := re.match(r"trunc (?:nuw |nsw )*i\d+ (\S+) to i(\d+)$", text):
            return self.value(found[1]) & (1 << int(found[2])) - 1
        if found := re.match(r"tail call i(\d+) @llvm.bitreverse.i\d+\(i\d+ (\S+)\)", text):
            return sum((self.value(found[2]) >> n & 1) << int(found[1]) - 1 - n for n in range(int(found[1])))
        return super().made(text)


def record_partitioned() -> None:
    """Compiles each case and writes where its elements go."""
    triton, compiler = import_module("triton"), import_module("triton.backends.compiler")
    with PARTITIONED.open("w") as file, tempfile.TemporaryDirectory() as folder:
        for registers, memory, shape in cases():
            path = Path(folder) / "stored.ttgir"
            path.write_text(module(registers, memory, shape))
            built = triton.compile(
                str(path), target=compiler.GPUTarget("hip", "gfx1250", LANES), options={"num_warps": 1}
            )
            found = Stored(built.asm["llir"]).addresses
            told = {"shared": memory, "shape": shape, "addresses": [found[n] for n in range(shape[0] * shape[1])]}
            print(json.dumps(told, separators=(",", ":")), file=file)
