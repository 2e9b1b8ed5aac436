"""From a kernel's source to a code object, by the first compiler that knows the target.

The same source serves every target; the device header (`include/layoutalg_device.h`) makes the difference. What was
compiled once is kept on disk under the hash of all that it depends on (see `cache`), so a second build costs a read.

A source for the CPU must hold its kernels as `extern "C" __global__ void name(…)`: a launcher is added for each.
The real HIP headers are not used here: `include/hip` has ours, enough for kernels, the programs around them and CK
Tile; what needs AMD's device library must be built by hipcc.
"""

import functools
import json
import platform
import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from layoutalg import cache
from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compilers import (
    INCLUDE,
    SOURCE,
    Compiler,
    choose_compiler,
    choose_with_ocml,
    output_name,
)
from layoutalg.device.diagnostics import refusal
from layoutalg.device.kernelless import why_no_kernel
from layoutalg.device.precompiled import precompiled_again
from layoutalg.device.process import run_compiler
from layoutalg.device.targets import family
from layoutalg.errors import CompileError
from layoutalg.records import dataclass

#: HIP's header at the top of a source.
_HIP = re.compile(r"(?:\s|//[^\n]*\n)*#include <hip/hip_runtime\.h>\n")
# What `__global__` and `void name(` become on the CPU, once the preprocessor has read the source.
_KERNEL = re.compile(r'annotate\("kernel"\)\)\)\s+void\s+(\w+)\s*\(')


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

    `compiler` is `choose_with_ocml(target)` unless one is given; `opt_level` is 0 to 3; `flags` are further ones for
    clang, such as `-mcumode`; `include` are folders of headers, such as CK's, with which nothing is kept in the cache,
    since it does not know them.
    The code object is a whole ELF file (AMD), PTX text (NVIDIA) or a shared library (CPU).

    Raises `UnknownTargetError`, `NoCompilerError`, or `CompileError` with the first error that the compiler names, or
    with the reason why no kernel comes out.

    >>> code = compile_source('#include "layoutalg_device.h"\\nextern "C" __global__ void nop() {}\\n', "gfx942")
    >>> code.kernels["nop"].lds_bytes
    0
    """
    chosen = compiler or choose_with_ocml(target)
    flags += tuple(f"-I{folder.resolve()}" for folder in include)
    steps = chosen.steps(target, opt_level, flags)
    processor = _processor() if family(target) == "cpu" else ""
    key = cache.key(source, chosen.version, processor, *_headers(), *("\0".join(command) for command in steps))
    payload = None if include else cache.read(key)
    if payload is None:
        if family(target) == "cpu":
            source = _with_launchers(source, chosen, flags)
        quick = b"" if flags else _after_hip(source, target, steps, chosen.version)
        payload = quick or _built(source, target, steps, output_name(target))
        if not include:
            cache.write(key, payload)
    return CodeObject.read(payload)


def compile_for_host(source: str, flags: tuple[str, ...] = ()) -> bytes:
    """A shared library for this processor, of C++ that needs no headers; from the cache where it was made before.

    >>> compile_for_host('extern "C" int three() { return 3; }')[:4]
    b'\\x7fELF'
    """
    chosen = choose_compiler("cpu")
    steps = chosen.steps("cpu", 2, flags)
    key = cache.key(source, chosen.version, _processor(), *("\0".join(command) for command in steps))
    payload = cache.read(key)
    if payload is None:
        payload = _built(source, "cpu", steps, output_name("cpu"))
        cache.write(key, payload)
    return payload


def compile_file(
    path: Path,
    target: str,
    *,
    compiler: Compiler | None = None,
    opt_level: int = 3,
    flags: tuple[str, ...] = (),
    include: Sequence[Path] = (),
) -> CodeObject:
    """Compiles a source where it lies: headers beside it are found, and errors and `-g` name it as it is named here.

    Arguments and errors as `compile_source`; nothing is kept in the cache, which does not know what a file includes.

    >>> path = Path(tempfile.mkdtemp()) / "fill.hip"
    >>> _ = path.write_text('#include "layoutalg_device.h"\\n__global__ void fill(float* x) { x[threadIdx.x] = 1; }\\n')
    >>> sorted(compile_file(path, "gfx942").kernels)
    ['_Z4fillPf']
    """
    chosen = compiler or choose_with_ocml(target)
    if family(target) == "cpu":
        text = f"#line 1 {json.dumps(str(path), ensure_ascii=False)}\n{path.read_text(encoding='utf-8')}"
        beside = (path.resolve().parent, *include)
        return compile_source(text, target, compiler=chosen, opt_level=opt_level, flags=flags, include=beside)
    flags += tuple(f"-I{folder}" for folder in include)
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        steps = chosen.steps(target, opt_level, flags, str(path), f"{folder}/")
        return CodeObject.read(_Build(target, steps, folder, str(path), str(Path.cwd())).made(output_name(target)))


def compile_to_assembly(
    source: str, target: str, *, compiler: Compiler | None = None, opt_level: int = 3, flags: tuple[str, ...] = ()
) -> str:
    """The assembly text of a kernel source: AMD's, PTX, or the host's. Arguments and errors as `compile_source`.

    >>> text = compile_to_assembly('#include "layoutalg_device.h"\\nextern "C" __global__ void nop() {}\\n', "gfx90a")
    >>> "s_endpgm" in text
    True
    """
    steps = (compiler or choose_with_ocml(target)).steps(target, opt_level, flags)
    last = next(n for n, step in enumerate(steps) if SOURCE in step)
    text = tuple("-S" if part == "-c" else part for part in steps[last])
    return _built(source, target, (*steps[:last], text), text[-1]).decode()


def _after_hip(source: str, target: str, steps: Sequence[tuple[str, ...]], version: str) -> bytes:
    """What is made of a source that begins with HIP's header, where the compiler has parsed that already.

    Empty where it has not, and where the source does not compile: errors are told by the whole text.
    """
    if family(target) != "amd" or not _HIP.match(source):
        return b""
    at = next(n for n, step in enumerate(steps) if SOURCE in step)
    command, rest = steps[at][: steps[at].index("-S")], steps[at][steps[at].index("-S") :]
    try:
        before = precompiled_again(command, "#include <hip/hip_runtime.h>\n", version)
        quick = (*steps[:at], (*command, *before, *rest), *steps[at + 1 :])
        return _built(source, target, quick, output_name(target)) if before else b""
    except CompileError:
        return b""


def _built(source: str, target: str, steps: Sequence[tuple[str, ...]], output: str) -> bytes:
    """What the steps make of a text in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="layoutalg-") as folder:
        (Path(folder) / SOURCE).write_text(source, encoding="utf-8")
        return _Build(target, steps, folder).made(output)


