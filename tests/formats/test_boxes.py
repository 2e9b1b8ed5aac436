"""Boxes of the Tensor Data Mover: claims beside every element of small ones, and beside a run of the mover."""

from __future__ import annotations

import random
from itertools import product
from math import prod

import numpy as np
import pytest

from layoutalg.errors import SpecError
from layoutalg.formats import loads
from layoutalg.formats.check import check
from layoutalg.formats.model import BoxItem
from layoutalg.isa.run.launch import execute
from layoutalg.target.boxes import AMOUNT, BOX, INTERVAL, LENGTHS, PADDED, SIZE, STRIDES
from tests.audit.gfx1250 import code
from tests.audit.test_audit_gfx1250_tensor import WORDS

TENSOR = """symbols = { M = { min = 1, max = 65536 }, N = { min = 1, max = 65536 } }
[[descriptor]]
name = "a"
dtype = "f16"
base = { kind = "naive", lengths = ["M", "N"], strides = ["N", 1] }
claims = ["injective"]
[[descriptor]]
name = "padded"
dtype = "f16"
base = { kind = "naive", lengths = [64, 32], strides = [40, 1] }
[[descriptor]]
name = "swizzled"
dtype = "f16"
base = { kind = "packed", lengths = [64, 4, 8] }
steps = [
  [{ transform = "xor", lengths = [64, 4], lower = [0, 1], upper = [0, 1] },
   { transform = "pass_through", length = 8, lower = [2], upper = [2] }],
  [{ transform = "pass_through", length = 64, lower = [0], upper = [0] },
   { transform = "merge", lengths = [4, 8], lower = [1, 2], upper = [1] }],
]
"""
TILE = """[[box]]
name = "tile"
tensor = "a"
variables = { m = "(M + 63) // 64", n = "(N + 31) // 32" }
at = ["m * 64", "n * 32"]
lengths = [64, 32]
lds = "padded"
padding = [64, 16]
claims = ["fits_fields", "in_bounds", "complete", "injective", "lands", "ck_fields"]
"""


def verdicts(text: str) -> dict[str, str]:
    """Of the claims on the box, what was found."""
    return {r.claim: r.verdict.name for r in check(loads(text)) if isinstance(r.item, BoxItem)}


def test_a_tile_is_proved_for_all_sizes() -> None:
    assert set(verdicts(TENSOR + TILE).values()) == {"proved"}


@pytest.mark.parametrize(("was", "becomes", "refuted"), [
    ('lds = "padded"\npadding = [64, 16]', 'lds = "swizzled"', "lands"),  # which no field of the mover says
    ('lds = "padded"', 'lds = "swizzled"', "lands"),
    ("padding = [64, 16]", "padding = [64, 8]", "lands"),
    ("padding = [64, 16]", "padding = [128, 16]", "lands"),
    ("padding = [64, 16]", "", "lands"),
    ("lengths = [64, 32]", "lengths = [65, 32]", "lands"),  # one row more than the tile
    ("lengths = [64, 32]", "lengths = [64, 31]", "lands"),
    ("lengths = [64, 32]", "lengths = [64, 33]", "injective"),
    ("lengths = [64, 32]", 'lengths = [64, 32]\nextents = ["M - m * 64 + 1", "N - n * 32"]', "in_bounds"),
    ("lengths = [64, 32]", 'lengths = [64, 32]\nextents = ["M - m * 64", "N - n * 32 + 1"]', "in_bounds"),
    ("lengths = [64, 32]", 'lengths = [64, 32]\nextents = ["M - m * 64 - 1", "N - n * 32"]', "complete"),
    ("lengths = [64, 32]", 'lengths = [64, 32]\nextents = ["M", "N"]', "in_bounds"),  # of the whole tensor
    ("lengths = [64, 32]", 'lengths = [64, 32]\nstrides = ["N + 1"]', "in_bounds"),
    ("lengths = [64, 32]", 'lengths = [64, 32]\nstrides = ["0 - N"]', "fits_fields"),  # fields have no sign
    ("lengths = [64, 32]", 'lengths = [64, 32]\nstrides = [281474976710656]', "fits_fields"),
    ("lengths = [64, 32]", "lengths = [65536, 32]", "fits_fields"),
    ("(M + 63) // 64", "(M + 63) // 64 + 1", "fits_fields"),  # a block beyond the tensor: its extent is below 0
    ('at = ["m * 64"', 'at = ["m * 64 - 1"', "in_bounds"),
])  # fmt: skip
def test_what_is_wrong_with_a_box_is_refuted(was: str, becomes: str, refuted: str) -> None:
    assert was in TILE
    assert verdicts(TENSOR + TILE.replace(was, becomes))[refuted] == "refuted"


