"""Whole kernels of CK Tile: their C++ over CK's headers, and how each is launched, for all sizes that it admits.

| name                  | what it is                                                                              |
|-----------------------|-----------------------------------------------------------------------------------------|
| `batched_transpose`   | by tiles of 64 × 64, padded; `batched_transpose_unpadded`; of f16, `_f32`, `_bf16`, `_i8` |
| `elementwise_add`     | of two matrices; `elementwise_flat`: of two vectors; `elementwise_neg` …: of one vector |
| `reduce`              | over two of four dimensions; `reduce_rows`: of each row                                 |
| `layernorm2d_4x512`   | by tiles of so many rows and columns, in one pass; `rmsnorm2d_4x512` alike              |
| `smoothquant_4x512`   | by such tiles: rows scaled by columns, then quantised to i8; `moe_smoothquant_1x2048`   |
| `layernorm2d_two_pass_1x1024` | and the two others: rows longer than the tile, in two passes                    |
| `permute`, `image_to_column` | of any number of matrices, or of images, whose own lengths are numbers           |
| `pool2d`              | the greatest of each window of 2 × 2                                                    |
| `add_rmsnorm2d_rdquant_4x512` | by such tiles: a sum, normalised, and quantised to i8                           |
| `topk_softmax_8`      | of so many experts: the greatest weights of each row                                    |
| `fmha_fwd`            | attention, heads of 32, no bias; `fmha_fwd_causal`: no query sees a key behind it       |
| `fmha_bwd_dot_do_o`   | the first step of its backward pass: products of rows of O and dO                       |
| `fmha_bwd_convert_dq` | the last: dQ to f16; `fmha_bwd_convert_dq_summed`: those of all blocks of keys added    |

A GEMM has more choices (`layoutalg.ck.gemm`).  `sources/` has each one's C++, whose macros are the choices, and its
launch file, in which `$NAME` is one of them.  Nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from string import Template

from layoutalg.device.compile import compile_source
from layoutalg.errors import LayoutError
from layoutalg.formats.shape import nearest
from layoutalg.records import dataclass

SOURCES = Path(__file__).parent / "sources"

Macros = Mapping[str, str]


@dataclass(frozen=True)
class KernelSource:
    """Kernels of CK's in one source: its text, and of each kernel the text of its launch file."""

    name: str
    text: str
    launches: Mapping[str, str]

    def compiled(self, target: str, include: Sequence[Path]) -> bytes:
        """The code object, with the lines of CK's headers; CompileError where CK does not compile."""
        return compile_source(self.text, target, flags=("-gline-tables-only",), include=include).payload


def defined(source: str, macros: Macros) -> str:
    """A file of `sources/`, with the macros in front of it."""
    lines = "".join(f"#define {name} {value}".rstrip() + "\n" for name, value in macros.items())
    return lines + (SOURCES / f"{source}.hip").read_text()


def launch_text(file: str, said: Macros) -> str:
    """A launch file of `sources/`, filled in."""
    return Template((SOURCES / f"{file}.toml").read_text()).substitute(said)


def _none() -> Macros:
    return {}


def _tile(rows: str, columns: str) -> Macros:
    threads = int(columns) // 8
    block = int(rows) * max(threads, 64)  # Generic2dBlockShape::BlockSize: a row has whole waves
    if int(columns) % 8 or not threads or block > 1024:
        raise LayoutError(f"{rows}x{columns}: a tile has 8 columns for each thread, and a block 1 to 1024 threads")
    return {"ROWS": rows, "COLUMNS": columns, "THREADS": str(threads), "BLOCK": str(block)}


def _one_pass(rows: str, columns: str) -> Macros:
    return {**_tile(rows, columns), "TWO_PASS": "false", "LONGEST": columns, "MOST_ROWS": "65536"}


def _two_passes(rows: str, columns: str) -> Macros:
    return {**_tile(rows, columns), "TWO_PASS": "true", "LONGEST": "32768", "MOST_ROWS": "16384"}


