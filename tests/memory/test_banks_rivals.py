"""benchmarks/banks: the accesses on which models of the LDS differ, and the kernels that execute them."""

import json
import sys
from pathlib import Path

import pytest

from layoutalg.device.compile import compile_to_assembly
from layoutalg.memory.banks import conflicts
from layoutalg.target import target, target_names

FOLDER = Path(__file__).parents[2] / "benchmarks" / "banks"
RIVALS = json.loads((FOLDER / "rivals.json").read_text())


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("kernels", "rivals"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_every_dispute_has_accesses_that_settle_it() -> None:
    disputed = {
        (name, i.access, i.bytes) for name in target_names() for rivals in target(name).rivals.values() for i in rivals
    }
    assert {(one["target"], one["access"], one["bytes"]) for one in RIVALS} == disputed


@pytest.mark.parametrize("one", RIVALS, ids=lambda one: f"{one['target']} {one['instruction']} {one['places']}")
def test_the_models_differ_on_it_by_what_is_written(one: dict) -> None:
    gpu = target(one["target"])
    own, rivals = gpu.instruction(one["instruction"]), gpu.rivals[one["instruction"]]
    assert int(conflicts(gpu, own, one["addresses"])) == one["conflicts"]["data"]
    assert one["conflicts"]["rival"] in [int(conflicts(gpu, rival, one["addresses"])) for rival in rivals]
    assert one["conflicts"]["data"] != one["conflicts"]["rival"]


@pytest.mark.slow
@pytest.mark.usefixtures("benchmarks")
def test_the_search_finds_them_again() -> None:
    import rivals

    assert json.loads(json.dumps(rivals.all_of_them())) == RIVALS


@pytest.mark.parametrize(
    "name", ["gfx950", *(pytest.param(n, marks=pytest.mark.slow) for n in ("gfx90a", "gfx942", "gfx1201", "gfx1250"))]
)
@pytest.mark.usefixtures("benchmarks")
def test_the_kernels_compile_to_the_instructions(name: str) -> None:
    import kernels

    lanes = target(name).wave_size
    source = '#include "layoutalg_device.h"\n' + kernels.device_code("hip", lanes, 'extern "C" ')
    text = compile_to_assembly(source, name)
    for kernel in kernels.KERNELS["hip"]:
        names = {kernel.instruction, kernel.instruction.replace("read", "load").replace("write", "store")}
        assert any(f"\t{one} " in text for one in names), kernel.instruction
