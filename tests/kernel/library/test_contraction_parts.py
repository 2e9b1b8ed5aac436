"""Sums that are taken in parts, so that blocks fill the card."""

import numpy as np
import pytest

from layoutalg.device import choose_device
from layoutalg.device.kernels import run
from layoutalg.kernel.library.contraction import contraction_tasks
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError
from tests.matrix import each


def test_few_blocks_take_the_sum_in_parts():
    first, second = contraction_tasks("ik,kj->ij", (256, 8192), (8192, 256), "f16", target="sm_90")
    assert first.shape == (8, 256, 256)
    assert first.sizes == {"N_i": 256, "N_s": 8, "N_k": 1024, "N_j": 256}
    assert second.shape == (256, 256)
    for einsum, a, b in [
        ("ik,kj->ij", (4096, 4096), (4096, 4096)),  # enough blocks
        ("ik,kj->ij", (256, 768), (768, 256)),  # too short
        ("bik,bkj->bij", (2, 256, 8192), (2, 8192, 256)),  # batches
        ("ik,kj->ij", (256, 8184), (8184, 256)),  # parts would not be whole tiles
    ]:
        assert len(contraction_tasks(einsum, a, b, "f16", target="sm_90")) == 1, (einsum, a, b)
    assert len(contraction_tasks("ik,kj->ij", (256, 8192), (8192, 256), "f16", target="gfx942")) == 1


@pytest.mark.parametrize("einsum", each(["ik,kj->ij", "ki,jk->ij", "ijk,jkm->im"], "ki,jk->ij"))
def test_a_sum_in_parts_is_the_sum(einsum):
    rng, lengths = np.random.default_rng(5), {"i": 5, "j": 6, "k": 8, "m": 7}
    (x, y), _ = einsum.split("->")[0].split(","), einsum
    a, b = (rng.standard_normal([lengths[c] for c in t]).astype(np.float32) for t in (x, y))
    parts = 2
    tasks = contraction_tasks(einsum, a.shape, b.shape, "f32", parts=parts)
    assert len(tasks) == 2
    between = [a, b]
    for task in tasks:
        between = [launched(task, between)]
    assert np.allclose(between[0], np.einsum(einsum, a, b), rtol=1e-5, atol=1e-5)


def test_parts_have_a_letter_of_their_own():
    first, _ = contraction_tasks("spk,kqrt->spqrt", (2, 3, 8), (8, 2, 2, 2), "f32", parts=2)
    assert first.shape == (2, 2, 3, 2, 2, 2)


@pytest.mark.parametrize(("einsum", "a", "parts"), [("ik,kj->ij", (4, 9), 2), ("ik,kj->ij", (4, 9), 0)])
def test_parts_divide_the_sum(einsum, a, parts):
    with pytest.raises(LayoutError, match=f"cannot be cut into {parts} parts"):
        contraction_tasks(einsum, a, a[::-1], "f32", parts=parts)


def launched(task, arrays):
    return run(verify(task.program), choose_device("cpu"), arrays[0], task.shape, *arrays[1:], **task.sizes).output