def _experts(count: str) -> Macros:
    lanes = min(int(count), 64)
    if not lanes or 64 % lanes or int(count) % lanes:
        raise LayoutError(f"{count} experts: CK takes 1, 2, 4 … 64 of them, or multiples of 64")
    return {"EXPERTS": count, "ROWS": str(512 // lanes)}


@dataclass(frozen=True)
class KernelKind:
    """A name's kernel: its source and launch file, its macros, and those that the name's numbers come to."""

    source: str
    launch: str
    macros: Macros = field(default_factory=dict)
    numbers: Callable[..., Macros] = _none
    names: str = ""  # of the numbers, as the name has them


_CAUSAL = {
    "FMHA_MASKED": "true",
    "FMHA_WINDOW": "{ value = -1, bytes = 4 }, { value = 0, bytes = 4 }, { value = 1, bytes = 4 },",
    "FMHA_SEEN": " < min(i + 1, L)",
}
"""A query of causal attention sees all keys up to its own; the first query's is the first key."""

_TRANSPOSED: Mapping[str, Macros] = {
    "": {"DTYPE": "f16"}, "_f32": {"TYPE": "float", "DTYPE": "f32"}, "_bf16": {"TYPE": "ck::bf16_t", "DTYPE": "bf16"},
    "_i8": {"TYPE": "ck::int8_t", "DTYPE": "i8"},
}  # fmt: skip
_UNARY: Mapping[str, tuple[str, str]] = {
    "copy": ("PassThrough", "a[i]"), "neg": ("Neg", "-a[i]"), "abs": ("UnaryAbs", "abs(a[i])"),
    "relu": ("Relu", "max(a[i], 0)"), "square": ("UnarySquare", "a[i] * a[i]"),
    "sqrt": ("UnarySqrt", "sqrt(a[i])"), "exp": ("Exp", "exp(a[i])"), "tanh": ("TanH", "tanh(a[i])"),
    "ceil": ("Ceil", "ceil(a[i])"), "floor": ("Floor", "floor(a[i])"), "log": ("Log", "log(a[i])"),
    "rcp": ("Rcp", "rcp(a[i])"), "sigmoid": ("Sigmoid", "1.0 / (1.0 + exp(-a[i]))"),
}  # fmt: skip
"""CK's operations on one vector, and what comes out."""

_TRIED = ("log",)
"""Operations of whose equation runs alone speak: it is not seen in the code."""

_ROWS: Mapping[str, str] = {
    "layernorm2d": "Layernorm2dFwdPipeline", "rmsnorm2d": "Rmsnorm2dFwdPipeline", "smoothquant": "SmoothquantPipeline",
}  # fmt: skip
"""Kernels of rows, and their pipelines: in one pass a row is no longer than the tile, in two any length."""

KINDS: Mapping[str, KernelKind] = {
    **{
        f"batched_transpose{pad}{end}": KernelKind("batched_transpose", f"batched_transpose{pad}", {**padded, **typed})
        for pad, padded in (("", {"PAD": "true"}), ("_unpadded", {"PAD": "false"}))
        for end, typed in _TRANSPOSED.items()
    },
    "elementwise_add": KernelKind("elementwise_add", "elementwise_add"),
    "elementwise_flat": KernelKind("elementwise_add", "elementwise_flat", {"FLAT": ""}),
    **{
        f"elementwise_{name}": KernelKind(
            "elementwise_unary",
            "elementwise_unary",
            {
                "OPERATION": op,
                "VALUE": value,
                "SAID": "tried" if name in _TRIED else "computes",
            },
        )
        for name, (op, value) in _UNARY.items()
    },
    "reduce": KernelKind("reduce", "reduce"),
    "reduce_rows": KernelKind("reduce", "reduce_rows", {"ROWS": ""}),
    **{
        f"{name}{end}": KernelKind(name, name, {"PIPELINE": f"{pipeline}{passes}Pass"}, numbers, "ROWSxCOLUMNS")
        for name, pipeline in _ROWS.items()
        for end, passes, numbers in (("", "One", _one_pass), ("_two_pass", "Two", _two_passes))
    },
    "moe_smoothquant": KernelKind("moe_smoothquant", "moe_smoothquant", numbers=_tile, names="ROWSxCOLUMNS"),
    "pool2d": KernelKind("pool2d", "pool2d"),
    "permute": KernelKind("permute", "permute"),
    "image_to_column": KernelKind("image_to_column", "image_to_column"),
    "add_rmsnorm2d_rdquant": KernelKind(
        "add_rmsnorm2d_rdquant", "add_rmsnorm2d_rdquant", numbers=_tile, names="ROWSxCOLUMNS"
    ),
    "fmha_fwd": KernelKind("fmha_fwd", "fmha_fwd", {"FMHA_MASKED": "false", "FMHA_WINDOW": "", "FMHA_SEEN": ""}),
    "fmha_fwd_causal": KernelKind("fmha_fwd", "fmha_fwd", _CAUSAL),
    "fmha_bwd_dot_do_o": KernelKind("fmha_bwd_dot_do_o", "fmha_bwd_dot_do_o"),
    "fmha_bwd_convert_dq": KernelKind("fmha_bwd_convert_dq", "fmha_bwd_convert_dq", {"SUMMED": "false"}),
    "fmha_bwd_convert_dq_summed": KernelKind("fmha_bwd_convert_dq", "fmha_bwd_convert_dq_summed", {"SUMMED": "true"}),
    "topk_softmax": KernelKind("topk_softmax", "topk_softmax", numbers=_experts, names="EXPERTS"),
}


def kind_of(name: str) -> KernelKind | None:
    """The kind that a name begins with, if any does.

    >>> kind_of("layernorm2d_4x512").source
    'layernorm2d'
    """
    return KINDS.get(name) or KINDS.get(name.rpartition("_")[0])


def kernel_source(name: str) -> KernelSource:
    """The source of a name; LayoutError where there is none of it.

    >>> list(kernel_source("rmsnorm2d_4x512").launches)
    ['rmsnorm2d']
    """
    kind = kind_of(name)
    if kind is None:
        tail = name.rpartition("_")[2]
        hint = nearest(name, [f"{one}_{tail}" if own.names else one for one, own in KINDS.items()])
        known = hint or f": {', '.join(names())}, or a GEMM's tile, such as 64x64x32_2x2x1_32x32x16"
        raise LayoutError(f"{name!r} is no kernel that is known{known}")
    given = [] if name in KINDS else name.rpartition("_")[2].split("x")
    if len(given) != (kind.names.count("x") + 1 if kind.names else 0) or not all(map(_NUMBER.fullmatch, given)):
        raise LayoutError(f"{name!r}: write {_written(name.rpartition('_')[0] if given else name, kind)}")
    macros = {**kind.macros, **kind.numbers(*given)}
    return KernelSource(name, defined(kind.source, macros), {kind.source: launch_text(kind.launch, macros)})


_NUMBER = re.compile(r"[1-9]\d{0,4}")


def names() -> list[str]:
    """Every name, numbers by what they are."""
    return [_written(name, kind) for name, kind in KINDS.items()]


def _written(name: str, kind: KernelKind) -> str:
    return f"{name}_{kind.names}" if kind.names else name
