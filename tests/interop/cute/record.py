"""What NVIDIA's CuTe itself says of its atoms, and of the tiled MMAs and copies of `tiled`: its headers, no GPU.

    pip download nvidia-cutlass==4.2.0.0 --no-deps && unzip '*.whl'     # CUTLASS's headers are in it
    python -m tests.interop.cute.record cutlass_library/source/include CUDA/include/cccl CUDA/include

The folders are where `cute/tensor.hpp`, `cuda/std/utility` and `cuda_runtime_api.h` are; a C++17 compiler (`CXX`, else
g++) makes a program of the host of them, which prints what follows.

| file         | a line has                                                                                     |
|--------------|------------------------------------------------------------------------------------------------|
| `atoms.txt`  | a shape, thread-value layouts of A, B and C, and the atoms of CUTLASS's headers that have them  |
| `tiled.jsonl`| of a case of `tiled`, by number: thread-value layouts, and what some threads have of a tensor   |
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from layoutalg.interop.cute import TiledMma
from tests.interop.cute.tiled import K_MAJOR, Case, cases, type_of

HERE = Path(__file__).parent
ATOMS, TILED = HERE / "atoms.txt", HERE / "tiled.jsonl"
HEADERS = ("sm75", "sm80", "sm89", "sm90", "sm90_gmma", "sm90_gmma_ext")
BATCH = 3
HEAD = r"""
#define CUTE_SM90_EXTENDED_MMA_SHAPES_ENABLED
#include <cute/tensor.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/copy_atom.hpp>
using namespace cute;
static int memory[1 << 16];
template <class Operation> void atom(char const* name) {
  using Traits = MMA_Traits<Operation>;
  printf("%s ", name); print(typename Traits::Shape_MNK{}); printf(" "); print(typename Traits::ALayout{});
  printf(" "); print(typename Traits::BLayout{}); printf(" "); print(typename Traits::CLayout{}); printf("\n");
}
template <class Layout> void tv(Layout const& layout) { printf("\"tv\": \""); print(layout); printf("\"}\n"); }
template <class Part> void part(Part const& part) {
  printf("\"modes\": [");
  for_each(make_seq<rank_v<Part>>{}, [&](auto n) { printf(n ? ", %d" : "%d", int(size<n>(part))); });
  printf("], \"offsets\": [");
  for (int n = 0; n < int(size(part)); ++n) printf(n ? ", %ld" : "%ld", long(&part(n) - memory));
  printf("]}\n");
}
int main() {
"""


def compiled(body: str, folders: Sequence[str]) -> list[str]:
    """The lines that a program prints."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "main.cpp", Path(folder) / "main"
        source.write_text(f"{HEAD}{body}\n}}\n")
        include = [f"-I{one}" for one in folders]
        subprocess.run(
            [os.environ.get("CXX", "g++"), "-std=c++17", "-w", "-O1", *include, source, "-o", program], check=True
        )
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def operations(headers: Path) -> Iterator[tuple[str, str]]:
    """Every atom of the headers, and its operation: some are templates, of the majors of A and B where both may be."""
    for header in HEADERS:
        text = (headers / f"cute/atom/mma_traits_{header}.hpp").read_text()
        for name, template in dict.fromkeys(re.findall(r"struct MMA_Traits<(SM\d+_\w+)(<?)", text)):
            yield name, name + (("<>" if "_TN" in name else K_MAJOR) if template else "")


def record_atoms(folders: Sequence[str]) -> None:
    """Writes the layouts of every atom."""
    body = [f'atom<{operation}>("{name}");' for name, operation in operations(Path(folders[0]))]
    alike: dict[str, list[str]] = {}
    for line in compiled("\n".join(body), folders):
        name, told = line.split(" ", 1)
        alike.setdefault(told.replace("_", ""), []).append(name)
    ATOMS.write_text("".join(f"{told} : {' '.join(atoms)}\n" for told, atoms in alike.items()))


def asked(number: int, case: Case) -> Iterator[str]:
    """The statements that ask about a case."""
    yield f"{{ auto made = {case.cpp};"
    for which in "ABC" if isinstance(case.made, TiledMma) else "SD":
        yield f'printf("{{\\"case\\": {number}, \\"of\\": \\"{which}\\", "); tv(made.get_layout{which}_TV());'
    for one in case.parts:
        yield f"{{ auto tensor = make_tensor(&memory[0], {type_of(one.tensor)});"
        for thread in one.threads:
            yield f'printf("{{\\"case\\": {number}, \\"method\\": \\"{one.method}\\", \\"thread\\": {thread}, ");'
            yield f"part(made.get_slice({thread}).{one.method}(tensor));"
        yield "}"
    yield "}"


def record_tiled(folders: Sequence[str]) -> None:
    """Writes what CuTe makes of the cases."""
    every = list(enumerate(cases()))
    with TILED.open("w") as file:
        for start in range(0, len(every), BATCH):
            body = "\n".join(line for number, case in every[start : start + BATCH] for line in asked(number, case))
            for line in compiled(body, folders):
                told = json.loads(line.replace("_", "") if '"tv"' in line else line)
                print(json.dumps(told, separators=(",", ":")), file=file)


if __name__ == "__main__":
    record_atoms(sys.argv[1:])
    record_tiled(sys.argv[1:])
