"""Tiles of Triton's matrix instructions: what one block's registers hold of a product, and of its operands.

In a product of m × n tiles of a warp, S of them lanes: the dimension `across` goes through lanes 0 … S − 1, and the
other one, `along`, through c registers, then the other lanes, then the remaining registers:

| instruction                   | across    | along, bit by bit                                             |
|-------------------------------|-----------|---------------------------------------------------------------|
| mfma 32 × 32, f32             | n, 32     | 2 registers' bits, 1 lane bit, 2 registers' bits              |
| mfma 16 × 16, f32             | n, 16     | 2 registers' bits, 2 lane bits                                |
| mfma, elements of 64 bits     | n         | the lane bits first, then the registers'                      |
| wmma of gfx11 (version 1)     | n, 16     | 1 lane bit, 3 registers' bits                                 |
| wmma of gfx12 (version 2, 3)  | n, 16     | 3 registers' bits, 1 lane bit                                 |
| mma of NVIDIA, 16 × 8         | 8 rows of lanes of 4, each of 2 columns; then 8 more rows in registers      |

`isTransposed` exchanges across and along.  An operand has k along: kWidth elements of a lane, then the other lanes, and
rows (or columns) across; how deep an mfma is says nothing of it: the tensor's k is the tile repeated.  The maps are
those of Triton 3.9, as its wheel gives them, and agree with ours of the instructions (`target.matrix`,
`tests/interop/triton`).  What it cannot represent: mfma 4 × 4, scales, sparse forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.interop.triton.attribute import Attribute
from layoutalg.interop.triton.linear import LinearLayout, product
from layoutalg.interop.triton.places import LANE, REGISTER, WARP, bits_of, dims

WAVE = 64
"""Lanes of a wave that carries out an mfma."""
_CGA = ("CGALayout", "CTAsPerCGA", "CTASplitNum", "CTAOrder")


Tile = tuple[LinearLayout, int | None]
"""A block's tile, its dimensions in the order in which it is repeated; and how many bits of its registers are of one
instruction, where those after them go through the tensor dimension by dimension.
"""


def result(layout: Attribute, rank: int) -> Tile:
    """A block's tile of what a matrix instruction gives."""
    return _RESULTS[layout.name](layout, rank)


