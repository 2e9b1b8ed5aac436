"""From a kernel's source to a code object, by the first compiler that knows the target.

The same source serves every target; the device header (`include/layoutalg_device.h`) makes the difference. What was
compiled once is kept on disk under the hash of all that it depends on (see `cache`), so a second build costs a read.

A source for the CPU must hold its kernels as `extern "C" __global__ void name(…)`: a launcher is added for each.
The real HIP headers are not used here: `include/hip` has ours, enough for kernels, the programs around them and CK
Tile; what needs AMD's device library must be built by hipcc.
"""

import functools
import platform
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from layoutalg import cache
from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compilers import INCLUDE, Compiler, choose_compiler, output_name
from layoutalg.device.process import run_compiler
from layoutalg.device.targets import family
from layoutalg.errors import CompileError

# What `__global__` and `void name(` become on the CPU, once the preprocessor has read the source.
_KERNEL = re.compile(r'annotate\("kernel"\)\)\)\s+void\s+(\w+)\s*\(')
_ERROR = re.compile(r"^.*\berror: .*$", re.MULTILINE)

#: A function that a linker does not find, of AMD's device library.
_OCML = re.compile(r"undefined \w* ?symbol: __ocml_")


def compile_source(
    source: str,
    target: str,
    *,
    compiler: Compiler | None = None,
    opt_level: int = 3,
    flags: tuple[str, ...] = (),
    include: Sequence[Path] = (),
) -> CodeObject:
    """Compiles a kernel source for a target, or takes the code object from the cache.

    `compiler` is the first of `find_compilers()` that knows the target unless one is given; `opt_level` is 0 to 3;
    `flags` are further ones for clang, such as `-mcumode`; `include` are folders of headers, such as CK's, with which
    nothing is kept in the cache, since it does not know them.
    The code object is a whole ELF file (AMD), PTX text (NVIDIA) or a shared library (CPU).

    Raises `UnknownTargetError`, `NoCompilerError`, or `CompileError` with the first error that the compiler names.

    >>> code = compile_source('#include "layoutalg_device.h"\\nextern "C" __global__ void nop() {}\\n', "gfx942")
    >>> code.kernels["nop"].lds_bytes
    0
    """
    chosen = compiler or choose_compiler(target)
    flags += tuple(f"-I{folder.resolve()}" for folder in include)
    steps = chosen.steps(target, opt_level, flags)
    headers = [path.read_bytes() for path in sorted(INCLUDE.rglob("*.h*"))]
    processor = _processor() if family(target) == "cpu" else ""
    key = cache.key(source, chosen.version, processor, *headers, *("\0".join(command) for command in steps))
    payload = None if include else cache.read(key)
    if payload is None:
        if family(target) == "cpu":
            source = _with_launchers(source, chosen, flags)
        payload = _run_all(steps, source, output_name(target), target)
        if not include:
            cache.write(key, payload)
    return CodeObject.read(payload)


def compile_to_assembly(
    source: str, target: str, *, compiler: Compiler | None = None, opt_level: int = 3, flags: tuple[str, ...] = ()
) -> str:
    """The assembly text of a kernel source: AMD's, PTX, or the host's. Arguments and errors as `compile_source`.

    >>> text = compile_to_assembly('#include "layoutalg_device.h"\\nextern "C" __global__ void nop() {}\\n', "gfx90a")
    >>> "s_endpgm" in text
    True
    """
    first = (compiler or choose_compiler(target)).steps(target, opt_level, flags)[0]
    return _run_all((tuple("-S" if part == "-c" else part for part in first),), source, first[-1], target).decode()


def _run_all(steps: Iterable[tuple[str, ...]], source: str, output: str, target: str) -> bytes:
    """Runs the steps in a folder of their own and returns one of its files."""
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        (Path(folder) / "kernel.hip").write_text(source)
        for command in steps:
            _run(command, folder, target)
        return (Path(folder) / output).read_bytes()


def _run(command: tuple[str, ...], folder: str, target: str) -> None:
    try:
        status, output = run_compiler(command, folder)
    except CompileError as error:
        raise CompileError(f"{target}: {error}") from error
    if status != 0:
        found = _ERROR.search(output)
        reason = found.group().strip() if found else f"it ended with status {status} and named no error"
        if _OCML.search(reason):
            reason += " (it needs AMD's device library, which layoutalg's HIP header does without)"
        raise CompileError(f"{target}: the source does not compile; mend this first: {reason}", output)


@functools.cache
def _processor() -> str:
    """Tells processors apart for which `-march=native` may mean different things."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = platform.processor()
    lines = sorted({line for line in text.splitlines() if line.startswith(("model name", "flags", "Features", "CPU "))})
    return "\n".join((platform.machine(), *lines))


def _with_launchers(source: str, compiler: Compiler, flags: tuple[str, ...]) -> str:
    """The source, and for each of its kernels (macros may write them) what launches it."""
    text = _run_all((compiler.preprocess(flags),), source, "kernel.i", "cpu").decode()
    names = _KERNEL.findall(text)
    if not names:
        raise CompileError('cpu: the source holds no kernel: write one as extern "C" __global__ void name(…)')
    return "".join((source, "\n", *(f"LAYOUTALG_CPU_KERNEL({name})\n" for name in names)))
