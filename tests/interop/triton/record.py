"""What Triton itself makes of the layouts of `cases`: its wheel (3.9, 286 MB, no GPU) is asked for each.

    pip install '.[triton]'
    python -m tests.interop.triton.record [answers|conflicts|operations|padded|partitioned|transposed|widths|modules]

| file              | a line has                                                                                  |
|-------------------|---------------------------------------------------------------------------------------------|
| `answers.jsonl`   | a layout, and the bases of the linear layout that Triton gives it (padding is no part of    |
|                   | one), or null where Triton aborts on it (an assertion of its own, in a process of its own)  |
| `conflicts.jsonl` | registers and shared memory, and Gluon's number of bank conflicts on NVIDIA's `cuda:90`     |
| `operations.jsonl`| what Triton's LinearLayout computes of layouts by chance: products, inverses, compositions  |
| `padded.jsonl`    | an operand on gfx950, and the padded layout that Triton takes to be efficient for it        |
| `partitioned.jsonl`| partitioned memory, and the address of each element that is stored there on gfx1250        |
|                   | (`partitions`)                                                                              |
| `transposed.jsonl`| a load from LDS that transposes, on gfx950 or gfx1250: what each lane asks for and gets     |
|                   | (`transposing`)                                                                             |
| `widths.jsonl`    | registers and shared memory, and the elements and alignment of the stores that are emitted  |
|                   | for gfx942                                                                                  |
| `modules/`        | a product of matrices of our own, compiled for four targets: its GPU IR, and how many LDS   |
|                   | instructions of each kind its machine code has                                              |
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from layoutalg.interop.triton import LinearLayout
from layoutalg.target.dtypes import element_type
from tests.interop.triton.cases import Case, cases, nvmma_pairs, operands, pairs
from tests.interop.triton.partitions import record_partitioned
from tests.interop.triton.transposing import record_transposed

HERE = Path(__file__).parent
ANSWERS, CONFLICTS, OPERATIONS, PADDED, WIDTHS = (
    HERE / f"{name}.jsonl" for name in ("answers", "conflicts", "operations", "padded", "widths")
)
MODULES = HERE / "modules"
SHAPES = ((128, 64), (256, 32), (64, 64))
BATCH = 100


class Triton:
    """The wheel, asked through the bindings that its Gluon front end uses."""

    def __init__(self) -> None:
        libtriton = import_module("triton._C.libtriton")
        self.ir, self.lib = libtriton.ir, libtriton
        self.context = self.ir.context()
        self.ir.load_dialects(self.context)
        libtriton.amd.load_dialects(self.context)
        libtriton.nvidia.load_dialects(self.context)
        self.builder = libtriton.gluon_ir.GluonOpBuilder(self.context)

    def object(self, case: Case) -> Any:
        """The layout as an object of Gluon."""
        shape = "x".join(map(str, case.shape))
        shared = "shared" in case.text
        kind = (
            f"!ttg.memdesc<{shape}x{element_of(case.text)}, {case.text}, #ttg.shared_memory>"
            if shared
            else f"tensor<{shape}xf16, {case.text}>"
        )
        text = (
            f'module attributes {{"ttg.num-warps" = {case.warps} : i32, "ttg.num-ctas" = {case.blocks} : i32, '
            f'"ttg.threads-per-warp" = {case.lanes} : i32}} {{ tt.func @f(%a: {kind}) {{ tt.return }} }}'
        )
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            module = self.ir.parse_mlir_module(file.name, self.context)
        value = module.get_function("f").args(0)
        make = self.builder.get_gluon_layout_from_memdesc if shared else self.builder.get_gluon_layout_from_tensor
        return make(value)

    def begin(self, target: str, lanes: int) -> None:
        """What is asked from here on is asked in a function for that target."""
        b = self.builder
        module = b.create_module()
        module.set_attr("ttg.target", b.get_string_attr(target))
        for name, number in (("num-warps", 4), ("threads-per-warp", lanes), ("num-ctas", 1)):
            module.set_attr(f"ttg.{name}", b.get_int32_attr(number))
        function = b.get_or_insert_function(module, "f", b.get_function_ty([], []), "public", False)
        module.push_back(function)
        body = function.add_entry_block()
        b.set_insertion_point_to_start(body)
        self.kept = module, function, body

    def bases(self, case: Case) -> dict[str, list[list[int]]]:
        """The bases of its linear layout, by input dimension."""
        layout = self.object(case)
        if case.kind == "padded_shared":
            return {"offset": [list(b) for b in layout.offset_bases], "block": [list(b) for b in layout.cga_layout]}
        found = self.builder.to_linear_layout(layout._to_ir(self.builder), list(case.shape))
        if hasattr(found, "offset_bases"):
            return {"offset": found.offset_bases, "block": found.block_bases}
        return {
            "register": found.reg_bases,
            "lane": found.lane_bases,
            "warp": found.warp_bases,
            "block": found.block_bases,
        }


def element_of(layout: str) -> str:
    """The type of the elements that a shared layout states, f16 where it states none."""
    stated = re.search(r"elementBitWidth = (\d+)", layout)
    return {"8": "i8", "32": "f32", "64": "f64"}.get(stated[1], "f16") if stated else "f16"


def asked(batch: list[Case]) -> Iterator[dict[str, list[list[int]]] | None]:
    """Triton's answer for each case, None where it aborts: then the rest are asked in another process."""
    while batch:
        script = "from tests.interop.triton.record import answer; answer()"
        given = "\n".join(json.dumps(vars(case)) for case in batch)
        done = subprocess.run([sys.executable, "-c", script], input=given, capture_output=True, text=True)
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        yield from found
        batch = batch[len(found) :]
        if batch:
            yield None
            batch = batch[1:]


