"""Transposed reads of LDS: `load_tile_transpose`'s encodings, compiled, are the instructions' maps."""

from __future__ import annotations

import pytest

from layoutalg.device.constants import constants
from layoutalg.formats import loads
from layoutalg.layout import TileDistribution
from layoutalg.target.transposed import TRANSPOSED
from tests.composable_kernel import composable_kernel

INCLUDE = composable_kernel() / "include"

ENCODINGS = '''
[cpp]
headers = ["ck_tile/core.hpp"]
target = "gfx950"
prelude = """
using namespace ck_tile;
template <typename T> using Of = typename DefaultTranspose<T>::template QuadInputEncoding<16>;
template <typename T> using Got = typename DefaultTranspose<T>::template QuadOutputEncoding<16>;
"""

[[distribution]]
name = "loads"
cpp = "Of<{type}>{{}}"
window = [{elements}, 16]

[[distribution]]
name = "gets"
cpp = "Got<{type}>{{}}"
window = [16, {elements}]
'''


def at(distribution: TileDistribution, lane: int, element: int) -> tuple[int, ...]:
    return tuple(int(x.value) for x in distribution.lower([lane], [element]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "of"), [("ds_read_b64_tr_b16", "half_t"), ("ds_read_b64_tr_b8", "fp8_t")])
def test_cks_encodings_are_the_maps(name: str, of: str) -> None:
    """A lane gets, transposed, what the input encoding says that the lane at the source loads there."""
    elements = TRANSPOSED[name].elements
    text = ENCODINGS.format(type=of, elements=elements)
    found = loads(text, "transposed.toml", compiled=constants, include=(INCLUDE,))
    asked, got = (one.distribution for one in found.distributions)
    for lane in range(16):
        for e in range(elements):
            assert at(got, lane, e)[::-1] == at(asked, *TRANSPOSED[name].at(lane, e))
