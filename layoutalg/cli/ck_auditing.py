"""`ck audit`: whole kernels of CK, compiled from its own headers, launched as it admits, and audited."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli import auditing
from layoutalg.cli.errors import InputError
from layoutalg.cli.output import placed, time_limit
from layoutalg.disk import write_whole
from layoutalg.lazy import lazy_imports

with lazy_imports():
    from layoutalg import formats
    from layoutalg.audit import audit as audits
    from layoutalg.ck import gemm as gemms
    from layoutalg.ck import kernels
    from layoutalg.ck import launched as launching
    from layoutalg.ck import own as owned
    from layoutalg.counters.formulas import call as counting
    from layoutalg.isa.container import binary, lines
    from layoutalg.isa.decode import code as codes


#: What a GEMM's name has: a tile of three sides; and what is of numbers alone.
_TILE = re.compile(r"(?:^|_)\d+x\d+x\d+(?:_|$)|^[\dx_]+$")

#: How sources are called that are audited as they are.
SOURCES = (".hip", ".cpp", ".cu", ".cc", ".cxx")


def audit(
    what: Annotated[str, typer.Argument(help="A GEMM's tile or instance's name, another kernel's name, or a source.")],
    include: Annotated[list[Path], typer.Option("-I", "--include", help="CK's folder of headers.")],
    target: Annotated[str, typer.Option(help="The GPU.")] = "gfx942",
    dtype: Annotated[str, typer.Option(help="A GEMM's element type: fp16 or f16, fp8 or f8 …")] = "fp16",
    layout: Annotated[str, typer.Option(help="Of A, B and C: r or c each.")] = "rcr",
    pipeline: Annotated[str, typer.Option(help="compv3, compv4, mem or comp_async.")] = "compv3",
    pad: Annotated[str, typer.Option(help="Which of M, N and K are padded: m, n and k, such as mnk.")] = "",
    turns: Annotated[int | None, typer.Option(min=1, help="Only the kernel whose loop over K turns so often.")] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="M at most.")] = None,
    apart: Annotated[
        bool, typer.Option("--apart", help="Strides are sizes of their own, no shorter than rows.")
    ] = False,
    sizes: Annotated[str, typer.Option(metavar="MxNxK", help="These sizes of a GEMM alone.")] = "",
    keep: Annotated[
        Path | None, typer.Option(callback=placed, help="The folder for source, code object and launch files.")
    ] = None,
    counters: Annotated[
        bool, typer.Option("--counters", help="What rocprofv3 would count of each kernel, too, as formulas.")
    ] = False,
    seconds: Annotated[float, time_limit("all claims of a kernel", least=0.1)] = 60.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Compile a kernel of CK from its own headers, and prove that it is safe for all sizes that CK admits.

    A GEMM has a kernel for each way in which its loop over K may turn, as CK's host code chooses among them; M, N and K
    are sizes, with what its IsSupportedArgument asks of them. Exit codes are those of audit.

    Of a source of your own, my_kernel.hip, whose kernels are `name(Kernel::Kargs arguments)`, the contract is written
    beside it, my_kernel.toml, from the kernel's own views, GridSize and BlockSize, with guesses marked; once it is
    there it is what is audited, as you have changed it.

    \b
    layoutalg ck audit my_kernel.hip --include composable_kernel/include
    layoutalg ck audit 64x64x32_2x2x1_32x32x16 --include composable_kernel/include
    layoutalg ck audit layernorm2d_4x512 --include composable_kernel/include --keep kept
    """
    if keep is not None and keep.exists() and not keep.is_dir():
        raise InputError(f"--keep {keep}: is no folder")
    missing = next((folder for folder in include if not folder.is_dir()), None)
    if missing:
        raise InputError(f"--include {missing}: no such folder; give one that holds ck_tile/core.hpp")
    if sizes and (rows or turns):
        raise InputError("--sizes says how many rows and turns there are: leave out --rows and --turns")
    launched = launching.Launched(rows or launching.MOST, apart, _sizes(sizes) if sizes else None)
    if Path(what).suffix in SOURCES:
        source: kernels.KernelSource = _own(Path(what), target, include, keep)
    else:
        source = _source(what, target, include, (dtype, layout, pipeline, pad), turns, launched)
    payload = source.compiled(target, include)
    files = {name: formats.loads(text, f"{name}.toml") for name, text in source.launches.items()}
    if keep is not None and not isinstance(source, owned.OwnKernels):
        _keep(keep, source, payload)
    where, built = lines.SourceLines.read(payload).of, binary.read_kernels(payload)
    launches = [(codes.decode_kernel(built[name]), file) for name, file in files.items()]
    found = [auditing.Told(audits.audit(code, file, seconds), where) for code, file in launches]
    counted = [counting.formulas_of(code, file, None, seconds) for code, file in launches] if counters else []
    if as_json:
        contracts = map(str, source.contracts) if isinstance(source, owned.OwnKernels) else ()
        kernels_told = [one.data for one in found]
        for told, formulas in zip(kernels_told, counted, strict=False):
            told["counters"] = formulas.report
        print(json.dumps({"instance": source.name, "contracts": [*contracts], "kernels": kernels_told}))
    else:
        print(source.name)
        if isinstance(source, owned.OwnKernels):
            print(*_contracts(source), sep="\n")
        for number, one in enumerate(found):
            print(*one.text(), *(counting.text(counted[number]) if counted else ()), sep="\n")
    return max((one.exit_code for one in found), key=(0, auditing.UNKNOWN, 1).index)


def _own(path: Path, target: str, include: list[Path], keep: Path | None) -> owned.OwnKernels:
    """The kernels of a source of one's own."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        return owned.own_source(path, target, include, keep)
    except OSError as error:
        raise InputError(f"{path}: no contract can be written beside it: {error}; --keep says where else") from error


def _contracts(source: owned.OwnKernels) -> Iterator[str]:
    """Where contracts are, and what is to be done with them."""
    for path in source.contracts:
        made = "written as the kernel itself says; hold each line with a guess against your host code"
        yield f"{path}: {made if path in source.made else 'as it stands'}"


def _sizes(text: str) -> tuple[int, int, int]:
    """M, N and K."""
    found = text.split("x")
    if len(found) != 3 or not all(one.isascii() and one.isdigit() for one in found):
        raise InputError(f"--sizes {text!r}: write MxNxK, such as 200x256x128")
    m, n, k = map(int, found)
    return m, n, k


def _source(
    what: str, target: str, include: list[Path], choices: tuple[str, str, str, str], turns: int | None, launched: Any
) -> kernels.KernelSource:
    """What is named: a kernel of its own name, else a GEMM, whose names end in a tile."""
    if kernels.kind_of(what) is not None or not _TILE.search(what):
        return kernels.kernel_source(what)
    gemm = gemms.Gemm.named(what, *choices)
    return launching.gemm_source(gemm, gemms.asked(gemm, target, include), turns, launched)


def _keep(folder: Path, source: kernels.KernelSource, payload: bytes) -> None:
    folder.mkdir(exist_ok=True)
    write_whole(folder / f"{source.name}.hip", source.text.encode())
    write_whole(folder / f"{source.name}.co", payload)
    for name, text in source.launches.items():
        write_whole(folder / f"{name}.toml", text.encode())