def test_a_swizzle_has_a_witness() -> None:
    """Of rows of 64 bytes the first element that an XOR moves is the first of row 2."""
    text = TENSOR + TILE.replace('lds = "padded"\npadding = [64, 16]', 'lds = "swizzled"')
    (found,) = (r for r in check(loads(text)) if r.claim == "lands")
    assert "element (2, 0) of the box: the mover's byte is the first of (128, 160)" in found.verdict.reason


@pytest.mark.parametrize(("added", "why"), [
    ("padding = [96, 16]", "after 96 bytes"), ("padding = [8, 16]", "after 8 bytes"), ("padding = [2048, 16]", "2048"),
    ("padding = [64, 4]", "by 4 bytes"), ("padding = [64, 10]", "by 10 bytes"), ("padding = [64, 516]", "by 516"),
    ("padding = [64, 16]\nstores = true", "padding of a store"), ("strides = []", "a stride for each"),
    ("extents = [4]", "2 dimensions"), ('lds = "bytes"', "is of u8"),
])  # fmt: skip
def test_what_no_field_says_is_refused(added: str, why: str) -> None:
    other = '[[descriptor]]\nname = "bytes"\ndtype = "u8"\nbase = { kind = "packed", lengths = [64, 32] }\n'
    box = TILE.replace('lds = "padded"\npadding = [64, 16]\n', "").replace('"lands", ', "")
    with pytest.raises(SpecError, match=why):
        loads(TENSOR + other + box + added)


def test_only_strides_that_ck_keeps_come_through_its_union() -> None:
    text = """symbols = {{ P = {{ min = 1, max = {} }} }}
[[descriptor]]
name = "a"
dtype = "f32"
base = {{ kind = "strided", lengths = [4, 16, 32], strides = ["P", 32, 1], offset = 0, storage = "4 * P + 512" }}
[[box]]
name = "planes"
tensor = "a"
at = [0, 0, 0]
lengths = [2, 16, 32]
claims = ["fits_fields", "in_bounds", "ck_fields"]
"""
    assert verdicts(text.format(65535)) == {"fits_fields": "proved", "in_bounds": "proved", "ck_fields": "proved"}
    assert verdicts(text.format(65536))["ck_fields"] == "refuted"


