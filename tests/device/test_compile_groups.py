"""Cooperative groups, carried out: what each thread reads of its group is what the group's definition says."""

from pathlib import Path

import numpy as np
import pytest

from layoutalg.device import CompileError, compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

SOURCE = Path(__file__).parent / "features" / "groups.hip"
WAVES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
REFUSED = {
    "this_grid().sync();": "'sync' is unavailable: layoutalg: no barrier over the grid",
    "this_grid().is_valid();": "'is_valid' is unavailable: layoutalg: no barrier over the grid",
    "this_multi_grid().sync();": "'this_multi_grid' is unavailable: layoutalg: no barrier over the grid",
    "tiled_partition<12>(this_thread_block());": "a tile has a power of two of threads",
    "tiled_partition<128>(this_thread_block());": "a tile has no more threads than a wave",
}


@pytest.fixture(scope="module")
def run():
    """The outputs of a kernel of these, by its name; each target is compiled for once."""
    compiled = {}

    def outputs(target, name, grid, block, arguments):
        if target not in compiled:
            compiled[target] = read_kernels(compile_source(SOURCE.read_text(), target).payload)
        return execute(decode_kernel(compiled[target][name]), [grid], [block], arguments).outputs

    return outputs


def numbers(many):
    return np.random.default_rng(1).integers(0, 1000, many).astype(np.int32)


TARGETS = pytest.mark.parametrize("target", each(WAVES, "gfx942", "gfx1100"))


@TARGETS
def test_a_block_sums_through_lds(run, target):
    x = numbers(3 * 64)
    o = run(target, "blocks", 3, 64, [x, np.zeros(3, np.int32)])[1]
    assert (o == x.reshape(3, 64).sum(1)).all()


@TARGETS
def test_tiles(run, target):
    n, size = 64, 16
    x = numbers(n)
    found = run(target, "tiles", 1, n, [x, np.zeros((n, 12), np.int32)])[1].T
    of = x.reshape(-1, size)
    thread, rank = np.arange(n), np.arange(n) % size
    assert (found[0] == of.sum(1).repeat(size)).all()
    assert (found[1] == rank).all()
    assert (found[2] == thread // size * 100 + n // size).all()
    assert (found[3] == x[thread ^ 5]).all()
    assert (found[4] == x[np.where(rank >= 3, thread - 3, thread)]).all()
    assert (found[5] == ((of & 1) << np.arange(size)).sum(1).repeat(size)).all()
    assert (found[6] == ((of > 900).any(1) * 10 + (of < 900).all(1)).repeat(size)).all()
    alike = of[:, :, None] % 3 == of[:, None, :] % 3
    assert (found[7] == (alike << np.arange(size)).sum(2).ravel()).all()
    same_parity = of[:, :, None] & 1 == of[:, None, :] & 1
    before = same_parity & (np.arange(size) < np.arange(size)[:, None])
    assert (found[8] == (same_parity.sum(2) * 100 + before.sum(2)).ravel()).all()
    assert (found[9] == 0xFFFF * 10 + 1).all()
    assert (found[10] == size).all()
    assert (found[11] == of[:, 2].repeat(size)).all()


@TARGETS
def test_tiles_of_a_size_that_the_program_computes(run, target):
    """The last tile of a block that no tile fills has what is left."""
    found = run(target, "tiles_computed", 1, 44, [np.zeros((44, 2), np.int32), 16])[0].T
    for row, tile in zip(found, (16, 8), strict=True):
        thread = np.arange(44)
        assert (row == np.minimum(tile, 44 - thread // tile * tile) * 100 + thread % tile).all()


@TARGETS
def test_lanes_that_are_active_together(run, target):
    x = numbers(2 * WAVES[target])
    found = run(target, "lanes", 1, len(x), [x, np.zeros((len(x), 8), np.int32)])[1]
    for first in range(0, len(x), WAVES[target]):
        members = [i for i in range(first, first + WAVES[target]) if x[i] % 3]
        values, size = x[members], len(members)
        for rank, i in enumerate(members):
            tile = members[rank // 4 * 4 : rank // 4 * 4 + 4]
            assert found[i].tolist() == [
                size * 100 + rank,
                values[1],
                values[rank + 2] if rank + 2 < size else x[i],
                values[rank - 2] if rank >= 2 else x[i],
                (values & 1).sum(),
                (values == x[0]).any() * 10 + 1,
                len(tile) * 1000 + rank // 4 * 10 + rank % 4,
                x[tile[0]],
            ]
    assert not found[x % 3 == 0].any()


@TARGETS
def test_a_leader_counts_for_its_group(run, target):
    x = numbers(4 * 64) - 500
    _, count, o = run(target, "leader", 4, 64, [x, np.zeros(1, np.int32), np.zeros(4 * 64, np.int32)])
    assert count[0] == (x > 0).sum()
    assert sorted(o[: count[0]]) == sorted(x[x > 0])


@TARGETS
def test_the_grid_by_its_numbers(run, target):
    assert (run(target, "of_grid", 5, 64, [np.zeros(4096, np.float32)])[0] == np.arange(4096)).all()


@pytest.mark.parametrize("statement", REFUSED)
def test_what_no_group_can_do_is_refused_by_name(statement):
    source = "#include <hip/hip_cooperative_groups.h>\n__global__ void k() {{ cooperative_groups::{} }}\n"
    source = source.format(statement.replace("(this_", "(cooperative_groups::this_"))
    with pytest.raises(CompileError, match=REFUSED[statement]):
        compile_source(source, "gfx942")
