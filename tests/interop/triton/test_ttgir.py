"""Triton's GPU IR: what lies in shared memory, who meets it, what is passed over, and where a file is wrong."""

from pathlib import Path

import pytest

from layoutalg.interop.triton.ttgir import LineError, ttgir

MODULES = Path(__file__).parent / "modules"
HEAD = """#r = #ttg.slice<{dim = 0, parent = #b}>
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [1, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
"""


@pytest.mark.parametrize(
    ("name", "loads", "stores", "passed"),
    [("gfx90a", 4, 4, []), ("gfx942", 4, 4, []), ("gfx950", 4, 0, [4, 1]), ("gfx1201", 4, 4, [])],
)
def test_a_products_accesses_are_found(name: str, loads: int, stores: int, passed: list[int]) -> None:
    """Two tiles, through a pipelined loop: before it, in it and after it."""
    module = ttgir((MODULES / f"product-{name}.ttgir").read_text())
    assert module.target == f"hip:{name}"
    assert (module.lanes, module.warps) == (32 if name == "gfx1201" else 64, 4)
    assert len(module.allocations) == 2
    ways = [one.way for one in module.accesses]
    assert (ways.count("read"), ways.count("write")) == (loads, stores)
    assert {one.root for one in module.accesses} == set(module.allocations)
    kinds = ["ttg.async_copy_global_to_local", "ttg.convert_layout"]
    assert [what for _, what, _ in module.passed] == [kinds[n] for n, count in enumerate(passed) for _ in range(count)]


def test_aliases_stand_for_parts_of_others_in_any_order() -> None:
    text = HEAD + "%0 = ttg.local_alloc %x : (tensor<64xf32, #r>) -> !ttg.memdesc<64xf32, #s, #smem>"
    (one,) = ttgir(text).accesses
    assert str(one.registers.layout).startswith("#ttg.slice<{dim = 0, parent = #ttg.blocked<")


def test_parts_and_other_ways_are_passed_over_by_name() -> None:
    text = (
        HEAD
        + """%1 = ttg.local_load %0 : !ttg.memdesc<16xf32, #s, #smem, mutable, 64> -> tensor<16xf32, #r>
    %2 = ttng.warp_group_dot %0 : !ttg.memdesc<64xf32, #s, #smem> -> tensor<64xf32, #r>
    %3 = ttg.local_load %0 : !ttg.memdesc<64xf32, #s, #smem> -> tensor<64xf32>
    ttg.local_dealloc %0 : !ttg.memdesc<64xf32, #s, #smem>"""
    )
    found = ttgir(text)
    assert found.accesses == ()
    assert [(line - 4, why) for line, _, why in found.passed] == [
        (1, "it meets a part of a tile of 64, whose place is not followed"),
        (2, "it reaches shared memory in a way of its own"),
        (3, "its types state no layout"),
    ]


BAD = {
    HEAD.replace("dim = 0", "dim = ]"): (1, "a value is wanted, not ']'"),
    "#a = #ttg.slice<{dim = 0, parent = #a}>": (1, "nothing says what #a stands for"),
    HEAD + "%1 = ttg.local_load %0 : !ttg.memdesc<64xf32": (5, "a bracket is not closed"),
    HEAD + f"%1 = ttg.local_load %0 : !ttg.memdesc<{'9' * 40}xf32, #s, #smem>": (5, "a length is too large"),
    HEAD + "%1 = tt.load %0 : tensor<64xf32, #ttg.blocked<{]>>": (5, "a field's name is wanted"),
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_is_told_by_its_line(text: str) -> None:
    line, reason = BAD[text]
    with pytest.raises(LineError, match=reason) as told:
        ttgir(text)
    assert told.value.line == line
    assert len(str(told.value).splitlines()) == 1
