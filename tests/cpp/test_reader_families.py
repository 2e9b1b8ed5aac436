"""CK's production families, old and new, read from C++: their offsets against formulas and published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from layoutalg.cpp import load, loads
from layoutalg.formats import SpecFile, offsets
from layoutalg.layout import TensorDescriptor
from tests.matrix import some

DATA = Path(__file__).parent / "data"
GEMM = {
    "kM": "64", "kK": "32", "ADataType": "half_t", "ALayout": "RowMajor", "BlockWarps": "[2,2,1]", "kBlockSize": "256",
    "kMPerXdl": "32", "DataType": "half_t", "kSecondSizePerBlock": "64", "kLeadSizePerBlock": "64",
}  # fmt: skip
ATTENTION = {"kN": "128", "kK": "32", "NumWarps": "4", "KDataType": "bf16_t", "AsyncCopy_": "true", "Buffers_": "1"}
CONVOLUTION = {
    "N": "1", "H": "6", "W": "6", "C": "2", "Y": "3", "X": "3", "stride": "1", "dilation": "1", "pad": "1",
}  # fmt: skip


def read(file: str, defines: Mapping[str, str]) -> SpecFile:
    """A data file, of which everything is read."""
    found = load(DATA / file, defines)
    assert not found.unread
    return found


def row(descriptor: TensorDescriptor, index: int, step: int = 1) -> list[int | None]:
    """The offsets of a row of a matrix, every `step`-th."""
    columns = int(descriptor.lengths[1])
    listed: list[int | None] = offsets(descriptor)["offsets"]
    return listed[index * columns : (index + 1) * columns : step]


@pytest.mark.parametrize(("m", "k"), some([(64, 32), (128, 64), (32, 16)], 1))
def test_gemm_a_with_a_spare_row(m: int, k: int) -> None:
    d = load(DATA / "gemm.hpp", {**GEMM, "kM": str(m), "kK": str(k)}).descriptor("MakePaddedA").descriptor
    expected = [(j // 8) * (m + 1) * 8 + i * 8 + j % 8 for i, j in product(range(m), range(k))]
    assert offsets(d)["offsets"] == expected
    assert int(d.element_space_size) == (k // 8 - 1) * (m + 1) * 8 + m * 8


def test_gemm_a_with_a_spare_row_has_the_published_numbers() -> None:
    d = read("gemm.hpp", GEMM).descriptor("MakePaddedA").descriptor
    assert row(d, 1, 8) == [8, 528, 1048, 1568]
    assert int(d.element_space_size) == 2072


@pytest.mark.parametrize(("m", "k"), some([(128, 64), (64, 32), (128, 32), (64, 16)], 1))
def test_swizzled_gemm_a(m: int, k: int) -> None:
    d = load(DATA / "gemm.hpp", {**GEMM, "kM": str(m), "kK": str(k)}).descriptor("MakeSwizzledA").descriptor
    layer, k0 = max(1, 128 // k // 2), k // 8
    expected = []
    for i, j in product(range(m), range(k)):
        line, part = divmod(i, layer)
        slot = (part * k0 + j // 8) ^ (line % (k0 * layer))
        expected.append(line * k * layer + slot * 8 + j % 8)
    assert offsets(d)["offsets"] == expected


def test_swizzled_gemm_a_has_the_published_numbers() -> None:
    d = read("gemm.hpp", {**GEMM, "kM": "128", "kK": "64"}).descriptor("MakeSwizzledA").descriptor
    assert row(d, 1, 8) == [72, 64, 88, 80, 104, 96, 120, 112]


@pytest.mark.parametrize(("m", "k"), some([(128, 64), (256, 64)], 1))
def test_column_major_gemm_a_is_a_bijection(m: int, k: int) -> None:
    defines = {**GEMM, "ALayout": "ColumnMajor", "kM": str(m), "kK": str(k), "kBlockSize": "512"}
    d = read("gemm.hpp", defines).descriptor("MakeSwizzledA").descriptor
    assert [int(n) for n in d.lengths] == [m, k]
    assert sorted(offsets(d)["offsets"]) == list(range(m * k))


def test_padded_rows() -> None:
    d = read("gemm.hpp", GEMM).descriptor("MakePaddedRowsA").descriptor
    expected = [(i // 2) * 72 + (i % 2 * 4 + j // 8) * 8 + j % 8 for i, j in product(range(64), range(32))]
    assert offsets(d)["offsets"] == expected


def test_global_distribution() -> None:
    (item,) = read("gemm.hpp", GEMM).distributions
    tile = item.distribution
    assert [int(n) for n in (*tile.lengths, *tile.ps, *tile.ys)] == [64, 32, 4, 64, 1, 8]
    assert [int(x) for x in tile.lower((3, 5), (0, 2))] == [3 * 16 + 5 // 4, 5 % 4 * 8 + 2]


def test_transposition_through_lds() -> None:
    file = read("gemm.hpp", GEMM)
    store, read_back = (file.descriptor(name).descriptor for name in ("MakeStoreBlock", "MakeLoadBlock"))
    assert offsets(store)["offsets"] == offsets(read_back)["offsets"] == list(range(4096))


@pytest.mark.parametrize("buffers", some([3, 1], 1))
def test_key_store_and_load_address_the_same_words(buffers: int) -> None:
    file = read("attention.hpp", {**ATTENTION, "Buffers_": str(buffers)})
    store, back = (file.descriptor(name).descriptor for name in ("MakeKeyStore", "MakeKeyLoad"))
    issues, warps, per_warp = map(int, store.lengths)
    groups = per_warp // 32
    written, found = offsets(store)["offsets"], offsets(back)["offsets"]
    for issue, warp, group, k in product(range(issues), range(warps), range(groups), range(32)):
        n = (issue * groups + group) * warps + warp
        assert written[(issue * warps + warp) * per_warp + group * 32 + k] == found[n * 32 + k]


def test_value_rows_have_the_published_numbers() -> None:
    d = read("attention.hpp", ATTENTION).descriptor("MakeValue").descriptor
    assert row(d, 1, 8) == [8, 1160, 2312, 3464]
    assert int(d.element_space_size) == 4600
    assert len(set(offsets(d)["offsets"])) == 128 * 32


def test_columns_of_an_image_have_the_published_numbers() -> None:
    file = load(DATA / "convolution.hpp", CONVOLUTION)
    d = file.descriptor("MakeColumns").descriptor
    assert row(d, 0) == [None] * 8 + [0, 1, 2, 3] + [None] * 2 + [12, 13, 14, 15]


@pytest.mark.parametrize(("size", "stride", "pad", "dilation"), [(5, 1, 0, 1), (8, 2, 1, 1), (9, 1, 2, 2)])
def test_columns_of_an_image(size: int, stride: int, pad: int, dilation: int) -> None:
    given = {"H": size, "W": size, "stride": stride, "pad": pad, "dilation": dilation, "C": 3, "N": 2}
    d = load(DATA / "convolution.hpp", {**CONVOLUTION, **{n: str(v) for n, v in given.items()}})
    out = (size + 2 * pad - 2 * dilation - 1) // stride + 1
    expected: list[int | None] = []
    for n, ho, wo, y, x, c in product(range(2), range(out), range(out), range(3), range(3), range(3)):
        h, w = ho * stride + y * dilation - pad, wo * stride + x * dilation - pad
        inside = 0 <= h < size and 0 <= w < size
        expected.append(((n * size + h) * size + w) * 3 + c if inside else None)
    assert offsets(d.descriptor("MakeColumns").descriptor)["offsets"] == expected


def test_pointwise_convolution() -> None:
    d = load(DATA / "convolution.hpp", {**CONVOLUTION, "stride": "2"}).descriptor("MakePointwise").descriptor
    expected = [(h * 6 + w) * 2 + c for h, w, c in product((0, 2, 4), (0, 2, 4), range(2))]
    assert offsets(d)["offsets"] == expected


def test_contraction_and_permutation() -> None:
    given = {"lengths": "[2,3,4,5]", "strides": "[1,20,60,2]", "NumM": "2", "NumK": "2"}
    d = load(DATA / "convolution.hpp", given).descriptor("MakeMatrix").descriptor
    expected = [a + 20 * b + 60 * c + 2 * e for a, b, c, e in product(range(2), range(3), range(4), range(5))]
    assert offsets(d)["offsets"] == expected
    permuted = {"lengths": "[1,1,1,1,1,2,3,4]", "strides": "[1,1,1,1,1,1,8,2]"}
    d = load(DATA / "convolution.hpp", permuted).descriptor("MakeSource").descriptor
    assert sorted(offsets(d)["offsets"]) == list(range(24))


OLD = {
    "MPerBlock": "64", "AK0": "8", "AK1": "8", "ExtraM": "false", "N": "1", "H": "6", "C": "2", "pad": "1",
    "dilation": "1", "stride": "1", "Dots": "2", "Tildes": "3", "i_tilde": "0",
}  # fmt: skip


def test_old_ck_swizzle_and_spare_row() -> None:
    swizzled = read("old_ck.hpp", OLD).descriptor("MakeA").descriptor
    expected = [(m * 64 + (k0 ^ m % 8) * 8 + k1) for k0, m, k1 in product(range(8), range(64), range(8))]
    assert offsets(swizzled)["offsets"] == expected
    spare = read("old_ck.hpp", {**OLD, "ExtraM": "true"}).descriptor("MakeA").descriptor
    assert offsets(spare)["offsets"] == [m * 72 + a * 8 + b for a, m, b in product(range(8), range(64), range(8))]


def test_old_ck_xor_has_no_modulo() -> None:
    xored = read("old_ck.hpp", OLD).descriptor("MakeXor").descriptor
    assert xored.adaptor.transforms[-1].name == "xor_no_modulo"
    tile = loads((DATA / "old_ck.hpp").read_text() + "// ck_tile", "x.hpp", OLD).descriptor("MakeXor").descriptor
    assert tile.adaptor.transforms[-1].name == "xor"


def test_old_ck_gradient() -> None:
    d = read("old_ck.hpp", OLD).descriptor("MakeGradient").descriptor
    listed = offsets(d)["offsets"]
    expected = [
        (h - 1) * 2 + c if 1 <= h < 7 else None for dot, t, c in product(range(2), (1, 2), range(2)) for h in [dot + t]
    ]
    assert listed == expected


def test_a_comment_states_the_claims() -> None:
    file = load(DATA / "convolution.hpp", CONVOLUTION)
    columns, pointwise = (file.descriptor(name) for name in ("MakeColumns", "MakePointwise"))
    assert ([str(c) for c in columns.claims], columns.stated) == (["in_bounds", "fits_index(64)"], True)
    assert ([str(c) for c in pointwise.claims], pointwise.stated) == (["in_bounds", "injective", "fits_index"], False)
