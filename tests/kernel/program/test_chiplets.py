"""The order of blocks on chiplets: one to one for any number of blocks, and neighbours of the grid on one chiplet."""

import pytest

from layoutalg.index import as_expr
from layoutalg.kernel.program.chiplets import chiplet_order


@pytest.mark.parametrize("chiplets", [1, 2, 3, 6, 8])
def test_every_chiplet_has_neighbours_and_every_block_is_taken_once(chiplets: int) -> None:
    for blocks in range(1, 4 * chiplets + 3):
        order = [int(chiplet_order(as_expr(b), as_expr(blocks), chiplets).lo) for b in range(blocks)]
        assert sorted(order) == list(range(blocks))
        for chiplet in range(min(chiplets, blocks)):
            own = order[chiplet::chiplets]
            assert own == list(range(own[0], own[0] + len(own)))
