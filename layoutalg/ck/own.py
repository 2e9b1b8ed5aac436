"""An own kernel of CK Tile, by its source: compiled, asked how it is launched, and a contract written beside it.

    using Kernel = ck_tile::Rmsnorm2dFwd<…>;
    extern "C" __global__ void my_rms(Kernel::Kargs arguments) { Kernel{}(arguments); }

A contract that stands there already is left as it is, and is what is audited: that is where guesses are put right.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from layoutalg.ck.contract import contract
from layoutalg.ck.kernels import KernelSource
from layoutalg.ck.probe import probed, written
from layoutalg.device.compile import compile_file
from layoutalg.disk import write_whole
from layoutalg.errors import LayoutError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.records import dataclass

FORM = "write it as __global__ void name(Kernel::Kargs k) { Kernel{}(k); }"


@dataclass(frozen=True)
class OwnKernels(KernelSource):
    """Kernels of one source with the code object that it came to; each one's contract, and those that were made."""

    payload: bytes
    contracts: tuple[Path, ...]
    made: tuple[Path, ...]

    def compiled(self, target: str, include: Sequence[Path]) -> bytes:
        """The code object that there is."""
        return self.payload


def own_source(source: Path, target: str, include: Sequence[Path], folder: Path | None = None) -> OwnKernels:
    """A source's kernels, whose contracts are, or are written, beside it or in a folder.

    Raises `CompileError` where it does not compile, LayoutError where it is no kernel of CK Tile's that can be asked.
    """
    text = source.read_text(encoding="utf-8")
    names = [*written(text)]
    if not names:
        raise LayoutError(f"{source}: no kernel of CK's is seen: {FORM}")
    beside = folder or source.parent
    paths = {n: beside / (f"{source.stem}.toml" if len(names) == 1 else f"{source.stem}.{n}.toml") for n in names}
    missing = [name for name, path in paths.items() if not path.exists()]
    with ThreadPoolExecutor(2) as pool:  # compilers are processes of their own
        asked = pool.submit(probed, source, missing, target, include) if missing else None
        payload = compile_file(source, target, flags=("-gline-tables-only",), include=include).payload
        found = asked.result() if asked else []
    built = read_kernels(payload)
    for one in found:
        made = contract(one, built[one.name].metadata.lds_bytes, source.name)
        paths[one.name].parent.mkdir(exist_ok=True)
        write_whole(paths[one.name], made.encode())
    launches = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    return OwnKernels(source.stem, text, launches, payload, (*paths.values(),), tuple(paths[n] for n in missing))
