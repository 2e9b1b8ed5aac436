"""A file of Triton's GPU IR is checked: the shared tiles of a product, free of conflicts on the target it is for."""

from itertools import product
from pathlib import Path

import pytest

from layoutalg.errors import SpecError
from layoutalg.formats.check import check
from layoutalg.formats.model import AccessItem
from layoutalg.formats.ttgir import load, loads
from layoutalg.index.evaluate import values
from layoutalg.interop.triton import linear_layout
from layoutalg.interop.triton.ttgir import ttgir

MODULES = Path(__file__).parent.parent / "interop" / "triton" / "modules"


def refuted(name: str, *targets: str) -> list[str]:
    return [f"{r.item.name}: {r.claim}" for r in check(load(MODULES / f"product-{name}.ttgir", targets)) if not r]


def test_tritons_product_for_gfx942_is_free_there_and_not_on_gfx950() -> None:
    assert refuted("gfx942") == []
    found = refuted("gfx942", "gfx942", "gfx950")
    assert len(found) == 2
    assert all(one.startswith("load of ") and one.endswith(": conflict_free") for one in found)


def test_loads_that_may_transpose_are_not_priced() -> None:
    file = load(MODULES / "product-gfx950.ttgir")
    assert {one.reason for one in file.unchecked if one.name.startswith("load of")} == {
        "gfx950 may read it by an instruction that transposes, whose banks no source says"
    }
    assert [r.verdict.name for r in check(file)] == ["proved"] * 10


@pytest.mark.parametrize("name", ["gfx90a", "gfx942", "gfx1201"])
def test_accesses_are_as_wide_as_the_machine_codes_instructions(name: str) -> None:
    """Every width that a load or store of ours has stands in the machine code (where a pair may be one instruction)."""
    path = MODULES / f"product-{name}.ttgir"
    said = path.read_text().splitlines()[0]
    for item in load(path).items:
        if isinstance(item, AccessItem):
            way = {"read": ("ds_read", "ds_load"), "write": ("ds_write", "ds_store")}[item.instruction or ""]
            bits = item.width * 16
            kind = f"u{bits}" if item.instruction == "read" and bits < 32 else f"b{bits}"
            assert any(f"{one}{more}_{kind}" in said for one in way for more in ("", "2st64", "2")), item.name


def test_lanes_reach_what_the_register_layout_holds() -> None:
    """Each element of each lane, register and warp: the index formulas against the bases."""
    text = (MODULES / "product-gfx942.ttgir").read_text()
    accesses = {one.line: one for one in ttgir(text).accesses}
    for item in loads(text, "product").items:
        if isinstance(item, AccessItem):
            one = accesses[item.line or 0]
            held = linear_layout(one.registers.layout, one.registers.shape).without_copies()
            wanted = {
                tuple(held.apply(register=r, lane=lane, warp=w).values())
                for r in range(held.places["register"]) for lane in LANES for w in range(4)
            }  # fmt: skip
            assert _reached(item, LANES) == wanted


LANES = (0, 37)


def _reached(item: AccessItem, lanes: tuple[int, ...]) -> set[tuple[int, ...]]:
    assert item.element is not None
    free = [v for v in (item.element, *item.variables) if v.op == "var"]
    return {
        tuple(values(item.index, {item.lane: lane, **dict(zip(free, at, strict=True))}))
        for lane in lanes
        for at in product(*(range(int(v.hi) + 1) for v in free))
    }


BAD = {
    "#s = #ttg.swizzled_shared<{vec = }>": "f.ttgir:1:34: a value is wanted, not '}'",
    "module {}": "f.ttgir: the module says no ttg.target: give one with --target, e.g. --target gfx942",
    'module attributes {ttg.target = "hip:gfx777"} {}': "f.ttgir: hip:gfx777 is a target that is not known",
}


@pytest.mark.parametrize("text", BAD)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SpecError) as told:
        loads(text, "f.ttgir")
    assert str(told.value).startswith(BAD[text])


def test_layouts_that_are_not_known_are_unchecked_by_name() -> None:
    text = """#n = #ttg.some_shared<{width = 128}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {ttg.target = "cuda:90"} {
  %0 = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #n, #ttg.shared_memory>
  %1 = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #n, #ttg.shared_memory, mutable>
}"""
    file = loads(text)
    assert file.items == ()
    assert [(one.line, one.reason.partition(";")[0]) for one in file.unchecked] == [
        (4, "some_shared: no shared layout of that name is known"),
        (5, "no load or store of it is looked at"),
    ]
