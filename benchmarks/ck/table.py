"""The instances of CK Tile's kernels that are compiled and audited, as data: kernels/SOURCE.hip with these macros.

`launch/LAUNCH.toml` is how it is launched, for all sizes that the kernel admits; a `$NAME` in it is a macro's value.
An instance with sizes is also run, on small integers where sums are to be exact, and held against numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from layoutalg.isa.run.arrays import Array

Tensors = Mapping[str, Array]
Reference = Callable[[Tensors], Tensors]
"""From what tensors hold before the launch to what is written."""

CDNA = ("gfx90a", "gfx942", "gfx950")


@dataclass(frozen=True)
class Instance:
    """One kernel of CK's, built from its source with macros."""

    name: str
    source: str
    launch: str
    reference: Reference
    macros: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  # of the run; none: it is not run
    values: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = CDNA
    said: Mapping[str, str] = field(default_factory=dict)  # of the launch alone
    built_as: str = ""  # the instance whose object it shares
    tolerance: float = 0.0  # relative, beside numpy's result in f64


def _transposed(of: Tensors) -> Tensors:
    return {"o": of["x"].transpose(0, 2, 1)}


def _added(of: Tensors) -> Tensors:
    return {"o": of["a"] + of["b"]}


def _summed(of: Tensors) -> Tensors:
    return {"y": of["x"].sum((1, 2))}


def _row_sums(of: Tensors) -> Tensors:
    return {"y": of["x"].sum(1)}


def _product(of: Tensors) -> Tensors:
    return {"c": of["a"] @ of["b"].T}


def _layernorm(of: Tensors) -> Tensors:
    x = of["x"]
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + EPSILON)
    return {"y": (x - x.mean(1, keepdims=True)) * scale * of["gamma"] + of["beta"]}


def _rmsnorm(of: Tensors) -> Tensors:
    x = of["x"]
    return {"y": x / np.sqrt((x * x).mean(1, keepdims=True) + EPSILON) * of["gamma"]}


