"""The instances of CK Tile's kernels that are compiled and audited, as data: kernels of `layoutalg ck audit`.

An instance with sizes is also run, on small integers where sums are to be exact, and held against numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from layoutalg.ck.gemm import Gemm, asked
from layoutalg.ck.kernels import KernelSource, kernel_source, kind_of
from layoutalg.ck.launched import Launched, gemm_source
from layoutalg.ck.space import Configuration, Tile
from layoutalg.isa.run.arrays import Array

Tensors = Mapping[str, Array]
Reference = Callable[[Tensors], Tensors]
"""From what tensors hold before the launch to what is written."""

Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
"""A tensor's numbers, drawn."""

CDNA = ("gfx90a", "gfx942", "gfx950")


@dataclass(frozen=True)
class Instance:
    """One kernel of CK's: of a name that `layoutalg.ck.kernels` knows, or a GEMM whose loop over K turns so often."""

    name: str
    reference: Reference
    sizes: Mapping[str, int] = field(default_factory=dict)  # of the run; none: it is not run
    values: Mapping[str, Any] = field(default_factory=dict)
    targets: tuple[str, ...] = CDNA
    gemm: Gemm | None = None
    turns: int = 0
    launched: Launched = field(default_factory=Launched)
    built_as: str = ""  # the instance whose object it shares
    tolerance: float = 0.0  # relative, beside numpy's result in f64
    draws: Mapping[str, Draw] = field(default_factory=dict)  # tensors that hold what is neither normal nor any number

    @property
    def kind(self) -> str:
        """The kernel of CK's that it is an instance of."""
        if self.gemm is not None:
            return self.gemm.kind or "gemm"
        found = kind_of(self.name)
        assert found is not None
        return found.source

    def source(self, target: str, include: Sequence[Path]) -> KernelSource:
        """What is compiled, and how it is launched."""
        if self.gemm is None:
            return kernel_source(self.name)
        return gemm_source(self.gemm, asked(self.gemm, target, include), self.turns, self.launched)


def _transposed(of: Tensors) -> Tensors:
    return {"o": of["x"].transpose(0, 2, 1)}


def _added(of: Tensors) -> Tensors:
    return {"o": of["a"] + of["b"]}


def _one_by_one(function: Callable[[Array], Array]) -> Reference:
    return lambda of: {"o": function(of["a"])}


_UNARY: Mapping[str, Callable[[Array], Array]] = {
    "copy": np.positive, "neg": np.negative, "abs": np.abs, "relu": lambda a: np.maximum(a, 0), "square": np.square,
    "sqrt": np.sqrt, "exp": np.exp, "tanh": np.tanh, "ceil": np.ceil, "floor": np.floor, "log": np.log,
    "rcp": np.reciprocal, "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
}  # fmt: skip
"""CK's operations on one vector, as numpy has them."""
_LENGTH = {"N": 3001}
"""What a run is of."""


