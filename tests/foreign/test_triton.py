"""Kernels that Triton compiled for five targets load, and do what numpy says, within what is stated."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.formats.spec import load, loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from tests.foreign.corpus import TARGETS
from tests.foreign.triton.table import BUILDS, KERNELS, philox
from tests.matrix import each

NAMES = [f"{kernel}-{target}" for kernel in KERNELS for target in TARGETS]

#: In the fast tests the families take turns.
FAST = ("gfx942", "gfx1201")
FAST_RUNS = [f"{kernel}-{FAST[n % 2]}" for n, kernel in enumerate(KERNELS) if n % 4 < 2]
RUNS = [one if one in FAST_RUNS else pytest.param(one, marks=pytest.mark.slow) for one in NAMES]


def _ran(name: str, sizes: Any) -> dict[str, Any]:
    """The results of a build, and what numpy says."""
    kernel = KERNELS[name.partition("-")[0]]
    file = load(BUILDS / f"{name}.toml")
    (binary,) = read_kernels((BUILDS / f"{name}.co").read_bytes()).values()
    launch = bound(file, binary.metadata, sizes, {}, kernel.values)
    done = execute(decode_kernel(binary), launch.grid, launch.block, launch.arguments, lds=launch.lds)
    given = {tensor: one.read(one.buffer.array) for tensor, one in launch.tensors.items()}
    wanted = kernel.reference(SimpleNamespace(**given, **sizes, **kernel.values))
    found = {one.name: one.read(memory) for one, memory in zip(launch.passed, done.outputs, strict=True)}
    return {tensor: (found[tensor], wanted[tensor]) for tensor in wanted}


def test_all_are_there() -> None:
    assert sorted(path.stem for path in BUILDS.glob("*.co")) == sorted(NAMES)
    assert sorted(path.stem for path in BUILDS.glob("*.toml")) == sorted(NAMES)


@pytest.mark.parametrize("name", RUNS)
def test_results_are_those_of_numpy(name: str) -> None:
    kernel = KERNELS[name.partition("-")[0]]
    for sizes in kernel.sizes:
        for found, wanted in _ran(name, sizes).values():
            assert kernel.tolerance.accepts(found, np.asarray(wanted).astype(found.dtype)), (sizes, found, wanted)


def test_philox_is_the_published_one() -> None:
    """The known answer of Random123's `kat_vectors` for philox4x32-10 of zeros."""
    assert philox(0, np.zeros(1, np.uint32))[0] == 0x6627E8D5


#: Kernels that are proved safe, for all sizes.
SAFE = ("add", "transpose", "row_sum", "softmax", "layer_norm", "dropout")
PROVED = [f"{kernel}-{target}" for kernel in SAFE for target in TARGETS]
QUICK = [f"{kernel}-{FAST[1]}" for kernel in ("add", "row_sum", "softmax")]

#: What is said of a launch → what is wrongly said in its place, and the claim that fails.
LIES = {
    "a row too many": ('grid = ["M", 1, 1]', 'grid = ["M + 1", 1, 1]', "in_bounds"),
    "a row whose end is another's": ('"N"], strides = ["N", 1]', '"N - 1"], strides = ["N - 1", 1]', "in_bounds"),
    "too little LDS": ("lds = ", "lds = 0 # ", "lds_in_bounds"),
    "nothing is written": ('writes = ["o"]', "writes = []", "read_only"),
}
FAST_LIES = ("a row too many",)


def _audited(name: str, old: str = "", new: str = "") -> Audit:
    (binary,) = read_kernels((BUILDS / f"{name}.co").read_bytes()).values()
    text = (BUILDS / f"{name}.toml").read_text()
    assert old in text
    return audit(decode_kernel(binary), loads(text.replace(old, new)))


@pytest.mark.parametrize("name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in PROVED])
def test_they_are_proved_safe(name: str) -> None:
    found = _audited(name)
    assert found.proved, [(claim, about, verdict.reason) for claim, about, verdict in found.claims if not verdict]


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
@pytest.mark.parametrize("lie", [x if x in FAST_LIES else pytest.param(x, marks=pytest.mark.slow) for x in LIES])
def test_a_launch_that_lies_is_refuted(lie: str, target: str) -> None:
    old, new, claim = LIES[lie]
    found = _audited(f"softmax-{target}", old, new)
    assert (claim, "refuted") in {(claim, verdict.name) for claim, _, verdict in found.claims}
