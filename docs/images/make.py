"""Draws the README's picture: `python docs/images/make.py`."""

from pathlib import Path

from layoutalg.draw import LaneAccess, compare, operand
from layoutalg.synth.gemm import packed, swizzled

before, after = (
    LaneAccess.of(tile(32, 64), operand(32, 8), "gfx942", "ds_read_b128", dtype="f16") for tile in (packed, swizzled)
)
compare(before, after).save(Path(__file__).with_name("swizzle.svg"))