def _positive(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return generator.exponential(size=shape) + 1e-3


def _small(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return generator.integers(-2, 3, shape).astype(np.float64)


def _apart(generator: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """No two of a row alike: of equal weights CK takes one twice (a finding)."""
    return (generator.permuted(np.broadcast_to(np.arange(shape[1]), shape), axis=1) - shape[1] // 2) / 16


_POSITIVE: Mapping[str, Mapping[str, Draw]] = {name: {"a": _positive} for name in ("sqrt", "log")}


def _summed(of: Tensors) -> Tensors:
    return {"y": of["x"].sum((1, 2))}


def _row_sums(of: Tensors) -> Tensors:
    return {"y": of["x"].sum(1)}


def _product(of: Tensors) -> Tensors:
    return {"c": of["a"] @ of["b"].swapaxes(-1, -2) + of.get("d", 0)}


def _product_of_sums(of: Tensors) -> Tensors:
    """Times both D; sums of A and of B are rounded to f16 by CK: those of small numbers are exact."""
    return {"c": (of["a0"] + of["a1"]) @ (of["b0"] + of["b1"]).T * of["d0"] * of["d1"]}


def _product_of_rows(of: Tensors) -> Tensors:
    return {"c": of["a"] @ of["b"]}


def _permuted(of: Tensors) -> Tensors:
    return {"o": of["x"].swapaxes(1, 2)}


def _columns(of: Tensors) -> Tensors:
    """Of each output pixel the 3 × 3 pixels around it, all channels, of one group after the other."""
    x = np.pad(of["x"], ((0, 0), (1, 1), (1, 1), (0, 0), (0, 0)))
    near = [x[:, i : i + 16, j : j + 16] for i in range(3) for j in range(3)]
    pixels = np.stack(near, axis=-2)  # image, row, column, group, place, channel
    return {"o": np.moveaxis(pixels, 3, 0).reshape(pixels.shape[3], -1, 288)}


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


def _quantised(y: Array) -> Tensors:
    """The scale of each row; what it comes to in i8 hangs on a rounding."""
    return {"scale": np.abs(y).max(1) / 127}


def _smoothed(of: Tensors) -> Tensors:
    return _quantised(of["x"] * of["smooth"])


def _smoothed_by_experts(of: Tensors) -> Tensors:
    """The scale of each token's row, of each of its experts."""
    y = np.abs(of["x"][:, None] * of["smooth"][of["ids"].astype(np.int64)]).max(2)
    return {"scale": y.T / 127}


def _added_and_normalised(of: Tensors) -> Tensors:
    x = of["a"] + of["b"]
    return {"x": x, **_quantised(x / np.sqrt((x * x).mean(1, keepdims=True) + EPSILON) * of["gamma"])}


def _causal(of: Tensors) -> Tensors:
    """The same, of each query with the keys up to its own alone."""
    queries, keys = of["q"].shape[2], of["k"].shape[2]
    return _attention(of, np.where(np.arange(keys) > np.arange(queries)[:, None], -np.inf, 0))


def _attention(of: Tensors, mask: Array | float = 0.0) -> Tensors:
    """Softmax of the scaled products of queries and keys, times the values."""
    products = np.einsum("bhqd,bhld->bhql", of["q"], of["k"]) * SCALE + mask
    weights = np.exp(products - products.max(3, keepdims=True))
    return {"o": np.einsum("bhql,bhld->bhqd", weights / weights.sum(3, keepdims=True), of["v"])}


def _pooled(of: Tensors) -> Tensors:
    """Of 2 × 2 around each place of a grid two apart, padded by one."""
    x = np.pad(of["x"], ((0, 0), (1, 2), (1, 2), (0, 0)), constant_values=-np.inf)
    rows, columns = of["y"].shape[1:3]
    return {"y": np.max([x[:, i::2, j::2][:, :rows, :columns] for i in range(2) for j in range(2)], axis=0)}


def _rows_multiplied(of: Tensors) -> Tensors:
    return {"d": (of["o"] * of["do"]).sum(3) * UNDROPPED}


def _converted(of: Tensors) -> Tensors:
    return {"dq": of["sums"].reshape(-1, *of["dq"].shape).sum(0)}


EPSILON, SCALE, UNDROPPED = 1e-5, 32**-0.5, 0.875


def _gemm(name: str, tile: str, sizes: Mapping[str, int], pipeline: str = "compv3", scheduler: str = "intrawave", *,
          turns: int = 3, pad: bool = False, targets: tuple[str, ...] = CDNA, layout: str = "rcr",
          dtype: str = "fp16", kind: str = "") -> Instance:  # fmt: skip
    """A product by CK's kernel for so many turns over K; sizes as its launch file has them."""
    gemm = Gemm(Configuration(dtype, layout, Tile.parse(tile), pipeline), scheduler, (pad, pad, pad), kind)
    product = _product if layout[1] == "c" else _product_of_rows
    if kind == "gemm_multi_abd":
        product = _product_of_sums
    rounded = 4e-3 if kind.startswith("gemm_multi") else 0.0  # twice: C goes through LDS in its own type before D comes
    if dtype == "bf16":
        rounded = 2**-7  # CK's own choice is to cut the bits off (CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT)
    draws = dict.fromkeys(("a0", "a1", "b0", "b1", "d0", "d1"), _small) if kind == "gemm_multi_abd" else {}
    return Instance(name, product, sizes, tolerance=rounded, draws=draws, targets=targets, gemm=gemm, turns=turns)


def _one_row(one: Instance) -> Instance:
    """The product with no more rows than a tile has, as in decoding: blocks need not be ordered then."""
    assert one.gemm is not None
    rows = one.gemm.configuration.tile.block[0]
    sizes = {**one.sizes, "M": min(one.sizes["M"], rows - 3)}
    return replace(one, name=f"{one.name}_one_row", sizes=sizes, launched=Launched(rows), built_as=one.name)


_TILES = ("1x512", "2x1024", "8x256", "1x4096")
_NORM: Mapping[str, Any] = {"values": {"epsilon": EPSILON}, "tolerance": 2e-3}
_BUILT = (
    Instance("batched_transpose", _transposed, {"B": 2, "H": 70, "W": 65}),
    Instance("batched_transpose_unpadded", _transposed, {"B": 2, "H": 64, "W": 128}),
    Instance("elementwise_add", _added, {"M": 37, "N": 91}),
    Instance("reduce", _summed, {"N": 2, "H": 5, "W": 7, "C": 72}),
    Instance("elementwise_flat", _added, {"N": 3001}),
    *(Instance(f"elementwise_{name}", _one_by_one(function), _LENGTH, tolerance=1e-5, draws=_POSITIVE.get(name, {}))
      for name, function in _UNARY.items()),
    *(Instance(f"batched_transpose{pad}_{dtype}", _transposed, sizes)
      for pad, sizes in (("", {"B": 2, "H": 70, "W": 65}), ("_unpadded", {"B": 2, "H": 64, "W": 128}))
      for dtype in ("f32", "bf16", "i8")),
    Instance("reduce_rows", _row_sums, {"M": 136, "N": 200}),
    Instance("layernorm2d_4x512", _layernorm, {"M": 5, "N": 488}, **_NORM),
    Instance("layernorm2d_1x2048", _layernorm, {"M": 3, "N": 1000}, **_NORM),
    Instance("rmsnorm2d_4x512", _rmsnorm, {"M": 5, "N": 488}, **_NORM),
    Instance("rmsnorm2d_1x2048", _rmsnorm, {"M": 3, "N": 1000}, **_NORM),
    Instance("fmha_fwd", _attention, {"B": 2, "H": 2, "Q": 133, "L": 70}, {"scale": SCALE}, tolerance=2e-3),
    Instance("fmha_fwd_causal", _causal, {"B": 2, "H": 2, "Q": 133, "L": 133}, {"scale": SCALE}, tolerance=2e-3),
    Instance("fmha_bwd_dot_do_o", _rows_multiplied, {"B": 2, "H": 3, "Q": 133}, {"p_undrop": UNDROPPED},
             tolerance=1e-5),
    Instance("fmha_bwd_convert_dq", _converted, {"B": 2, "H": 3, "Q": 133}),
    Instance("fmha_bwd_convert_dq_summed", _converted, {"B": 2, "H": 3, "Q": 133, "L": 200}),
    *(Instance(f"layernorm2d_{tile}", _layernorm, {"M": 5, "N": 232}, **_NORM) for tile in _TILES),
    *(Instance(f"rmsnorm2d_{tile}", _rmsnorm, {"M": 5, "N": 232}, **_NORM) for tile in _TILES),
    Instance("smoothquant_4x512", _smoothed, {"M": 5, "N": 488}, tolerance=2e-3),
    Instance("smoothquant_1x2048", _smoothed, {"M": 3, "N": 1000}, tolerance=2e-3),
    Instance("add_rmsnorm2d_rdquant_4x512", _added_and_normalised, {"M": 5, "N": 488}, **_NORM),
    Instance("add_rmsnorm2d_rdquant_1x2048", _added_and_normalised, {"M": 3, "N": 1000}, **_NORM),
    *(Instance(f"topk_softmax_{count}", _greatest, {"M": 70, "E": count, "T": 3}, tolerance=1e-4, draws={"x": _apart})
      for count in (8, 16, 32, 64, 128)),
    Instance("layernorm2d_two_pass_1x1024", _layernorm, {"M": 3, "N": 2504}, **_NORM),
    Instance("rmsnorm2d_two_pass_1x1024", _rmsnorm, {"M": 3, "N": 2504}, **_NORM),
    Instance("smoothquant_two_pass_1x1024", _smoothed, {"M": 3, "N": 2504}, tolerance=2e-3),
    Instance("moe_smoothquant_1x2048", _smoothed_by_experts, {"M": 7, "N": 1000, "E": 5, "T": 3}, tolerance=2e-3),
    Instance("permute", _permuted, {"B": 3}),
    Instance("pool2d", _pooled, {"N": 2, "H": 7, "W": 10, "C": 5}),
    Instance("image_to_column", _columns, {"G": 2, "N": 2}),
    *(_gemm(f"{kind}_v3_64x64x32", "64x64x32_2x2x1_32x32x16", {"M": 100, "N": 128, "J": 2, **more}, kind=kind)
      for kind, more in (("batched_gemm", {"B": 2}), ("gemm_multi_d", {}), ("batched_contraction", {"B": 3}),
                         ("gemm_multi_abd", {}))),
    *(_gemm(f"gemm_v3_64x64x32_{turns}", "64x64x32_2x2x1_32x32x16", {"M": 100, "N": 128}, turns=turns)
      for turns in (1, 2)),
    *(_gemm(f"gemm_v3_64x64x32_1_{dtype}_{layout}", "64x64x32_2x2x1_32x32x16", {"M": 100, "N": 128}, turns=1,
            dtype=dtype, layout=layout)
      for dtype, layout in (("bf16", "rcr"), ("fp16", "rrr"))),
    _gemm("gemm_v3_16x64x128", "16x64x128_1x4x1_16x16x32", {"M": 37, "N": 128, "J": 1}),
    _gemm("gemm_v3_64x64x32", "64x64x32_2x2x1_32x32x16", {"M": 100, "N": 128, "J": 2}),
    _gemm("gemm_v3_64x64x32_padded", "64x64x32_2x2x1_32x32x16", {"M": 100, "N": 72, "J": 1, "R": 3}, pad=True),
    _gemm("gemm_v4_64x64x32", "64x64x32_2x2x1_32x32x16", {"M": 100, "N": 128, "J": 1}, "compv4"),
    _gemm("gemm_mem_128x32x64", "128x32x64_4x1x1_32x32x8", {"M": 140, "N": 64, "J": 1}, "mem"),
    _gemm("gemm_mem_interwave_128x32x64", "128x32x64_4x1x1_32x32x8", {"M": 140, "N": 64, "J": 1}, "mem", "interwave"),
    _gemm("gemm_v3_128x128x64", "128x128x64_2x2x1_16x16x32", {"M": 128, "N": 128, "J": 0}),
    _gemm("gemm_v3_256x256x64", "256x256x64_2x2x1_32x32x16", {"M": 256, "N": 256, "J": 0}),
    _gemm("gemm_v4_256x256x32", "256x256x32_2x2x1_32x32x16", {"M": 256, "N": 256, "J": 1}, "compv4"),
)  # fmt: skip

INSTANCES = (*_BUILT, *(_one_row(one) for one in _BUILT if one.gemm and not one.gemm.kind and one.turns == 3))