def answer() -> None:
    """Answers the cases on standard input, a line each."""
    triton = Triton()
    for line in sys.stdin:
        given = json.loads(line)
        print(json.dumps(triton.bases(Case(**{**given, "shape": tuple(given["shape"])}))), flush=True)


def record() -> None:
    """Writes all answers."""
    every = list(cases())
    with ANSWERS.open("w") as file:
        for start in range(0, len(every), BATCH):
            batch = every[start : start + BATCH]
            for case, bases in zip(batch, asked(list(batch)), strict=True):
                line = {"kind": case.kind, "text": case.text, "shape": case.shape, "bases": bases}
                print(json.dumps(line, separators=(",", ":")), file=file)


def record_conflicts(triton: Triton) -> None:
    """Writes what Gluon counts of bank conflicts (it aborts on AMD's targets)."""
    b = triton.builder
    triton.begin("cuda:90", 32)
    with CONFLICTS.open("w") as file:
        for registers, shared in itertools.chain(pairs(), nvmma_pairs()):
            one, other = (triton.object(case)._to_ir(b) for case in (registers, shared))
            bits = element_type(element_of(shared.text)).bits
            found = b.get_shared_bank_conflicts(one, other, list(shared.shape), bits)
            told = {"registers": registers.text, "shared": shared.text, "shape": shared.shape, "conflicts": found}
            print(json.dumps(told, separators=(",", ":")), file=file)


def record_operations(triton: Triton) -> None:
    """Writes what Triton's LinearLayout computes of layouts by chance."""
    kind = triton.lib.linear_layout.LinearLayout

    def own(layout: LinearLayout) -> Any:
        bases = [(name, [list(basis) for basis in vectors]) for name, vectors in layout.bases]
        return kind.from_bases(bases, list(layout.shape), list(layout.shape.values()), False)

    def told(layout: Any) -> dict[str, Any]:
        return {"bases": dict(layout.bases), "sizes": dict(layout.out_dims)}

    with OPERATIONS.open("w") as file:
        for first, again, follow in operands():
            one = own(first)
            line = {
                "injective": one.is_injective(),
                "surjective": one.is_surjective(),
                "product": told(one * own(again)),
                "then": told(one.compose(own(follow))),
                "pseudoinverse": told(one.pseudoinvert()) if one.is_surjective() else None,
            }
            print(json.dumps(line, separators=(",", ":")), file=file)


def record_padded(triton: Triton) -> None:
    """Writes the padded layouts that Triton chooses for gfx950, by operand, instruction, kWidth, type and order."""
    choose = triton.lib.gluon_ir.compute_amd_efficient_padded_shared_layout
    every = itertools.product((0, 1), ([32, 32, 16], [16, 16, 32]), (4, 8, 16), (16, 8), (True, False), SHAPES)
    with PADDED.open("w") as file:
        for operand, instruction, width, bits, along_k, shape in every:
            own = list(shape if operand == 0 else shape[::-1])
            found = choose(operand, width, 4, [2, 2], instruction, True, [1, 1], 32, [], own, bits, along_k)
            if found is None:
                continue
            parent = (
                f"#ttg.amd_mfma<{{version = 4, warpsPerCTA = [2, 2], instrShape = {instruction}, isTransposed = true}}>"
            )
            pads = ", ".join(f"{i}:+{p}" for i, p in found.interval_padding_pairs)
            bases = [list(basis) for basis in found.offset_bases]
            told = {
                "registers": f"#ttg.dot_op<{{opIdx = {operand}, parent = {parent}, kWidth = {width}}}>",
                "shared": f"#ttg.padded_shared<[{pads}] {{offset = {bases}, block = []}}>",
                "shape": own,
                "bits": bits,
                "along_k": along_k,
            }
            print(json.dumps(told, separators=(",", ":")), file=file)


