"""Configurations of a GEMM of CK Tile, as Tile Engine writes them.

    192x128x64_2x2x1_32x32x16                                 a tile, the warps along its sides, a warp's tile
    gemm_fp16_rcr_compv3_cshuffle_intrawave_…_192x128x64_…    an instance's whole name

| in a file's        | the values of a key are                                       |
|--------------------|---------------------------------------------------------------|
| `tile_config`      | `{"values": [64, 128]}`, or `{"min": 64, "max": 256, "step": 64}` |
| `trait_config`     | `{"values": […]}`: pipeline, scheduler, epilogue, pads, persistent |

A D of `gemm_multi_d` is loaded as C is stored, and changes no layout: its files and names (`rcrr`) are as those
of the universal GEMM.  Files of Tile Engine's other operations look alike: a key that the universal GEMM has not is
refused, and a file that lies in another operation's folder.
Source: tile_engine/ops/gemm/gemm_instance_builder.py.  Schedulers, pads and persistence change no layout, so that
configurations which differ in these alone are one here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.target.dtypes import NAMES

PIPELINES = ("compv3", "compv4", "mem", "comp_async")
SCHEDULERS = ("intrawave", "interwave")
EPILOGUES = ("cshuffle", "default")
DTYPES = ("fp16", "bf16", "fp8", "bf8", "int8", "fp32", "fp64")
LAYOUTS = tuple(map("".join, product("rc", "rc", "r")))

Sides = tuple[int, int, int]
"""Along M, N and K."""

_SIDES = re.compile(r"(\d+)x(\d+)x(\d+)")
_KEYS = ("tile_m", "tile_n", "tile_k", "warp_m", "warp_n", "warp_k", "warp_tile_m", "warp_tile_n", "warp_tile_k")
_TRAITS = ("pipeline", "scheduler", "epilogue", "pad_m", "pad_n", "pad_k", "persistent")
_CHOICES = ("values", "min", "max", "step")
_FOLDERS = ("gemm", "gemm_universal", "gemm_multi_d")
_LARGEST = 4096
MOST = 1_000_000
"""Configurations of a space at most."""


@dataclass(frozen=True, order=True)
class Tile:
    """A block's tile, its warps and a warp's tile: `192x128x64_2x2x1_32x32x16`.

    >>> Tile.parse("192x128x64_2x2x1_32x32x16").waves
    4
    """

    block: Sides
    warps: Sides
    warp: Sides

    @classmethod
    def parse(cls, text: str) -> Tile:
        """LayoutError where the text is no such name."""
        parts = [_SIDES.fullmatch(part) for part in text.split("_")]
        if len(parts) != 3 or not all(parts):
            raise LayoutError(f"{text!r} is no tile such as 192x128x64_2x2x1_32x32x16")
        sides = [tuple(int(n) for n in part.groups()) for part in parts if part]
        if not all(1 <= n <= _LARGEST for part in sides for n in part):
            raise LayoutError(f"{text!r}: each side is 1 to {_LARGEST}")
        block, warps, warp = ((m, n, k) for m, n, k in sides)
        return cls(block, warps, warp)

    @property
    def waves(self) -> int:
        """Of a block."""
        return self.warps[0] * self.warps[1] * self.warps[2]

    def __str__(self) -> str:
        return "_".join("x".join(map(str, part)) for part in (self.block, self.warps, self.warp))


@dataclass(frozen=True, order=True)
class Configuration:
    """A GEMM's element type, layouts of A, B and C (`rcr`), tile, pipeline and epilogue.

    >>> Configuration("f8", "rcr", Tile.parse("64x64x64_2x2x1_16x16x32")).dtype
    'fp8'
    """

    dtype: str
    layout: str
    tile: Tile
    pipeline: str = "compv3"
    epilogue: str = "cshuffle"

    def __post_init__(self) -> None:
        if (same := NAMES.get(self.dtype)) is not None:
            object.__setattr__(self, "dtype", same.engine or same.name)
        if self.layout[:3] in LAYOUTS and self.layout[3:] == self.layout[2:3]:  # a D, which is laid out as C is
            object.__setattr__(self, "layout", self.layout[:3])
        for value, known, what in (
            (self.dtype, DTYPES, "element type"), (self.layout, LAYOUTS, "layout"),
            (self.pipeline, PIPELINES, "pipeline"), (self.epilogue, EPILOGUES, "epilogue"),
        ):  # fmt: skip
            if value not in known:
                raise LayoutError(f"{value!r} is no {what} that is known: {', '.join(known)}")

    @property
    def twice(self) -> bool:
        """Whether A and B have two buffers each in LDS."""
        return self.pipeline in ("compv4", "comp_async")

    @property
    def straight(self) -> bool:
        """Whether A and B come from memory straight to LDS."""
        return self.pipeline == "comp_async"

    def __str__(self) -> str:
        return f"{self.dtype}_{self.layout}_{self.pipeline}_{self.epilogue}_{self.tile}"


def named(text: str, dtype: str, layout: str) -> Configuration:
    """A configuration by an instance's name, or by its tile alone; LayoutError where it is neither.

    >>> named("gemm_fp16_rcr_compv4_default_intrawave_128x128x32_2x2x1_32x32x16", "bf16", "rrr").pipeline
    'compv4'
    """
    words = text.removeprefix("gemm_").removeprefix("multi_d_").split("_")
    tile, before = Tile.parse("_".join(words[-3:])), words[:-3]
    if not before:
        return Configuration(dtype, layout, tile)
    at = next((n for n, word in enumerate(before) if word in SCHEDULERS), 0)
    if at < 4 or set(before[at + 1 :]) - {"True", "False"}:
        raise LayoutError(f"{text!r} is no instance's name: type, layout, pipeline, epilogue, scheduler, pads, tile")
    return Configuration(before[0], before[1], tile, "_".join(before[2 : at - 1]), before[at - 1])


def space(data: Mapping[str, Any], dtype: str, layout: str) -> Iterator[Configuration]:
    """Every configuration of a Tile Engine file, valid or not; LayoutError where the file is none."""
    tiles, traits = _table(data, "tile_config"), _table(data, "trait_config")
    if unknown := [*_unknown(data, tiles, traits)]:
        raise LayoutError(f"the universal GEMM has no {', '.join(unknown)}: is the file of another operation?")
    if "scheduler" in traits and (others := set(_words(traits, "scheduler")) - {*SCHEDULERS}):
        raise LayoutError(f"scheduler: {', '.join(sorted(others))} is none of the universal GEMM's")
    sides = [_values(tiles, key) for key in _KEYS]
    words = [_words(traits, key) for key in ("pipeline", "epilogue")]
    count = 1
    for choices in (*sides, *words):
        count *= len(choices)
    if count > MOST:
        raise LayoutError(f"the file has {count} configurations; at most {MOST} are swept at once")
    for m, n, k, *rest in product(*sides):
        tile = Tile((m, n, k), (rest[0], rest[1], rest[2]), (rest[3], rest[4], rest[5]))
        for pipeline, epilogue in product(*words):
            yield Configuration(dtype, layout, tile, pipeline, epilogue)


def other_operation(file: Path) -> str:
    """The operation of Tile Engine in whose folder a file lies, where that is not the universal GEMM.

    >>> other_operation(Path("/ck/tile_engine/ops/gemm_preshuffle/configs/default_config.json"))
    'gemm_preshuffle'
    """
    *_, ops, name, folder, _ = ("", "", "", *file.resolve().parts)
    of_engine = folder == "configs" and "tile_engine" in file.resolve().parts and ops
    return name if of_engine and name not in _FOLDERS else ""


def _unknown(data: Mapping[str, Any], tiles: Mapping[str, Any], traits: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a file that say nothing of the universal GEMM."""
    yield from (key for key in data if key not in ("tile_config", "trait_config", "k_block_per_cu"))
    for table, known in ((tiles, _KEYS), (traits, _TRAITS)):
        yield from (key for key in table if key not in known)
        for key in (key for key in known if key in table):
            yield from (f"{one} of {key}" for one in _choices(table, key) if one not in _CHOICES)


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(found, Mapping):
        raise LayoutError(f"a Tile Engine file has the table {key!r}")
    return found


def _choices(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = table.get(key)
    if not isinstance(found, Mapping):
        raise LayoutError(f"{key} is missing: give it values, or min, max and step")
    return found


def _values(table: Mapping[str, Any], key: str) -> Sequence[int]:
    found = _choices(table, key)
    if (listed := found.get("values")) is None:
        ends = [found.get(name) for name in ("min", "max", "step")]
        if not all(isinstance(n, int) and n >= 1 for n in ends):
            raise LayoutError(f"{key}: min, max and step are numbers from 1 on")
        low, high, step = (int(n or 1) for n in ends)
        listed = range(low, high + 1, step)
    if not len(listed) or not all(isinstance(n, int) and 1 <= n <= _LARGEST for n in listed):
        raise LayoutError(f"{key}: values are numbers from 1 to {_LARGEST}")
    return tuple(dict.fromkeys(listed))


def _words(table: Mapping[str, Any], key: str) -> Sequence[str]:
    listed = _choices(table, key).get("values")
    if not isinstance(listed, list) or not listed or not all(isinstance(word, str) for word in listed):
        raise LayoutError(f"{key}: values is a list of names")
    return tuple(dict.fromkeys(listed))
