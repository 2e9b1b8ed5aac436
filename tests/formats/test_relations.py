"""Agreements by distributions, against a host's shuffle in numpy; accesses whose target has no such elements."""

from __future__ import annotations

import numpy as np
import pytest

from layoutalg.errors import SpecError
from layoutalg.formats import loads
from layoutalg.formats.check import check

FLAT = """
[[descriptor]]
name = "flat"
base = {{ kind = "packed", lengths = ["{n} // 16", "{k} * 16"] }}

[[distribution]]
name = "loaded"
rs = [1]
hs = [[1, 4, 1, 1], [{fragments}, 1, 64, {items}]]
ps_major = [[0, 1, 2], [1, 2]]
ps_minor = [[0, 1, 1], [2, 2]]
ys_major = [1, 1, 2, 2]
ys_minor = [0, 3, 0, 3]

[[distribution]]
name = "meant"
rs = [4]
hs = [[16], [{fragments}, 4, {items}]]
ps_major = [[0], [2, 1]]
ps_minor = [[0], [1, 0]]
ys_major = [2, 2]
ys_minor = [0, 2]

[[agree]]
name = "host_and_device"
left = "host"
right = "flat"
variables = {{ tile = "{n} // 64", step = "{k} // {depth}" }}
left_distribution = "meant"
left_index = ["(tile * 4 + p0) * 16 + x0", "step * {depth} + x1"]
right_distribution = "loaded"
right_index = ["tile * 4 + x0", "step * {depth} * 16 + x1"]
"""


def spec(host: tuple[int, ...], of_n: tuple[int, ...], of_k: tuple[int, ...], **sizes: int) -> str:
    """Weights in a host's order of dimensions, of which some make n and the others k, beside the device's flat ones."""
    merged = ", ".join(
        f'{{ transform = "merge", lengths = {[host[d] for d in of]}, lower = {list(of)}, upper = [{to}] }}'
        for to, of in enumerate((of_n, of_k))
    )
    base = f'base = {{ kind = "packed", lengths = {list(host)} }}\nsteps = [[{merged}]]\n'
    return f'[[descriptor]]\nname = "host"\n{base}{FLAT.format(**sizes)}'


def shuffled(weights: np.ndarray, host: tuple[int, ...], n: tuple[int, ...], k: tuple[int, ...]) -> np.ndarray:
    """What the host writes: the dimensions of n and of k taken apart, and put in its order."""
    apart = weights.reshape([host[d] for d in (*n, *k)])
    return apart.transpose(np.argsort((*n, *k))).reshape(-1)


