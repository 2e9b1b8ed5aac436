"""Defects in proofs/defects/ that are said to be CK's own code are what the compiler builds of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutalg.ck import instances
from layoutalg.ck.space import named
from layoutalg.device.constants import constants
from layoutalg.formats import load, loads
from layoutalg.formats.check import check
from layoutalg.formats.ck_structure import layout
from tests.composable_kernel import composable_kernel
from tests.matrix import turns

INCLUDE = composable_kernel() / "include"
DEFECTS = Path(__file__).parents[2] / "proofs" / "defects"

EPILOGUE = '''
[cpp]
headers = ["ck_tile/core.hpp", "ck_tile/ops/gemm.hpp", "ck_tile/ops/epilogue.hpp"]
target = "gfx942"
prelude = """
using namespace ck_tile;
template <index_t m>
using Epilogue = CShuffleEpilogue<
    CShuffleEpilogueProblem<half_t, half_t, tuple<>, float, half_t, tuple<>, tensor_layout::gemm::RowMajor,
                            element_wise::PassThrough, m, 64, 4, 1, 16, 16, 16, false, memory_operation_enum::set>>;
template <index_t m>
using Window = sequence<Epilogue<m>::MPerIterationShuffle, Epilogue<m>::NPerIterationShuffle>;
"""

[[distribution]]
name = "stored_of_192_rows"
cpp = "Epilogue<192>::MakeLdsDistributionEncode()"
window = { cpp = "Window<192>{}" }
expect = "refused"
because = "window dimension 0 has length 64, but Hs[0] multiplies to 128"

[[distribution]]
name = "stored_of_256_rows"
cpp = "Epilogue<256>::MakeLdsDistributionEncode()"
window = { cpp = "Window<256>{}" }
claims = ["bijective"]

[[distribution]]
name = "operand"
cpp = "WarpGemmDispatcher<half_t, half_t, float, 16, 16, 16, false>{}"
operand = "c"
window = [16, 16]
claims = ["bijective"]
'''


@pytest.mark.slow
def test_the_epilogues_stores_do_not_fit_its_window_by_cks_own_words() -> None:
    """rocm-libraries#9684: in a spec file, the window's lengths are CK's as the distribution is."""
    results = list(check(loads(EPILOGUE, "epilogue.toml", compiled=constants, include=(INCLUDE,))))
    assert len(results) == 3
    assert all(result.passed for result in results), [str(result.verdict) for result in results]


@pytest.mark.parametrize(
    ("target", "name"), turns([("gfx942", "two_rows_of_32_banks"), ("gfx950", "four_rows_of_64_banks")])
)
def test_layouts_with_conflicts_are_cks(target: str, name: str) -> None:
    one = named("64x64x32_2x2x1_16x16x16", "fp16", "rcr")
    found = constants(instances.unit(target, [INCLUDE]), {"pipeline": instances.pipeline(one)})["pipeline"]
    kept = load(DEFECTS / "conflicts.toml").descriptor(name).descriptor
    theirs = layout(found[0])
    assert kept.element_space_size == theirs.element_space_size
    assert all(kept.offset((i, j)) == theirs.offset((i, j)) for i in range(64) for j in range(32))