def _mfma(layout: Attribute, rank: int) -> Tile:
    m, n = _mfma_sizes(layout, rank)
    transposed, bits = layout.truth("isTransposed"), layout.number("elementBitWidth", 32)
    if bits not in (32, 64):
        layout.refuse(f"elementBitWidth is {bits}; 32 or 64 is wanted", "elementBitWidth")
    if (m, n, transposed) == (64, 4, False):
        layout.refuse("instrShape [64, 4] wants isTransposed = true", "instrShape")
    across, along = (rank - 2, rank - 1) if transposed else (rank - 1, rank - 2)
    sizes = {rank - 2: m, rank - 1: n}
    tile = _tile(across, sizes[across], along, sizes[along], 2 if bits == 32 else 0, WAVE // sizes[across])
    whole = tile * _per_warp(layout, rank) * _warps(layout, rank)
    return whole.ordered(dims(rank)[::-1]), len(tile.of_place(REGISTER))


def _mfma_sizes(layout: Attribute, rank: int) -> tuple[int, int]:
    layout.only("version", "warpsPerCTA", "instrShape", "isTransposed", "tilesPerWarp", "elementBitWidth", *_CGA)
    version, shape = layout.number("version"), layout.powers("instrShape")
    if version not in (1, 2, 3, 4):
        layout.refuse(f"version is {version}; 1 (gfx908), 2 (gfx90a), 3 (gfx942) or 4 (gfx950) is wanted", "version")
    if len(shape) != 3 or tuple(shape[:2]) not in ((32, 32), (16, 16), (64, 4), (4, 64)):
        layout.refuse(f"instrShape is {shape}; [M, N, K] with M × N = 32 × 32, 16 × 16, 64 × 4 or 4 × 64 is wanted",
                      "instrShape")  # fmt: skip
    return shape[0], shape[1]


def _tile(across: int, size: int, along: int, length: int, low: int, groups: int) -> LinearLayout:
    """Lanes across, and along: `low` bits of registers, the other lanes, the remaining registers."""
    first, held = 1 << low, bits_of(groups)
    rest = length // (first * groups)
    parts = [LinearLayout.identity(min(first, length), REGISTER, f"dim{along}")]
    parts.append(LinearLayout.identity(size, LANE, f"dim{across}"))
    parts += [LinearLayout.identity(1 << held, LANE, f"dim{along}")] if held else []
    parts += [LinearLayout.identity(rest, REGISTER, f"dim{along}")] if rest > 1 else []
    return product(parts)


def _per_warp(layout: Attribute, rank: int, k: int | None = None) -> LinearLayout:
    """How often a warp has the tile (not along k)."""
    times = layout.powers("tilesPerWarp", [1] * rank)
    if len(times) != rank:
        layout.refuse(f"tilesPerWarp has {len(times)} sizes for {rank} dimensions", "tilesPerWarp")
    return product([LinearLayout.identity(1 if d == k else times[d], REGISTER, f"dim{d}") for d in range(rank)])


def _warps(layout: Attribute, rank: int, k: int | None = None, rows_first: bool = False) -> LinearLayout:
    """The warps of a block, the last dimension fastest unless said; along k all hold the same."""
    sizes = layout.powers("warpsPerCTA")
    if len(sizes) != rank:
        layout.refuse(f"warpsPerCTA has {len(sizes)} sizes for {rank} dimensions", "warpsPerCTA")
    parts = []
    for d in range(rank) if rows_first else reversed(range(rank)):
        make = LinearLayout.zeros if d == k else LinearLayout.identity
        parts.append(make(sizes[d], WARP, f"dim{d}"))
    return product(parts)


def _wmma(layout: Attribute, rank: int) -> Tile:
    version, _ = _wmma_sizes(layout)
    transposed = layout.truth("isTranspose") if "isTranspose" in layout.fields else layout.truth("isTransposed")
    across, along = (rank - 2, rank - 1) if transposed else (rank - 1, rank - 2)
    tile = _tile(across, 16, along, 16, 0 if version == 1 else 3, 2)
    return (tile * _ctas(layout, rank)).ordered(dims(rank)[::-1]), None


def _wmma_sizes(layout: Attribute) -> tuple[int, list[int]]:
    layout.only("version", "isTranspose", "isTransposed", "ctaLayout", "instrShape", *_CGA)
    version, shape = layout.number("version"), layout.powers("instrShape", [16, 16, 16])
    if version not in (1, 2, 3):
        layout.refuse(f"version is {version}; 1 (gfx11), 2 (gfx120x) or 3 (gfx1250) is wanted", "version")
    if len(shape) != 3 or shape[:2] != [16, 16]:
        layout.refuse(f"instrShape is {shape}; [16, 16, K] is wanted", "instrShape")
    return version, shape


def _ctas(layout: Attribute, rank: int, k: int | None = None) -> LinearLayout:
    """How tiles lie in a block's registers and warps; along k all warps hold the same, and registers are no more."""
    given = layout.table("ctaLayout")
    given.only(REGISTER, WARP)
    bases: dict[str, list[list[int]]] = {}
    for place in (REGISTER, WARP):
        vectors = given.vectors(place, rank, default=[])
        flat = [[0 if d == k else at for d, at in enumerate(basis)] for basis in vectors]
        bases[place] = [basis for basis in flat if place == WARP or any(basis)]
    every = [basis for vectors in bases.values() for basis in vectors]
    sizes = [1 << max((basis[d] for basis in every), default=0).bit_length() for d in range(rank)]
    return LinearLayout.of(bases, dict(zip(dims(rank), sizes, strict=True)))


def _mma(layout: Attribute, rank: int) -> Tile:
    version, shape = _mma_sizes(layout)
    columns = shape[1] if version == 3 else shape[-1]
    row, column = f"dim{rank - 2}", f"dim{rank - 1}"
    parts = [LinearLayout.identity(2, REGISTER, column), LinearLayout.identity(4, LANE, column)]
    parts += [LinearLayout.identity(8, LANE, row), LinearLayout.identity(2, REGISTER, row)]
    parts += [LinearLayout.identity(columns // 8, REGISTER, column)]
    whole = product(parts) * _warps(layout, rank, rows_first=version == 3)
    return whole.ordered(dims(rank)[::-1]), None


def _mma_sizes(layout: Attribute) -> tuple[int, list[int]]:
    layout.only("versionMajor", "versionMinor", "warpsPerCTA", "instrShape", *_CGA)
    layout.number("versionMinor", 0)
    version, shape = layout.number("versionMajor"), layout.powers("instrShape")
    if version not in (2, 3):
        layout.refuse(f"versionMajor is {version}; 2 (Turing, Ampere) or 3 (Hopper) is wanted", "versionMajor")
    wanted = [16, 8] if version == 2 else [16]
    if shape[-2:] != wanted and (version == 2 or shape[:1] != wanted or len(shape) != 3 or shape[1] < 8):
        layout.refuse(f"instrShape is {shape}; [16, 8] of version 2, [16, N, K] of version 3", "instrShape")
    return version, shape


# --- operands ---------------------------------------------------------------------------------------------------------


def dot_operand(layout: Attribute, parent: Attribute, operand: int, rank: int) -> Tile:
    """A block's tile of an operand of the parent's instruction; TritonTextError where there is none."""
    if parent.name not in _OPERANDS:
        layout.refuse(f"{parent.name} has no operands; {', '.join(_OPERANDS)} and blocked have", "parent")
    width = layout.number("kWidth", 0)
    if width < 1 or width & (width - 1):
        layout.refuse(f"kWidth is {width}; a power of two is wanted", "kWidth")
    across, k = (rank - 2, rank - 1) if operand == 0 else (rank - 1, rank - 2)
    whole, inner = _OPERANDS[parent.name](parent, operand, rank, across, k, width)
    return whole.ordered([f"dim{d}" for d in (k, across, *reversed(range(rank - 2)))]), inner


def _mfma_operand(parent: Attribute, operand: int, rank: int, across: int, k: int, width: int) -> Tile:
    m, n = _mfma_sizes(parent, rank)
    size = (m, n)[operand]
    tile = _operand_tile(across, size, k, width, WAVE // size, width * WAVE // min(m, n))
    whole = tile * _per_warp(parent, rank, k) * _warps(parent, rank, k)
    return whole, len(tile.of_place(REGISTER))


def _wmma_operand(parent: Attribute, operand: int, rank: int, across: int, k: int, width: int) -> Tile:
    version, (_, _, depth) = _wmma_sizes(parent)
    if (version == 1 and width != 16) or (version == 2 and width < 4):
        parent.refuse(
            f"an operand with kWidth {width}; {'16 is' if version == 1 else '4 or more are'} wanted", "version"
        )
    tile = _operand_tile(across, 16, k, width, 1 if version == 1 else 2, depth)
    if version == 1:
        tile = tile * LinearLayout.zeros(2, LANE, f"dim{across}")
    return tile * _ctas(parent, rank, k), None


def _operand_tile(across: int, size: int, k: int, width: int, groups: int, depth: int) -> LinearLayout:
    """k: kWidth registers, then the other lanes, then registers up to the depth."""
    parts = [LinearLayout.identity(width, REGISTER, f"dim{k}"), LinearLayout.identity(size, LANE, f"dim{across}")]
    parts += [LinearLayout.identity(groups, LANE, f"dim{k}")]
    parts += [LinearLayout.identity(max(1, depth // (width * groups)), REGISTER, f"dim{k}")]
    return product(parts)


def _mma_operand(parent: Attribute, operand: int, rank: int, across: int, k: int, width: int) -> Tile:
    version, _ = _mma_sizes(parent)
    if version == 3 and operand == 1:
        parent.refuse("the second operand of version 3 comes from shared memory, never from registers")
    row, depth = f"dim{across}", f"dim{k}"
    parts = [LinearLayout.identity(width, REGISTER, depth), LinearLayout.identity(4, LANE, depth)]
    parts += [LinearLayout.identity(8, LANE, row)]
    parts += [LinearLayout.identity(2, REGISTER, row)] if operand == 0 else []
    parts += [LinearLayout.identity(2, REGISTER, depth)]
    return product(parts) * _warps(parent, rank, k, rows_first=version == 3), None


_RESULTS: Mapping[str, Callable[[Attribute, int], Tile]] = {
    "amd_mfma": _mfma,
    "amd_wmma": _wmma,
    "nvidia_mma": _mma,
}

_OPERANDS: Mapping[str, Callable[[Attribute, int, int, int, int, int], Tile]] = {
    "amd_mfma": _mfma_operand,
    "amd_wmma": _wmma_operand,
    "nvidia_mma": _mma_operand,
}
