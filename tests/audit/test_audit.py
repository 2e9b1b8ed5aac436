"""Kernels that know nothing of us, audited: safe ones are proved, and nothing that a run shows to be unsafe is."""

from dataclasses import replace

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.errors import DeviceError, LaunchError
from layoutalg.formats.spec import loads
from layoutalg.launch.contents import at_sizes, holds_in
from tests.foreign.corpus import HERE, TARGETS, WRONG, Kernel, Sizes
from tests.foreign.running import binary, launched, machine_code
from tests.foreign.table import KERNELS
from tests.foreign.test_corpus import shown
from tests.matrix import all_hold, each, parts, some

#: Of each kind of code one: a guard, a stride, LDS, a tree, halos, a loop over tiles, a matrix unit.
PROVED = (
    "copy_plain", "copy_strided_rows", "stencil_1d", "transpose_padded", "reduce_tree", "matmul_tiled",
)  # fmt: skip

#: Faults that the claims speak of.
UNSAFE = {"address", "race", "collision", "barrier", "uninitialised", "alignment", "read_only", "wait"}


def audited(name: str, target: str, opt_level: int = 3, source: str = "", seconds: float = 30) -> Audit:
    kernel = KERNELS[name]
    return audit(machine_code(kernel, target, opt_level, source), kernel.launch, seconds)


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
@pytest.mark.parametrize("name", some(PROVED, 2))
def test_a_safe_kernel_is_proved_for_all_sizes(name: str, target: str) -> None:
    found = audited(name, target)
    assert found.proved, found.failures
    assert {"launchable", "followed", "in_bounds", "race_free"} <= {claim for claim, _, _ in found.claims}
    assert any(text.startswith("sizes: ") for text in found.assumptions)


@pytest.mark.parametrize(("name", "broken", "claim"), [
    ("copy_plain", "off by one", "in_bounds"), ("transpose_strided", "no barrier", "race_free"),
    ("negate_by_struct", "swapped", "read_only"),
    pytest.param("transpose_padded", "write guard", "runs", marks=pytest.mark.slow),
    pytest.param("reverse_in_lds", "LDS size", "lds_in_bounds", marks=pytest.mark.slow),
    pytest.param("matmul_tiled", "read guard", "in_bounds", marks=pytest.mark.slow),
])  # fmt: skip
def test_an_unsafe_kernel_is_refuted_by_a_run(name: str, broken: str, claim: str) -> None:
    edit = next(one for one in KERNELS[name].broken if one.name == broken)
    found = audited(name, "gfx942", source=KERNELS[name].edited(edit))
    assert found.name == "refuted"
    refuted = [verdict for said, _, verdict in found.claims if said == claim and verdict.name == "refuted"]
    assert refuted, found.failures
    assert any(kind in refuted[0].reason for kind in UNSAFE)


def test_contents_that_become_addresses_are_assumed() -> None:
    lines = (HERE / "launch" / "gather.toml").read_text().splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith(("assume", "computes")))
    code = machine_code(KERNELS["gather"], "gfx942")
    assert audit(code, loads(text)).name == "refuted"  # any index may be there
    inside = audit(code, loads(text + 'assume = ["0 <= index[i] <= V - 1"]\n'))
    assert inside.proved, inside.failures
    assert "0 <= index[i] <= V - 1" in inside.assumptions
    one_too_far = audit(code, loads(text + 'assume = ["0 <= index[i] <= V"]\n'))
    assert one_too_far.name == "refuted"


def test_a_launch_that_is_not_the_kernels_is_refused() -> None:
    code = machine_code(KERNELS["copy_plain"], "gfx942")
    with pytest.raises(LaunchError, match="takes"):
        audit(code, KERNELS["saxpy"].launch)


def no_unsafe_variant_is_proved(name: str) -> None:
    """A variant that faults in a run, or whose threads get in each other's way, is never proved.

    What it shows is said of gfx942 (waves of 32 may write what waves of 64 leave out): of others a run says it.
    """
    kernel = KERNELS[name]
    for target in ("gfx942", "gfx1201"):
        for broken in kernel.broken:
            if target not in kernel.targets or broken.shows not in UNSAFE:
                continue
            try:
                found = audited(name, target, source=kernel.edited(broken), seconds=5)
            except DeviceError:
                continue
            if not found.proved:
                continue
            sizes = [at for at in broken.sizes or kernel.sizes if admitted(kernel, target, at)]
            if not sizes:
                continue  # it goes wrong only with contents that the launch rules out
            faults = target == "gfx942" or any(shown(kernel, target, broken, at) in UNSAFE for at in sizes)
            assert not faults, (target, broken.name)


@pytest.mark.slow
@pytest.mark.usefixtures("until_open")
@pytest.mark.parametrize("part", parts(14))
def test_nothing_unsafe_is_proved(part: slice) -> None:
    all_hold([*KERNELS][part], no_unsafe_variant_is_proved)


@pytest.mark.usefixtures("until_open")
def test_what_is_safe_is_proved_where_nothing_more_is_asked_once_a_claim_is_open() -> None:
    assert audited("copy_plain", "gfx950").proved


def admitted(kernel: Kernel, target: str, sizes: Sizes) -> bool:
    """Whether the contents with which a kernel is run are what its launch assumes."""
    _, before = launched(kernel, binary(kernel, target).metadata, sizes)
    assert kernel.launch.launch
    at = {symbol: sizes[name] for name, symbol in kernel.launch.symbols.items() if name in sizes}
    assumed = (at_sizes(one, at) for one in kernel.launch.launch.assume if one.elements and not one.values)
    return all(holds_in(one, before) for one in assumed if before.keys() >= {*one.tensors})


def test_what_is_wrong_and_safe_no_unsafe_variant_is_proved() -> None:
    """The claims speak of safety: another result is no fault of it."""
    kernel = KERNELS["saxpy"]
    edit = next(one for one in kernel.broken if one.shows == WRONG)
    code = machine_code(kernel, "gfx942", source=kernel.edited(edit))
    launch = kernel.launch.launch
    assert launch
    assert audit(code, replace(kernel.launch, launch=replace(launch, computes=())), 30).proved
    assert audit(code, kernel.launch, 30).name == "refuted"
