"""Sets of lanes known in part: what an operation makes of them holds of each pair of masks that they may be."""

from itertools import product

import numpy as np
import pytest

from layoutalg.hazards.lane_sets import LaneSet, LaneSetValues
from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.scalar import MASKS

#: Of one lane: surely off, surely on, either.
KNOWN = ((False, False), (True, True), (False, True))


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("name", sorted(MASKS[32].keys() | MASKS[64].keys()))
def test_the_result_is_between_the_bounds_for_every_mask_between_them(name: str, lanes: int) -> None:
    alu = MASKS[lanes].get(name)
    if alu is None:
        return
    sources = [token for token in alu.reads if token != "scc"]
    cases = [*product(KNOWN, repeat=len(sources))]
    given = np.array([[*case] for case in cases] + [[KNOWN[0]] * len(sources)] * (lanes - len(cases)))
    least, most = given[..., 0], given[..., 1]
    values = LaneSetValues(lanes)
    sets = [LaneSet(least[None, None, None, :, k], most[None, None, None, :, k]) for k in range(len(sources))]
    bounds = done(alu, values, sets, values.any)
    for picked in product((False, True), repeat=len(sources)):
        masks = np.where(picked, most, least)
        words = [LaneSet(*[masks[None, None, None, :, k]] * 2).bits(lanes) for k in range(len(sources))]
        for scc in (False, True):
            results = done(alu, ArrayValues(), words, np.full((1, 1, 1, 1), scc))
            for token, bound, result in zip(alu.writes, bounds, results, strict=True):
                if token != "scc":
                    is_one = LaneSet.of_bits(result).most
                    assert not (bound.least & ~is_one | is_one & ~bound.most).any(), (name, token)


def done(alu, values, words, scc):
    given = iter(words)
    made = alu.effect(values, *(scc if token == "scc" else next(given) for token in alu.reads))
    return made if len(alu.writes) > 1 else [made]
