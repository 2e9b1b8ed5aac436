"""What our stub of CK's names makes of a header is what CK's own templates make of it, by the same compiler."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from layoutalg.cpp import load
from layoutalg.device.constants import constants
from layoutalg.formats import DescriptorItem, DistributionItem, offsets
from layoutalg.formats.ck_structure import layout
from layoutalg.formats.cpp import CppError, CppUnit
from layoutalg.layout import TensorDescriptor
from tests.composable_kernel import composable_kernel
from tests.matrix import some

DATA = Path(__file__).parent / "data"
GEMM = {
    "kM": "128", "kK": "64", "kBlockSize": "256", "kMPerXdl": "32", "kSecondSizePerBlock": "64",
    "kLeadSizePerBlock": "64", "ADataType": "half_t", "DataType": "half_t", "BlockWarps": "[2,2,1]",
}  # fmt: skip
ATTENTION = {"kN": "128", "kK": "32", "NumWarps": "4", "KDataType": "bf16_t", "AsyncCopy_": "true", "Buffers_": "2"}
SHAPE = "{ static constexpr index_t kM = 128, kN = 128, kK = %s, NumWarps = 4; using BlockWarps = sequence<2, 2, 1>; }"
PROBLEM = """
#include "ck_tile/ops/common/tensor_layout.hpp"
namespace ck_tile {
struct Problem {
  struct BlockGemmShape SHAPE; struct Shape SHAPE;
  using ADataType = half_t; using DataType = half_t; using KDataType = bf16_t;
  using ALayout = tensor_layout::gemm::LAYOUT;
  static constexpr index_t kBlockSize = 256, kMPerXdl = 32, kSecondSizePerBlock = 64, kLeadSizePerBlock = 64;
};
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "owner", "given", "major"),
    some(
        [
            ("gemm", "GemmLayouts", {**GEMM, "ALayout": "RowMajor"}, "RowMajor"),
            ("gemm", "TransposeLayouts", {**GEMM, "ALayout": "RowMajor"}, "RowMajor"),
            ("gemm", "GemmLayouts", {**GEMM, "ALayout": "ColumnMajor"}, "ColumnMajor"),
            ("attention", "AttentionLayouts<true, 2>", ATTENTION, "RowMajor"),
        ],
        1,
    ),
)
def test_both_make_the_same(header: str, owner: str, given: Mapping[str, str], major: str) -> None:
    path = DATA / f"{header}.hpp"
    items = {item.name: item for item in load(path, given).items}
    shape = SHAPE % given["kK"]
    prelude = PROBLEM.replace("SHAPE", shape).replace("LAYOUT", major) + path.read_text().replace("#pragma once", "")
    unit = CppUnit("gfx942", ("ck_tile/core.hpp",), (composable_kernel() / "include",), prelude)
    made = constants(unit, {name: f"ck_tile::{owner}::template {name}<ck_tile::Problem>()" for name in items})
    same = []
    for name, said in made.items():
        if isinstance(said, CppError):
            continue  # of the file's other class
        told, item = layout(said), items[name]
        if isinstance(item, DescriptorItem):
            assert isinstance(told, TensorDescriptor)
            assert offsets(told) == offsets(item.descriptor), name
            assert told.element_space_size == item.descriptor.element_space_size, name
        else:
            assert isinstance(item, DistributionItem)
            assert told == item.distribution, name
        same.append(name)
    assert len(same) >= 2