def _store(registers: Case, shared: Case) -> str:
    """A module that stores registers to shared memory, and loads them."""
    sizes = "x".join(map(str, shared.shape))
    memory = f"!ttg.memdesc<{sizes}xf16, {shared.text}, #ttg.shared_memory, mutable>"
    tensor, pointers = (f"tensor<{sizes}x{element}, {registers.text}>" for element in ("f16", "!tt.ptr<f16>"))
    return f"""module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {registers.warps} : i32,
  ttg.target = "hip:gfx942", "ttg.threads-per-warp" = {registers.lanes} : i32}} {{
  tt.func public @k(%a: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}, %o: !tt.ptr<f16> {{tt.divisibility = 16 : i32}}) {{
    %p = tt.splat %a : !tt.ptr<f16> -> {pointers}
    %q = tt.splat %o : !tt.ptr<f16> -> {pointers}
    %m = ttg.local_alloc : () -> {memory}
    %x = tt.load %p {{isVolatile = true}} : {pointers}
    ttg.local_store %x, %m : {tensor} -> {memory}
    %y = ttg.local_load %m : {memory} -> {tensor}
    tt.store %q, %y : {pointers}
    tt.return
  }}
}}"""


def record_widths() -> None:
    """Writes how wide Triton's own stores to LDS are, from the LLVM IR that it emits."""
    triton, compiler = import_module("triton"), import_module("triton.backends.compiler")
    with WIDTHS.open("w") as file, tempfile.TemporaryDirectory() as folder:
        for registers, shared in itertools.islice(pairs(lanes=64, padding=True), 80):
            path = Path(folder) / "k.ttgir"
            path.write_text(_store(registers, shared))
            llvm = triton.compile(str(path), target=compiler.GPUTarget("hip", "gfx942", 64)).asm["llir"]
            found = re.findall(r"store <(\d+) x half>.*addrspace\(3\).* align (\d+)", llvm)
            width, alignment = min((int(w), int(a)) for w, a in found)
            assert {int(w) for w, _ in found} == {width}, (registers, shared, found)
            told = {"registers": registers.text, "shared": shared.text, "shape": shared.shape}
            told |= {"width": width, "alignment": alignment, "stores": len(found)}
            print(json.dumps(told, separators=(",", ":")), file=file)


def record_modules() -> None:
    """Writes the GPU IR of a product of matrices for each target, without the source's places."""
    triton, compiler = import_module("triton"), import_module("triton.backends.compiler")
    kernel = import_module("tests.interop.triton.product").product
    MODULES.mkdir(exist_ok=True)
    for name, lanes in (("gfx90a", 64), ("gfx942", 64), ("gfx950", 64), ("gfx1201", 32)):
        tensors, sizes = dict.fromkeys("abc", "*fp16"), dict.fromkeys(("k", "a_row", "b_row", "c_row"), "i32")
        signature = {**tensors, **sizes, **dict.fromkeys(("BM", "BN", "BK"), "constexpr")}
        known = {(n,): [["tt.divisibility", 16]] for n in range(len(tensors) + len(sizes))}
        source = triton.compiler.ASTSource(kernel, signature, {"BM": 128, "BN": 128, "BK": 64}, known)
        built = triton.compile(source, target=compiler.GPUTarget("hip", name, lanes), options={"num_warps": 4})
        text = re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", built.asm["ttgir"])
        lines = [line for line in text.splitlines() if not line.startswith("#loc")]
        count = Counter(re.findall(r"^\s+(ds_\w+)", built.asm["amdgcn"], re.MULTILINE))
        head = "// Triton 3.9; its machine code: " + ", ".join(f"{n} {kind}" for kind, n in sorted(count.items()))
        (MODULES / f"product-{name}.ttgir").write_text("\n".join([head, *lines]) + "\n")


if __name__ == "__main__":
    asking = Triton()
    chosen = sys.argv[1:] or [
        "answers",
        "conflicts",
        "operations",
        "padded",
        "partitioned",
        "transposed",
        "widths",
        "modules",
    ]
    for name in chosen:
        {
            "answers": record,
            "conflicts": partial(record_conflicts, asking),
            "operations": partial(record_operations, asking),
            "padded": partial(record_padded, asking),
            "partitioned": record_partitioned,
            "transposed": record_transposed,
            "widths": record_widths,
            "modules": record_modules,
        }[name]()