def multiplies_what_it_means(memory: np.ndarray, weights: np.ndarray, fragments: int, items: int) -> bool:
    """Whether each lane of 64 finds the weights of its column and its k, in each tile of 16 columns."""
    depth = fragments * 4 * items
    for n0 in range(weights.shape[0] // 16):
        for step in range(weights.shape[1] // depth):
            start = n0 * weights.shape[1] * 16 + step * depth * 16
            found = memory[start : start + depth * 16].reshape(fragments, 64, items)
            for lane in range(64):
                for f in range(fragments):
                    k = step * depth + (f * 4 + lane // 16) * items
                    if (found[f, lane] != weights[n0 * 16 + lane % 16, k : k + items]).any():
                        return False
    return True


@pytest.mark.parametrize(
    ("host", "n", "k", "fragments", "items"),
    [
        ((8, 16, 16, 16), (0, 2), (1, 3), 1, 16),  # shuffle_b of flatmm, f8
        ((8, 16, 16, 16), (0, 2), (1, 3), 2, 16),
        ((8, 8, 2, 16, 16), (0, 3), (1, 2, 4), 2, 16),  # shuffle_weight of aiter
        ((8, 4, 4, 16, 16), (0, 3), (1, 2, 4), 1, 16),  # runs of a lane's k, one load each
        ((8, 2, 4, 16, 32), (0, 3), (1, 2, 4), 2, 16),  # and two loads: another order
        ((4, 16, 32, 16), (0, 2), (1, 3), 2, 16),  # tiles of 32 columns
        ((8, 32, 16, 8), (0, 2), (1, 3), 1, 8),  # f16
        ((8, 2, 4, 16, 32), (0, 3), (1, 2, 4), 1, 32),  # f4
    ],
)
def test_orders_agree_exactly_where_lanes_find_what_they_mean(
    host: tuple[int, ...], n: tuple[int, ...], k: tuple[int, ...], fragments: int, items: int
) -> None:
    weights = np.arange(128 * 256).reshape(128, 256)
    wanted = multiplies_what_it_means(shuffled(weights, host, n, k), weights, fragments, items)
    text = spec(host, n, k, fragments=fragments, items=items, n=128, k=256, depth=fragments * 4 * items)
    verdict = next(r.verdict for r in check(loads(text, "x.toml")) if r.item.name == "host_and_device")
    assert verdict.name == ("proved" if wanted else "refuted")


PAIR = """
[[descriptor]]
name = "tile"
base = { kind = "packed", lengths = [8, 8] }

[[distribution]]
name = "rows"
hs = [[8], [8]]
ps_major = [[1]]
ps_minor = [[0]]
ys_major = [2]
ys_minor = [0]

[[distribution]]
name = "halves"
hs = [[4, 2], [8]]
ps_major = [[1]]
ps_minor = [[0]]
ys_major = [1, 2]
ys_minor = [1, 0]

[[distribution]]
name = "fours"
hs = [[8], [4]]
ps_major = [[1]]
ps_minor = [[0]]
ys_major = [2]
ys_minor = [0]

[[agree]]
name = "both"
left = "tile"
right = "tile"
left_distribution = "rows"
"""


def test_a_side_without_an_index_is_the_tile_of_its_distribution() -> None:
    found = [r for r in check(loads(PAIR + 'right_index = ["p0", "element"]', "x.toml")) if r.item.name == "both"]
    assert [r.verdict.name for r in found] == ["proved"]
    found = [r for r in check(loads(PAIR + 'right_index = ["element", "p0"]', "x.toml")) if r.item.name == "both"]
    assert "offsets are equal: not at at (0, 4), offsets (4, 32)" in found[0].verdict.reason


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ('right_distribution = "halves"', "Ps (8,) and 8 elements a lane for Ps (4,) and 16: no lane holds the same"),
        ('right_distribution = "fours"', "8 elements a lane for Ps (8,) and 4: no lane holds the same on both sides"),
        ('right_distribution = "columns"', "no distribution named 'columns' in this file; it has rows, halves, fours"),
        ("variables = { p0 = 3 }", "p0 is the distribution's; give this another name"),
        ("variables = { element = 3 }", "element is the distribution's; give this another name"),
        ('right_index = ["x0", "x1"]', "x0"),
        ('right_index = ["p0"]', "1 coordinates for the 2 dimensions of tile"),
    ],
)
def test_what_is_no_agreement_is_refused_in_a_line(more: str, reason: str) -> None:
    with pytest.raises(SpecError) as refused:
        loads(PAIR + more, "x.toml")
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_type_that_a_target_lacks_is_bad_input_that_says_what_it_has() -> None:
    text = """
[[descriptor]]
name = "weights"
dtype = "f4"
base = { kind = "packed", lengths = [64, 32] }

[[access]]
name = "load"
descriptor = "weights"
index = ["lane", 0]
width = 32
targets = ["gfx950", "gfx942"]
claims = ["coalesced"]
"""
    with pytest.raises(SpecError, match=r"gfx942 has no f4; of such types it has tf32 \(e8m10\), f8 \(e4m3fnuz\)"):
        loads(text, "x.toml")
    results = list(check(loads(text.replace(', "gfx942"', ""), "x.toml")))
    assert [r.verdict.name for r in results if r.item.name == "load"] == ["proved"]
