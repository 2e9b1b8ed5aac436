"""What Triton calls the places of a layout and the dimensions of a tensor; their sizes are powers of two."""

from __future__ import annotations

from layoutalg.errors import LayoutError

REGISTER, LANE, WARP, BLOCK = "register", "lane", "warp", "block"
OFFSET, PARTITION = "offset", "partition"


def bits_of(size: int) -> int:
    """The bits that count 0 … size − 1; LayoutError where the size is no power of two."""
    if size < 1 or size & (size - 1):
        raise LayoutError(f"{size} is no power of two; a linear layout's sizes are")
    return int(size).bit_length() - 1


def dims(rank: int) -> list[str]:
    """The names of a tensor's dimensions, as Triton has them."""
    return [f"dim{n}" for n in range(rank)]