def _greatest(of: Tensors) -> Tensors:
    """The greatest weights of each row, in order, and where they were; of equal ones the first."""
    x, count = of["x"], of["weights"].shape[1]
    weights = np.exp(x - x.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    indices = np.argsort(-weights, axis=1, kind="stable")[:, :count]
    return {"weights": np.take_along_axis(weights, indices, 1), "indices": indices}


EPSILON = 1e-5


def _gemm(name: str, pipeline: str, tile: str, waves: str, instruction: str, scheduler: str = "Intrawave", *,
          tail: str, turns: str, sizes: tuple[int, int, int], double: bool = False, pad: bool = False,
          targets: tuple[str, ...] = CDNA) -> Instance:  # fmt: skip
    """A product whose loop over K makes so many turns, an expression of J; sizes are M, N and J."""
    macros = {"PIPELINE": f"GemmPipelineAgBgCr{pipeline}", "SCHEDULER": scheduler, "HOT": "true", "TAIL": tail,
              "DOUBLE": str(double).lower(), "PAD": str(pad).lower()}  # fmt: skip
    for names, values in (("TM TN TK", tile), ("WM WN", waves), ("IM IN IK", instruction)):
        macros |= dict(zip(names.split(), values.split("x"), strict=True))
    tk = int(macros["TK"])
    depth, columns = f"({turns}) * {tk}", macros["TN"]
    if pad:
        depth, columns = f"{2 * tk + 8} + 8 * J", "8"
    launch = {"MOST": "8192", "DEPTH": depth, "COLUMNS": columns}
    return Instance(name, "gemm", "gemm", _product, macros, dict(zip("MNJ", sizes, strict=True)),
                    said=launch, targets=targets)  # fmt: skip


def _one_row(one: Instance) -> Instance:
    """The product with no more rows than a tile has, as in decoding: blocks need not be ordered then."""
    rows = one.macros["TM"]
    sizes = {**one.sizes, "M": min(one.sizes["M"], int(rows) - 3)}
    return replace(
        one, name=f"{one.name}_one_row", sizes=sizes, said={**one.said, "MOST": rows}, built_as=one.name
    )  # fmt: skip


_BUILT = (
    Instance("batched_transpose", "batched_transpose", "batched_transpose", _transposed,
             {"PAD": "true"}, {"B": 2, "H": 70, "W": 65}),
    Instance("batched_transpose_unpadded", "batched_transpose", "batched_transpose_unpadded", _transposed,
             {"PAD": "false"}, {"B": 2, "H": 64, "W": 128}),
    Instance("elementwise_add", "elementwise_add", "elementwise_add", _added, sizes={"M": 37, "N": 91}),
    Instance("reduce", "reduce", "reduce", _summed, sizes={"N": 2, "H": 5, "W": 7, "C": 72}),
    Instance("elementwise_flat", "elementwise_add", "elementwise_flat", _added, {"FLAT": ""}, {"N": 3001}),
    Instance("reduce_rows", "reduce", "reduce_rows", _row_sums, {"ROWS": ""}, {"M": 136, "N": 200}),
    Instance("layernorm2d_4x512", "layernorm2d", "layernorm2d", _layernorm, {"ROWS": "4", "THREADS": "64"},
             {"M": 5, "N": 488}, {"epsilon": EPSILON}, said={"COLUMNS": "512"}, tolerance=2e-3),
    Instance("layernorm2d_1x2048", "layernorm2d", "layernorm2d", _layernorm, {"ROWS": "1", "THREADS": "256"},
             {"M": 3, "N": 1000}, {"epsilon": EPSILON}, said={"COLUMNS": "2048"}, tolerance=2e-3),
    Instance("rmsnorm2d_4x512", "rmsnorm2d", "rmsnorm2d", _rmsnorm, {"ROWS": "4", "THREADS": "64"},
             {"M": 5, "N": 488}, {"epsilon": EPSILON}, said={"COLUMNS": "512"}, tolerance=2e-3),
    Instance("rmsnorm2d_1x2048", "rmsnorm2d", "rmsnorm2d", _rmsnorm, {"ROWS": "1", "THREADS": "256"},
             {"M": 3, "N": 1000}, {"epsilon": EPSILON}, said={"COLUMNS": "2048"}, tolerance=2e-3),
    Instance("topk_softmax_8", "topk_softmax", "topk_softmax", _greatest, {"EXPERTS": "8", "ROWS": "64"},
             {"M": 70, "E": 8, "T": 3}, tolerance=1e-4),
    _gemm("gemm_v3_16x64x128", "CompV3", "16x64x128", "1x4", "16x16x32", tail="Full", turns="3 + J",
          sizes=(37, 128, 1)),
    _gemm("gemm_v3_64x64x32", "CompV3", "64x64x32", "2x2", "32x32x16", tail="Full", turns="3 + J",
          sizes=(100, 128, 2)),
    _gemm("gemm_v3_64x64x32_padded", "CompV3", "64x64x32", "2x2", "32x32x16", tail="Full", turns="3 + J", pad=True,
          sizes=(100, 72, 8)),
    _gemm("gemm_v4_64x64x32", "CompV4", "64x64x32", "2x2", "32x32x16", tail="Three", turns="3 + 2 * J", double=True,
          sizes=(100, 128, 1)),
    _gemm("gemm_mem_128x32x64", "Mem", "128x32x64", "4x1", "32x32x8", tail="One", turns="3 + 2 * J",
          sizes=(140, 64, 1)),
    _gemm("gemm_mem_interwave_128x32x64", "Mem", "128x32x64", "4x1", "32x32x8", "Interwave", tail="One",
          turns="3 + 2 * J", sizes=(140, 64, 1)),
    _gemm("gemm_v3_128x128x64", "CompV3", "128x128x64", "2x2", "16x16x32", tail="Full", turns="3 + J",
          sizes=(128, 128, 0)),
    _gemm("gemm_v3_256x256x64", "CompV3", "256x256x64", "2x2", "32x32x16", tail="Full", turns="3 + J",
          sizes=(256, 256, 0)),
    _gemm("gemm_v4_256x256x32", "CompV4", "256x256x32", "2x2", "32x32x16", tail="Three", turns="3 + 2 * J", double=True,
          sizes=(256, 256, 1)),
)  # fmt: skip

INSTANCES = (*_BUILT, *(_one_row(one) for one in _BUILT if one.source == "gemm"))
