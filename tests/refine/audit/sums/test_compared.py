"""Sums that kernels of the corpus compute, over the reals; and kernels that compute others."""

import time

import pytest

from layoutalg.errors import DeviceError
from layoutalg.formats.spec import loads
from layoutalg.index import budget
from layoutalg.prove import Limits, holds
from layoutalg.refine.audit.launched import Launched
from layoutalg.refine.audit.loops import FoundLoops
from layoutalg.refine.audit.sums.compared import Sums, whole
from layoutalg.refine.audit.sums.wanted_sum import WantedSum
from layoutalg.refine.loops.execution import SymbolicExecution
from layoutalg.refine.symbolic.machine import SymbolicMachine
from layoutalg.refine.values.uninterpreted import UninterpretedFunctions
from tests.foreign.corpus import HERE, WRONG, Broken
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS

BLOCK = "o[b] = sum[k < {0}] where(b * {0} + k < N, x[b * {0} + k], 0)"
PRODUCT, TRANSPOSED = "c[i, j] = sum[k] a[i, k] * b[k, j]", "c[i, j] = sum[k] f32(a[i, k]) * f32(b[j, k])"
EQUATIONS = {
    "reduce_tree": BLOCK.format(256),
    "reduce_interleaved": BLOCK.format(128),
    "matmul_tiled": PRODUCT,
    "matmul_f64": PRODUCT,
    "matmul_f16": "c[i, j] = f16(sum[k] f32(a[i, k]) * f32(b[k, j]))",
    "mfma_f16_16x16": TRANSPOSED,
    "mfma_bf16_32x32": TRANSPOSED,
    "mfma_f32_32x32": "c[i, j] = sum[k] a[i, k] * b[j, k]",
    "wmma_f16_16x16": TRANSPOSED,
}


def shown(name, target, edit=None, equation=""):
    """Whether each element that a kernel stores is shown to be what its equation says."""
    kernel = KERNELS[name]
    text = (HERE / "launch" / f"{name}.toml").read_text()
    file = loads(text.replace("\nwrites", f"\ncomputes = ['{equation or EQUATIONS[name]}']\nwrites"))
    code = machine_code(kernel, target, source=kernel.edited(Broken("an edit", *edit, WRONG)) if edit else "")
    launched, loops = Launched.of(code.kernel, file), FoundLoops()
    sizes = {"lds": 1, **{tensor: one.element for tensor, one in launched.tensors.items()}}

    def shows(question):
        return bool(holds(question, Limits(steps=500_000, choices=8)))

    machine = SymbolicMachine(
        code, launched.arguments, launched.blocks, launched.threads, launched.given, sizes, lambda goal, given: False,
        UninterpretedFunctions(),
    )  # fmt: skip
    (equation,) = file.launch.computes
    with budget.within(50):
        try:
            SymbolicExecution(machine, loops.execute, time.monotonic() + 50).run()
            sums, wanted = Sums(launched, file, machine.trace, loops), WantedSum(launched, file, equation)
            stores = list(whole(machine.trace, equation.tensor, launched.tensors[equation.tensor].element))
            asked = [question for store in stores for question in sums.questions(store, wanted, shows)]
            return bool(stores) and all(map(shows, asked))
        except DeviceError:
            return False


def test_a_product_through_lds_and_a_loop():
    assert shown("matmul_tiled", "gfx942")
    assert not shown("matmul_tiled", "gfx942", ("i < TILE; ++i", "i < TILE / 2; ++i"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EQUATIONS)
@pytest.mark.parametrize("target", ["gfx942", "gfx1201"])
def test_sums_of_the_corpus(name, target):
    if target in KERNELS[name].targets:
        assert shown(name, target)


CHEATS = {
    "matmul_tiled": (
        ("l + tx < k ?", "l + tx < k - 1 ?"),
        ("sum += left[ty][i] * right[i][tx];", "sum += left[ty][i] * right[i][tx] + (i == 3 ? left[ty][3] : 0.0f);"),
        ("right[i][tx]", "right[i ^ 1][tx]"),
        ("left[ty][i] * right", "left[ty ^ 1][i] * right"),
        ("float sum = 0.0f", "float sum = 1.0f"),
        ("row < m && l + tx < k ? a[row * k + l + tx] : 0.0f", "row < m && l + tx < k ? a[row * k + l + tx] : 1.0f"),
    ),
    "reduce_tree": (
        ("half = 128;", "half = 64;"),
        ("half > 0", "half > 1"),
        ("i < n ? x[i] : 0.0f", "i < n ? x[i] * (t == 7 ? 2.0f : 1.0f) : 0.0f"),
        ("i < n ? x[i]", "i < n - 1 ? x[i]"),
        ("x[i] : 0.0f", "x[i & ~1] : 0.0f"),
        ("= partial[0]", "= partial[1]"),
    ),
    "mfma_f16_16x16": (
        ("(const halfx4*)(right + l)", "(const halfx4*)(right)"),
        ("(blockIdx.y * 16 + row) * k", "(blockIdx.y * 16 + (row ^ 1)) * k"),
        ("l += 16", "l += 32"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEATS)
def test_other_sums_are_not_shown(name):
    assert not [edit for edit in CHEATS[name] if shown(name, "gfx942", edit)]


@pytest.mark.slow
def test_other_equations_are_not_shown():
    others = (
        "c[i, j] = sum[k < K - 1] a[i, k] * b[k, j]",
        "c[i, j] = sum[k] a[i, k] * b[k, i]",
        "c[i, j] = sum[k] a[i, k] * b[k, j] + a[i, 0]",
        "c[i, j] = sum[k] a[i, k]",
        "c[i, j] = 2 * sum[k] a[i, k] * b[k, j]",
    )
    assert not [one for one in others if shown("matmul_tiled", "gfx942", equation=one)]