def drawn(rng: random.Random) -> str:
    """A box of numbers, in a tensor and on a tile that may be another than the mover makes."""
    rank = rng.randint(1, 3)
    box = [rng.choice([1, 2, 3, 4]) for _ in range(rank - 1)] + [rng.choice([2, 4, 8, 16])]
    tensor = [n + rng.randint(0, 3) for n in box]
    at = [rng.randint(0, 3) for _ in box]
    extents = [max(0, n - i + rng.choice([0, 0, 0, 1, -1])) for n, i in zip(tensor, at, strict=True)]
    steps = [prod(tensor[k + 1 :]) + rng.choice([0, 0, 0, 0, 1]) for k in range(rank - 1)]
    row = box[-1] * 4
    padding = [16 << rng.randint(0, 2), rng.choice([8, 16])] if rng.random() < 0.6 else None
    wide = row + (padding[1] if padding and padding[0] == row and rng.random() < 0.8 else 0)
    tile = [prod(box[k + 1 : -1]) * wide // 4 for k in range(rank - 1)] + [1]
    return f"""[[descriptor]]
name = "a"
dtype = "f32"
base = {{ kind = "packed", lengths = {tensor} }}
[[descriptor]]
name = "tile"
dtype = "f32"
base = {{ kind = "naive", lengths = {box}, strides = {tile} }}
[[box]]
name = "b"
tensor = "a"
at = {at}
lengths = {box}
extents = {extents}
strides = {steps}
lds = "tile"
{f"padding = {padding}" if padding else ""}
claims = ["in_bounds", "complete", "whole", "lands"]
"""


def enumerated(item: BoxItem) -> dict[str, str]:
    """The same, element by element; of none nothing is claimed."""
    box, at, extents = ([int(e) for e in of] for of in (item.lengths, item.at, item.extents))
    tensor, steps = [int(n) for n in item.tensor.descriptor.lengths], [*map(int, item.strides), 1]
    own = [prod(tensor[k + 1 :]) for k in range(len(tensor))]
    said = {"in_bounds": True, "complete": True, "whole": True, "lands": True}
    some = {"in_bounds": False, "complete": False, "whole": True, "lands": True}
    assert item.lds is not None
    for number, x in enumerate(product(*map(range, box))):
        index = [a + b for a, b in zip(at, x, strict=True)]
        there = all(i < n for i, n in zip(index, tensor, strict=True))
        within = all(i < n for i, n in zip(x, extents, strict=True))
        moved = sum(a * b for a, b in zip(x, steps, strict=True)) == sum(a * b for a, b in zip(x, own, strict=True))
        some = {**some, "in_bounds": some["in_bounds"] or within, "complete": some["complete"] or there}
        byte = 4 * number
        byte += byte // item.padding[0] * item.padding[1] if item.padding else 0
        said["in_bounds"] &= not within or (there and moved)
        said["complete"] &= not there or within
        said["whole"] &= there
        said["lands"] &= byte == 4 * int(item.lds.descriptor.offset(x))
    return {name: "unknown" if not some[name] else "proved" if holds else "refuted" for name, holds in said.items()}


@pytest.mark.parametrize("seed", range(40))
def test_claims_say_what_every_element_says(seed: int) -> None:
    text = drawn(random.Random(seed))
    (item,) = (one for one in loads(text).items if isinstance(one, BoxItem))
    assert verdicts(text) == enumerated(item)


#: The same where the gaps hold something.
CLEARED = WORDS.replace(
    "float tile[64];", "float tile[64];\n  for (int k = 0; k < 2; ++k) tile[32 * k + threadIdx.x] = -1;\n  MEET;"
)


def test_a_run_of_the_mover_leaves_what_the_layout_says() -> None:
    """The machine's own padding and zeros, by the fields of a box as a file has it."""
    text = """[[descriptor]]
name = "a"
dtype = "f32"
base = { kind = "packed", lengths = [7, 40] }
[[descriptor]]
name = "tile"
dtype = "f32"
base = { kind = "naive", lengths = [3, 16], strides = [20, 1] }
[[box]]
name = "b"
tensor = "a"
at = [5, 30]
lengths = [3, 16]
lds = "tile"
padding = [64, 16]
"""
    assert set(verdicts(text).values()) == {"proved"}
    (item,) = (one for one in loads(text).items if isinstance(one, BoxItem))
    assert item.padding is not None
    assert item.lds is not None
    values = {
        **dict(zip(BOX, map(int, item.lengths[::-1]), strict=False)),
        **dict(zip(LENGTHS, map(int, item.extents[::-1]), strict=False)),
        **dict(zip(STRIDES, map(int, item.strides[::-1]), strict=False)),
        SIZE: 2, PADDED: 1, INTERVAL: (item.padding[0] // 8).bit_length() - 1, AMOUNT: item.padding[1] // 4 - 1,
    }  # fmt: skip
    groups = [0, 0, 0, 0]
    for field, value in values.items():
        groups[field.group] |= value << field.first
    words = [groups[number] >> 32 * k & 0xFFFFFFFF for number, count in enumerate((4, 8, 4, 4)) for k in range(count)]
    words[0] = int(item.tensor.descriptor.offset(item.at))  # where the kernel has the box begin
    a = np.arange(1, 281, dtype=np.float32)
    left = execute(code(CLEARED), (1,), (32,), [a, np.zeros(64, np.float32), np.array(words, np.uint32).view(np.int32)])
    for x, y in product(range(3), range(16)):
        wanted = a[(5 + x) * 40 + 30 + y] if 5 + x < 7 and 30 + y < 40 else 0
        assert left.outputs[1][int(item.lds.descriptor.offset((x, y)))] == wanted