@dataclass(frozen=True)
class _Build:
    """Steps from a source to what is loaded; `folder` has what they make, `source` and `place` are a file and its."""

    target: str
    steps: Sequence[tuple[str, ...]]
    folder: str
    file: str = ""
    place: str = ""

    def made(self, output: str) -> bytes:
        """Runs the steps and returns one of their files.

        Raises `CompileError` where one fails, or where the file is a code object without a kernel.
        """
        for step in self.steps:
            status, said = self._ran(step)
            if status != 0:
                located = said if step == self._first else self._located(step) or said
                first, shown, others = refusal(located, self._name, self.target, self.place or self.folder)
                raise self._refused(first, said, shown, others)
        payload = (Path(self.folder) / output).read_bytes()
        if output == output_name(self.target) and _has_no_kernel(payload, self.target):
            preprocessed = self._ran((*self._first[:-2], "-E", "-o", "-"))[1]
            text = (Path(self.place or self.folder) / self._name).read_text(encoding="utf-8", errors="replace")
            raise self._refused(why_no_kernel(self._name, text, preprocessed))
        return payload

    @property
    def _name(self) -> str:
        return self.file or SOURCE

    @property
    def _first(self) -> tuple[str, ...]:
        """The step that compiles the source."""
        return next(step for step in self.steps if self._name in step)

    def _located(self, failed: tuple[str, ...]) -> str:
        """What is said of a later step's failure where the source is compiled so that its lines are known; or nothing.

        The linker, the last of several, reads debug information; what the source has in `asm` clang itself assembles.
        """
        if failed != self.steps[-1]:
            steps: Iterable[tuple[str, ...]] = ((*self._first, "-Xclang", "-emit-obj"),)
        else:
            steps = ((*self._first, "-gline-tables-only"), *self.steps[self.steps.index(self._first) + 1 :])
        found = map(self._ran, steps)
        return next((said for status, said in found if status != 0), "")

    def _ran(self, command: tuple[str, ...]) -> tuple[int, str]:
        try:
            return run_compiler(command, self.folder, self.place)
        except CompileError as error:
            raise CompileError(f"{self.target}: {error}") from error

    def _refused(self, message: str, *rest: Any) -> CompileError:
        """The error; of a text that is no file's, with its target."""
        return CompileError(message if self.file else f"{self.target}: {message}", *rest)


def _has_no_kernel(payload: bytes, target: str) -> bool:
    """Whether a code object has none; those of the CPU have one for each launcher."""
    match family(target):
        case "amd":
            return not CodeObject.read(payload).kernels
        case "nvidia":
            return b".entry" not in payload
    return False


@functools.cache
def _headers() -> Sequence[bytes]:
    """Our own, as they are at the first of a process's sources."""
    return [path.read_bytes() for path in sorted(INCLUDE.rglob("*")) if path.is_file()]


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
    step = compiler.preprocess(flags)
    text = _built(source, "cpu", (step,), step[-1]).decode()
    names = _KERNEL.findall(text)
    if not names:
        raise CompileError('cpu: the source holds no kernel: write one as extern "C" __global__ void name(…)')
    return "".join((source, "\n", *(f"LAYOUTALG_CPU_KERNEL({name})\n" for name in names)))
