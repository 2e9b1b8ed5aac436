"""Threads fill waves in order: whose thread a lane is, in blocks that fill their waves and in such that do not."""

import numpy as np
import pytest

from layoutalg.index import array, const, var
from layoutalg.symex.machine.wave import Wave
from layoutalg.symex.values.word import HAS_THREAD

FULL = [(256,), (64, 4), (16, 16), (8, 4, 8), (48, 4), (128, 2, 2), (4, 24, 2), (1, 64)]
PARTLY = [(96,), (17, 3), (5,), (32, 3), (50, 2), (3, 5, 7), (16, 2)]


@pytest.mark.parametrize("block", FULL + PARTLY)
def test_the_thread_in_a_lane_is_the_one_that_fills_it_if_there_is_one(block: tuple[int, ...]) -> None:
    threads = tuple(var(f"t{k}", size) for k, size in enumerate(block))
    flat = np.arange(int(np.prod(block)))
    numbers, rest = {}, flat
    for t, size in zip(threads, block, strict=True):
        numbers[t], rest = rest % size, rest // size
    for lane in (0, 1, 5, 31, 33, 37, 63):
        there = flat // 64 * 64 + lane
        named = Wave(64, (), threads).threads_at(const(lane))
        found = {t: np.broadcast_to(array([e], numbers)[0], flat.shape) for t, e in named.items()}
        inside = there < flat.size
        assert (found.get(HAS_THREAD, 1) == inside).all()
        assert (HAS_THREAD in found) == (block in PARTLY)
        for t in threads:
            assert (found.get(t, numbers[t])[inside] == numbers[t][there[inside]]).all()
