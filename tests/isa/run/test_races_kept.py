"""What is noted of accesses later, or of the first block for all, is what is noted of each at once."""

import numpy as np
import pytest

from layoutalg.errors import Fault
from layoutalg.isa.run.races import Races, Synchronised

BLOCKS, WAVES, SIZE, COUNTER = 3, 2, 64, "lgkm"


def synchronised():
    return Synchronised(BLOCKS * WAVES, WAVES, (COUNTER,), first=5)


def pass_barrier(state, ticket):
    """All waves, with all accesses up to a ticket complete."""
    everyone = np.ones(BLOCKS * WAVES, bool)
    state.arrive(everyone, {COUNTER: np.full(BLOCKS * WAVES, ticket)})
    state.release(everyone, np.zeros(BLOCKS * WAVES, np.int64))


def notes(races):
    races._note()
    return [races.writer, races.ticket, races.readers.who, races.readers.epoch]


def alike(one, other):
    return all(np.array_equal(a, b) for a, b in zip(notes(one), notes(other), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_what_all_blocks_do_alike_is_noted_of_the_first_and_spread(seed):
    first, each = (Races(str, BLOCKS * SIZE, 4, WAVES, COUNTER) for _ in range(2))
    state, rng = synchronised(), np.random.default_rng(seed)
    for step in range(12):
        count = int(rng.integers(1, 8))
        at = np.sort(rng.choice(SIZE // 4, count, replace=False)) * 4
        waves = rng.integers(0, WAVES, count)
        positions = np.concatenate([at + block * SIZE for block in range(BLOCKS)])
        rows = np.concatenate([waves + block * WAVES for block in range(BLOCKS)])
        for races, some in ((first, count), (each, len(rows))):
            how = positions[:some], 4, rows[:some]
            if step % 3 == 1:
                races.write(*how, np.full(some, step), state, str, "here")
            else:
                races.read(*how, state, str, "here")
        assert state.alike
        if step % 3 != 2:  # several waves read at once, and again
            pass_barrier(state, step)
    assert not alike(first, each)
    first.spread(BLOCKS, SIZE)
    assert alike(first, each)


def test_blocks_that_differ_in_one_wave_are_not_alike():
    state = synchronised()
    assert state.alike
    state.make_aware(np.array([3]))
    assert not state.alike
    for what in ("signals", "waits"):
        state = synchronised()
        assert state.alike
        one = np.arange(BLOCKS * WAVES) == 4
        state.arrive(one, {}) if what == "signals" else state.release(one, np.zeros(BLOCKS * WAVES, np.int64))
        assert not state.alike


def test_reads_that_are_kept_are_noted_before_a_write():
    """Of a region that nobody changed until then, and of that only."""
    kept, at_once = (Races(str, 4 * SIZE, 4, WAVES, COUNTER, (0, 2 * SIZE)) for _ in range(2))
    state, rng = synchronised(), np.random.default_rng(2)
    at_once.changed = {0, 1}
    for _ in range(9):
        positions, rows = rng.integers(0, SIZE, 20) * 4, np.sort(rng.integers(0, BLOCKS * WAVES, 20))
        for races in (kept, at_once):
            races.read(positions, 4, rows, state, str, "here")
        if rng.random() < 0.3:
            pass_barrier(state, 0)
    assert kept.kept
    assert (kept.readers.who == -1).all()
    assert alike(kept, at_once)


def test_a_write_to_what_another_block_read_before_is_a_race():
    races, state = Races(str, 4 * SIZE, 4, WAVES, COUNTER, (0, 2 * SIZE)), synchronised()
    here, there = np.array([8]), np.array([2 * SIZE + 8])
    races.read(here, 4, np.array([0]), state, str, "here")
    races.write(there, 4, np.array([5]), np.array([1]), state, str, "there")
    assert races.changed == {1}
    with pytest.raises(Fault, match="another block read"):
        races.write(here, 4, np.array([5]), np.array([1]), state, str, "here")
    with pytest.raises(Fault, match="another block wrote"):
        races.read(there, 4, np.array([0]), state, str, "there")
