"""Functions that are no single instruction: the term of one is what a compiler makes of it.

    a / b  in f32    is    div_fixup(div_fmas(…, fma(−d, rcp(d), 1), …), b, a),    d = div_scale(b, b, a)

A kernel of that one statement is compiled for the target and followed as any other; what it stores is the function's
term, with the operands in place of what it loads. So an equation's `exp(x)` is the function that this compiler calls
`expf`, to the bit, and the verdict says which compiler that is: how near that is to eˣ is its affair. Another
compiler's way, or a fast one, is another term, and its kernels are not proved.

What it cannot represent: a function that takes branches or a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from layoutalg.audit.meaning.terms import FLOAT_BITS, Terms
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats.model import SpecFile
from layoutalg.formats.spec import loads
from layoutalg.index import TRUE, ZERO, Expr, div, mod, simplify
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.symex.machine.tracing import TracedElement
from layoutalg.symex.values.unknowns import Kind, dependencies, kind_of, unknown_value
from layoutalg.symex.values.word import NotReadable

with lazy_imports():
    from layoutalg import device

Follow = Callable[[MachineCode, SpecFile], Sequence[TracedElement]]
"""What a kernel accesses, launched as a file says."""

#: How HIP writes each, of f32, and of f64 without the `f`.
WRITTEN: Mapping[str, str] = {
    "div": "a[i] / b[i]",
    "rsq": "rsqrtf(a[i])",
    **{
        name: f"{name}f(a[i])"
        for name in ("sqrt", "exp", "log", "exp2", "log2", "sin", "cos", "tanh", "erf", "expm1", "log1p")
    },
}

_NAMES = {"f32": "float", "f64": "double", "f16": "_Float16"}

_KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void statement(const {name}* a, const {name}* b, {name}* o) {{
  int i = threadIdx.x;
  o[i] = {written};
}}
"""

_TENSOR = """
[[descriptor]]
name = "{}"
dtype = "{}"
base = {{ kind = "naive", lengths = [64], strides = [1] }}
"""

_LAUNCH = """
[launch]
grid = [1]
block = [64]
arguments = ["a", "b", "o"]
writes = ["o"]
"""


@dataclass(frozen=True)
class Expansion:
    """A function of operands as a term: what stands for each, and what is made of them."""

    operands: tuple[Expr, ...]
    term: Expr


@dataclass
class Expansions:
    """The functions of one target, each compiled once."""

    target: str
    follow: Follow
    terms: Terms
    _found: dict[tuple[str, str], Expansion] = field(default_factory=dict)

    def has(self, name: str, dtype: str) -> bool:
        """Whether HIP writes a function so."""
        return name in WRITTEN and (dtype in ("f32", "f64") or (name, dtype) == ("div", "f16"))

    def says(self, name: str, dtype: str) -> str:
        """What is taken for granted where a function is read so."""
        return (
            f"{name} of {dtype} is what {device.choose_with_ocml(self.target).version} makes of {_written(name, dtype)}"
        )

    def term(self, name: str, dtype: str, operands: Sequence[Expr]) -> Expr:
        """The function of operands. Raises `NotReadable` where it cannot be compiled or followed."""
        if (name, dtype) not in self._found:
            self._found[name, dtype] = self._compiled(name, dtype)
        found = self._found[name, dtype]
        given = dict(zip(found.operands, operands, strict=False))
        return self.terms.rewritten(found.term, given, {}, simplify)

    def _compiled(self, name: str, dtype: str) -> Expansion:
        try:
            code, file = statement(name, dtype, self.target)
            trace = self.follow(code, file)
        except (DeviceError, LayoutError) as error:
            raise NotReadable(f"{name} of {dtype} is no single instruction: {error}") from error
        bits = FLOAT_BITS[dtype]
        operands = {one: unknown_value(f"{one}_of_{name}_{dtype}", 1 << bits, Kind.DATA) for one in "ab"}
        names: dict[Expr, Expr] = {}
        done: dict[Expr, Expr] = {}
        term = ZERO
        for one in trace:
            if one.buffer not in ("a", "b", "o") or one.guard is not TRUE or one.loops:
                raise NotReadable(f"{name} of {dtype} takes branches or memory")
            place = 1 << 8 * one.within
            if one.store:
                term += self.terms.rewritten(one.value, names, done, simplify) * place
            else:
                names[one.value] = simplify(mod(div(operands[one.buffer], place), 1 << 8 * one.size))
        known = set(operands.values())
        if not {v for v in dependencies(term) if kind_of(v) is not Kind.RESULT} <= known:
            raise NotReadable(f"{name} of {dtype} is made of more than its operands")
        return Expansion(tuple(operands.values()), simplify(term))


@lru_cache(maxsize=64)
def statement(name: str, dtype: str, target: str) -> tuple[MachineCode, SpecFile]:
    """A kernel of one statement, compiled, and its launch."""
    source = _KERNEL.format(name=_NAMES[dtype], written=_written(name, dtype))
    code = decode_kernel(read_kernels(device.compile_source(source, target).payload)["statement"])
    return code, loads("".join(_TENSOR.format(one, dtype) for one in "abo") + _LAUNCH)


def _written(name: str, dtype: str) -> str:
    return WRITTEN[name] if dtype == "f32" else WRITTEN[name].replace("f(", "(")
