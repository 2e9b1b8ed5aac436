"""What the reader of C++ and the compiler both read of the policy headers of CK's ops is equal.

The reader is given what it asks for of `Problem`, with the values of one fp16 kernel (256 threads, 128 rows and
columns, matrix instructions of 32x32x8); the same values make a `Problem` of C++.  What only one of them reads is no
difference: the compiler has the real matrix instructions, the reader has no includes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from layoutalg.device.constants import constants
from layoutalg.errors import LayoutError, SpecError
from layoutalg.formats import DescriptorItem, DistributionItem, Item, offsets
from layoutalg.formats.ck_cpp import load
from layoutalg.formats.ck_structure import layout
from layoutalg.formats.cpp import CppError, CppUnit, CppUnitError
from layoutalg.layout import TensorDescriptor, TileDistribution
from tests.composable_kernel import composable_kernel

OPERAND = (
    "tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, tuple<sequence<2, 1>>, "
    "tuple<sequence<0, 0>>, sequence<2>, sequence<1>>{}"
)
RESULT = (
    "tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 4>, sequence<32>>, tuple<sequence<1, 2>>, "
    "tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>{}"
)
"""The fragments of v_mfma_f32_32x32x8_f16 as CK composes them from its lanes (kABKLane …): A and B, and C."""

WARP_GEMM = {
    "kM": "32", "kN": "32", "kK": "8", "AWarpDstrEncoding": OPERAND, "BWarpDstrEncoding": OPERAND,
    "CWarpDstrEncoding": RESULT, "WarpGemmAttribute::Impl::kM": "32", "WarpGemmAttribute::Impl::kN": "32",
}  # fmt: skip
VALUES = {
    **{f"{prefix}::{name}": value for prefix in ("WG", "WarpGemm") for name, value in WARP_GEMM.items()},
    "kBlockSize": "256", "kM": "128", "kN": "128", "kK": "32", "kM0": "128", "kN0": "128", "kN1": "128", "kK0": "32",
    "kK1": "32", "kK2": "32", "kK3": "32", "kK4": "32", "kQKHeaddim": "128", "kVHeaddim": "128",
    "kK0BlockLength": "128", "kMaxSplits": "128", "NumWarps": "4", "kNumWarps": "4", "MWarp": "4", "NWarp": "1",
    "MPerBlock": "128", "MNPerBlock": "128", "KPerBlock": "32", "KPack": "8", "KPackT": "8", "kAMLane": "32",
    "kABKLane": "2", "kCMLane": "2", "kCNLane": "32", "kCM0PerLane": "4", "kCM1PerLane": "4", "Repeat_M": "1",
    "Repeat_N": "2", "WarpPerBlock_M": "1", "WarpPerBlock_N": "4", "ThreadPerWarp_M": "1", "ThreadPerWarp_N": "64",
    "Vector_M": "1", "Vector_N": "8", "AsyncCopyK_": "true", "NumPrefetchK_": "3", "IsRotaryCosSinForQ": "true",
    **{f"Gemm{n}BlockWarps": "[4,1,1]" for n in range(5)}, **{f"Gemm{n}WarpTile": "[32,32,16]" for n in range(5)},
}  # fmt: skip
PROPOSED = re.compile(r"give -D ([\w:]+)=([^\s)]+)(?: \(or -D (\w+)=)?")
ROUNDS = 60
"""Each round gives what the one before asked for."""
TARGET = {"__gfx942__": "1"}
TYPES = {"DataType": "half_t", "Layout": "tensor_layout::gemm::RowMajor"}
FUNCTION = re.compile(r"template\s*<typename (\w+)>\s*CK_TILE_\w+\s+(?:static )?constexpr auto (\w+)\(\)")
STRUCT = re.compile(r"^struct (\w+)", re.MULTILINE)


def read(path: Path) -> tuple[list[Item], dict[str, str]]:
    """What the reader reads of a header, and the values of `Problem` that it was given for that."""
    given = dict(TARGET)
    for _ in range(ROUNDS):
        try:
            spec = load(path, given)
        except SpecError:
            return [], {}
        asked = [match for part in spec.unread if (match := PROPOSED.search(part.reason))]
        more = {m[1]: value(m[1], m[2]) for m in asked if m[1].startswith("Problem::") and m[1] not in given}
        if not more:
            break
        given |= more
    return list(spec.items), {name: value for name, value in given.items() if name not in TARGET}


def value(name: str, proposed: str) -> str:
    """The value of a member of `Problem`."""
    last = name.rpartition("::")[2]
    return next((kind for ending, kind in TYPES.items() if last.endswith(ending)), VALUES.get(last, proposed))


def problem(name: str, given: Mapping[str, str]) -> str:
    """A struct with the members that were given."""
    members: dict[str, Any] = {}
    for path, one in given.items():
        at = members
        *outer, last = path.split("::")[1:]
        for part in outer:
            at = at.setdefault(part, {})
        at[last] = one
    return f"struct {name} {{ {''.join(declared(members))} }};\n"


def declared(members: Mapping[str, Any]) -> Iterator[str]:
    for name, one in members.items():
        if isinstance(one, dict):
            yield f"struct {name} {{ {''.join(declared(one))} }};"
        elif one.startswith("["):
            yield f"using {name} = sequence<{one[1:-1]}>;"
        elif name == "RotaryEnum":
            yield f"static constexpr auto {name} = RotaryEmbeddingEnum::{one};"
        elif one in ("true", "false") or one.isdecimal():
            yield f"static constexpr {'index_t' if one.isdecimal() else 'bool'} {name} = {one};"
        else:
            yield f"using {name} = {one};"


def asked(path: Path, items: list[Item], stub: str) -> dict[str, str]:
    """The expression of each item that is a function of `Problem` alone."""
    text, found = path.read_text(), {}
    for match in FUNCTION.finditer(text):
        owners = STRUCT.findall(text[: match.start()])
        if owners and any(item.name == match[2] for item in items):
            found[match[2]] = f"{owners[-1]}::template {match[2]}<{stub}>()"
    return found


def equal(item: Item, told: Any) -> bool:
    """Whether a layout is the same: a descriptor's transforms or all of its offsets, a distribution's encoding."""
    if isinstance(item, DescriptorItem):
        if not isinstance(told, TensorDescriptor):
            return False
        same_space = item.descriptor.element_space_size == told.element_space_size
        return same_space and (item.descriptor.tuples == told.tuples or offsets(item.descriptor) == offsets(told))
    assert isinstance(item, DistributionItem)
    return isinstance(told, TileDistribution) and item.distribution == told


@pytest.mark.slow
def test_what_both_read_is_equal() -> None:
    include = composable_kernel() / "include"
    same, different, one_only = [], [], []
    for room in sorted(path for path in (include / "ck_tile" / "ops").iterdir() if path.is_dir()):
        prelude, expressions, items = "using namespace ck_tile;\n", {}, {}
        for n, path in enumerate(sorted(room.rglob("*policy*.hpp"))):
            found, given = read(path)
            prelude += problem(f"Problem_{n}", given)
            for name, expression in asked(path, found, f"Problem_{n}").items():
                key = f"{path.name}: {name}"
                expressions[key] = expression
                items[key] = next(item for item in found if item.name == name)
        if not expressions:
            continue
        headers = ("core", "host/kernel_launch", "ops/gemm", f"ops/{room.name}")
        try:
            compiled = constants(
                CppUnit("gfx942", tuple(f"ck_tile/{name}.hpp" for name in headers), (include,), prelude), expressions
            )
        except CppUnitError as problem_of_unit:
            one_only += [f"{key}: {problem_of_unit.error.reason}" for key in expressions]
            continue
        for key, said in compiled.items():
            if isinstance(said, CppError):
                one_only.append(f"{key}: {said.reason}")
                continue
            try:
                told = layout(said)
            except LayoutError as error:
                told = str(error)
            (same if equal(items[key], told) else different).append(f"{key}: {items[key]} {told}")
    print(len(same), "equal;", len(different), "different;", len(one_only), "read by the reader alone")
    print(*one_only, sep="\n")
    print(*different, sep="\n")
    assert different == []
    assert len(same) >= 50
