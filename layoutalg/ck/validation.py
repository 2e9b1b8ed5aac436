"""What Tile Engine's own check admits, to stand beside what CK's compiler says.

Tile Engine leaves out configurations by a validation_utils.py before it writes an instance.  Its tables are read from
that file as data (literals, parsed and never run); its arithmetic is that below.

| rule          | admits                                                                                      |
|---------------|---------------------------------------------------------------------------------------------|
| `warps`       | those that `WARP_SUPPORTED_COMBINATIONS` lists for the target; all, where it lists none     |
| `tile`        | sides that are multiples of the warps'                                                      |
| `lds`         | A and B in 65536 bytes, of compv4 in 32768, whatever the target has                         |
| `cover`       | tiles whose rows of vectors are shared by 64 lanes without a remainder                      |
| `warp tile`   | those that `WARP_TILE_SUPPORTED_COMBINATIONS` lists for the target and types; all, if none  |

Source: tile_engine/ops/commons/validation_utils.py and ops/gemm/gemm_instance_builder.py of AMD's composable_kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from layoutalg.ck.layouts import BYTES
from layoutalg.ck.space import Configuration, Sides
from layoutalg.errors import LayoutError
from layoutalg.records import dataclass

WARPS, WARP_TILES = "WARP_SUPPORTED_COMBINATIONS", "WARP_TILE_SUPPORTED_COMBINATIONS"
RESULTS = {"fp8": "fp16", "bf8": "fp16"}
_LANES = 64
_LARGEST = 1 << 20


@dataclass(frozen=True)
class Validation:
    """The tables of a file of Tile Engine, by target."""

    warps: Mapping[str, Sequence[Sides]]
    warp_tiles: Mapping[str, Mapping[str, Sequence[Sides]]]

    @classmethod
    def read(cls, path: Path) -> Validation:
        """Of a file; LayoutError where it is none."""
        try:
            text = path.read_text() if path.stat().st_size <= _LARGEST else ""
            tables = dict(_literals(ast.parse(text)))
        except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise LayoutError(f"{path}: cannot be read: {error}") from error
        for name in (WARPS, WARP_TILES):
            if not isinstance(tables.get(name), dict):
                raise LayoutError(f"{path} has no table {name}: it is no validation_utils.py of Tile Engine")
        try:
            warps = {gpu: _sides(listed) for gpu, listed in tables[WARPS].items()}
            tiles = {
                gpu: {types: _sides(listed) for types, listed in of.items()} for gpu, of in tables[WARP_TILES].items()
            }
        except (TypeError, ValueError, AttributeError) as error:
            raise LayoutError(f"{path}: a table of Tile Engine lists three sides each") from error
        return cls(warps, tiles)

    def refusal(self, one: Configuration, target: str) -> str:
        """The rule by which a configuration is left out; empty where it is admitted.

        >>> from layoutalg.ck.space import named
        >>> known = Validation({"gfx942": [(2, 2, 1)]}, {})
        >>> known.refusal(named("64x64x64_4x1x1_16x16x16", "fp16", "rcr"), "gfx942")
        'warps'
        """
        tile = one.tile
        if (warps := self.warps.get(target)) and tile.warps not in warps:
            return "warps"
        if any(side % (n * w) for side, n, w in zip(tile.block, tile.warps, tile.warp, strict=True)):
            return "tile"
        m, n, k = tile.block
        if (m + n) * k * BYTES[one.dtype] > (1 << 15 if one.pipeline == "compv4" else 1 << 16):
            return "lds"
        if not all(
            _covered(one, rows, turned) for rows, turned in ((m, one.layout[0] == "c"), (n, one.layout[1] == "r"))
        ):
            return "cover"
        types = f"{one.dtype}_{one.dtype}_{RESULTS.get(one.dtype, one.dtype)}"
        tiles = self.warp_tiles.get(target, {}).get(types)
        return "warp tile" if tiles and tile.warp not in tiles else ""


def _literals(module: ast.Module) -> Iterator[tuple[str, Any]]:
    """The names that a module assigns a literal to."""
    for node in module.body:
        name = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(name, ast.Name) and name.id in (WARPS, WARP_TILES):
            yield name.id, ast.literal_eval(node.value)


def _sides(listed: Sequence[Sequence[int]]) -> tuple[Sides, ...]:
    return tuple((m, n, k) for m, n, k in listed)


def _covered(one: Configuration, rows: int, turned: bool) -> bool:
    """Whether an operand of so many rows is shared by the lanes; `turned`: its rows lie contiguous, not its depth."""
    depth, threads = one.tile.block[2], one.tile.waves * _LANES
    vector = _vector(rows * depth, threads, rows if turned else depth, BYTES[one.dtype])
    shapes = [(depth, rows), (rows, depth)] if turned else [(depth, rows)]
    return all(_shared(x, y, threads, vector) for x, y in shapes)


def _vector(elements: int, threads: int, along: int, size: int) -> int:
    """The elements of a load from memory."""
    for bytes_ in (16, 8, *(n for n in (4, 2) if size >= n)):
        count = bytes_ // size
        if count and along % count == 0 and elements % (threads * count) == 0:
            return count
    return 1


def _shared(x: int, y: int, threads: int, vector: int) -> bool:
    """Whether 64 lanes make whole rows of vectors, each of X elements, or parts of a row."""
    if x % vector:
        return False
    in_row = x / min(Fraction(vector), Fraction(x * y, threads))
    return in_row * (_LANES // in_row) == _LANES
