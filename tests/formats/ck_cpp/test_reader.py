"""CK and CK Tile C++ as input: what is read is the layout that the source builds."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from layoutalg.formats import SpecError, SpecFile, offsets
from layoutalg.formats.ck_cpp import load, loads
from layoutalg.layout import TensorDescriptor

DATA = Path(__file__).parents[1] / "data"
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


# --- the production families ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "k"), [(64, 32), (128, 64), (32, 16)])
def test_gemm_a_with_a_spare_row(m: int, k: int) -> None:
    d = load(DATA / "gemm.hpp", {**GEMM, "kM": str(m), "kK": str(k)}).descriptor("MakePaddedA").descriptor
    expected = [(j // 8) * (m + 1) * 8 + i * 8 + j % 8 for i, j in product(range(m), range(k))]
    assert offsets(d)["offsets"] == expected
    assert int(d.element_space_size) == (k // 8 - 1) * (m + 1) * 8 + m * 8


def test_gemm_a_with_a_spare_row_has_the_published_numbers() -> None:
    d = read("gemm.hpp", GEMM).descriptor("MakePaddedA").descriptor
    assert row(d, 1, 8) == [8, 528, 1048, 1568]
    assert int(d.element_space_size) == 2072


@pytest.mark.parametrize(("m", "k"), [(128, 64), (64, 32), (128, 32), (64, 16)])
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


@pytest.mark.parametrize(("m", "k"), [(128, 64), (256, 64)])
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


@pytest.mark.parametrize("buffers", [1, 3])
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


# --- documents --------------------------------------------------------------------------------------------------------


def test_blocks_of_a_document_share_their_names() -> None:
    file = load(DATA / "guide.rst", {"rows": "4", "columns": "5", "data": "0"})
    found = {item.name: item for item in file.descriptors}
    assert list(found) == ["pitched", "packed", "aligned", "split", "packed_2", "View", "operator().view"]
    assert [int(n) for n in found["split"].descriptor.lengths] == [2, 2, 3]
    assert int(found["pitched"].descriptor.element_space_size) == 20  # not 24, as one may read
    assert [item.line for item in found.values()] == [13, 22, 23, 29, 37, 71, 85]
    assert int(found["View"].descriptor.offset((1, 2, 0, 1))) == 6 + 2 + 0 + 1
    (tile,) = file.distributions
    assert [int(n) for n in tile.distribution.lengths] == [4, 4]
    assert [(part.name, part.line, part.refused) for part in file.unread] == [
        ("slice", 47, False), ("wrong", 57, True), ("operator().late", 86, False),
    ]  # fmt: skip
    assert "full_tensor is not known here" in file.unread[0].reason
    assert "its lower length is 9, the dimension's is 2" in file.unread[1].reason
    assert "rows is not known" in file.unread[2].reason


def test_markdown_blocks() -> None:
    text = "# A\n\n```cpp\nauto a = make_naive_tensor_descriptor_packed(make_tuple(2, 3));\n```\n\n~~~c++\nauto b = a;\n~~~\n```\nauto c = a;\n```\n"  # noqa: E501
    assert [(item.name, item.line) for item in loads(text, "a.md").items] == [("a", 4), ("b", 8)]


# --- what is open, and what fills it ----------------------------------------------------------------------------------

SYMBOLIC = """
CK_TILE_HOST_DEVICE constexpr auto rows(index_t M, index_t pitch = M + 4)
{
    return make_naive_tensor_descriptor(make_tuple(M / 2, 2), make_tuple(pitch, 1));
}
"""


def test_what_is_open_is_asked_for() -> None:
    (part,) = loads(SYMBOLIC, "x.hpp").unread
    assert (part.name, part.line) == ("rows", 2)
    assert part.reason == "M is not known here; give -D M=64"


def test_a_size_may_be_a_symbol() -> None:
    file = loads(SYMBOLIC, "x.hpp", {"M": "{ min = 8, max = 64, multiple_of = 8 }"})
    d = file.descriptor("rows").descriptor
    assert repr(d.lengths[0]) == "M // 2"
    assert offsets(d, {"M": 8})["offsets"] == [0, 1, 12, 13, 24, 25, 36, 37]


def test_the_longest_end_of_a_path_wins() -> None:
    source = "auto a = make_naive_tensor_descriptor_packed(make_tuple(P::Shape::kK, W::kK));"
    d = loads(source, "x.hpp", {"kK": "3", "Shape::kK": "5"}).descriptor("a").descriptor
    assert [int(n) for n in d.lengths] == [5, 3]


def test_a_file_s_own_constants_win() -> None:
    d = loads("constexpr int K = 2;\nauto a = make_naive_tensor_descriptor_packed(make_tuple(K));", "x.hpp", {"K": "3"})
    assert int(d.descriptor("a").descriptor.lengths[0]) == 2


def test_a_value_may_be_written_in_cpp() -> None:
    source = "auto t = make_static_tile_distribution(detail::make_embed_tile_distribution_encoding(tile_distribution_encoding<sequence<>, tuple<sequence<2>, sequence<3>>, tuple<>, tuple<>, sequence<1, 2>, sequence<0, 0>>{}, typename W::Enc{}));"  # noqa: E501
    inner = "tile_distribution_encoding<sequence<>, tuple<sequence<4>, sequence<2, 8>>, tuple<sequence<1, 2>>, tuple<sequence<0, 0>>, sequence<2>, sequence<1>>{}"  # noqa: E501
    assert "W::Enc is not a tile_distribution_encoding that is known here" in loads(source, "x.hpp").unread[0].reason
    tile = loads(source, "x.hpp", {"Enc": inner}).distributions[0].distribution
    assert [int(n) for n in (*tile.lengths, *tile.ps, *tile.ys)] == [8, 48, 8, 2, 3, 8]
    assert [int(x) for x in tile.lower((5,), (1, 2, 7))] == [1 * 4 + 5 // 2, 2 * 16 + 5 % 2 * 8 + 7]


@pytest.mark.parametrize("given", ["3 +", "{ min = 5, max = 2 }", "[1, x]", "1.5", "make_tuple(", '"a"', "{ mn = 1 }"])
def test_bad_defines(given: str) -> None:
    with pytest.raises(SpecError, match=r"^-D M="):
        loads(SYMBOLIC, "x.hpp", {"M": given})


# --- arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2 + -7 / 2 * 10", 3 - 30),
        ("-7 % 4 + 100", 97),
        ("1 << 4 | 3", 19),
        ("(6 ^ 5) & ~1", 2),
        ("0x10 + 0b11 + 010 + 1'000 + 2u", 16 + 3 + 8 + 1000 + 2),
        ("sizeof(float) * sizeof(half_t)", 8),
        ("true && (3 > 2) ? 5 : 1 / 0", 5),
        ("false || !(2 == 3) ? 4 : 9", 4),
        ("ck_tile::integer_divide_ceil(10, 4) + math::max(2, 3, 1)", 6),
        ("ck_tile::integer_least_multiple(10, 4)", 12),
        ("static_cast<index_t>(3) + index_t{2} + int(4) + (int)5", 14),
        ("number<3>{} * number<number<2>{} + 1>{}", 9),
        ("sequence<4, 5, 6>{}.at(number<1>{}) + make_tuple(1, 2)[number<1>{}]", 7),
        ("sequence<4, 5>::size() + tuple<sequence<1>, sequence<2>>{}.size()", 4),
        ("reduce_on_sequence(sequence<2, 3>{}, multiplies{}, number<1>{})", 6),
        ("std::is_same_v<float, half_t> ? 1 : 2", 2),
        ("std::is_same<fp16_t, half_t>::value ? 1 : 2", 1),
        ("[&]() { constexpr int a = 3; return a * 2; }()", 6),
        ("std::conditional_t<(2 > 1), number<7>, number<8>>{}", 7),
        ("get_warp_size() / 16", 4),
    ],
)
def test_arithmetic_is_cpp_s(expression: str, value: int) -> None:
    source = (
        f"constexpr auto v = {expression};\nauto a = make_naive_tensor_descriptor(make_tuple(2), make_tuple(v + 1000));"
    )
    file = loads(source, "x.hpp")
    assert not file.unread
    assert int(file.descriptor("a").descriptor.offset((1,))) == value + 1000


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("make_tuple(1 / 0)", "a division by zero"),
        ("make_tuple(1.5)", "1.5 is no integer"),
        ('make_tuple("a")', "a string is not part of what is read"),
        ("make_tuple(1 << 70)", "a shift by 70"),
        ("make_tuple(99999999999999999999)", "an integer of more than 64 bits"),
        ("make_tuple(sequence<1>{}.at(3))", "entry 3 of a tuple of 1"),
        ("make_tuple(sizeof(Unknown))", "give -D Unknown=half_t"),
        ("make_tuple(std::is_same_v<T, float> ? 1 : 2)", "give -D T=float"),
        ("make_tuple(B::at(I0))", "give -D B=[2,2,1]"),
        ("make_tuple(helper(3))", "helper() is not known here: a function of another file"),
        (
            "make_tuple(other.get_length(0))",
            "a length of other, which -D other='make_naive_tensor_descriptor_packed(…)'",
        ),
        ("make_tuple(2), make_tuple(3), 4", "takes 1…2 arguments, not 3"),
        ("3", "an integer where a tuple or sequence is expected"),
    ],
)
def test_reasons(source: str, reason: str) -> None:
    (part,) = loads(f"\nauto a = make_naive_tensor_descriptor_packed({source});", "x.hpp").unread
    assert reason in part.reason
    assert (part.line, part.name) == (2, "a")


def test_skipped_checks_are_not_read_as_data() -> None:
    source = "auto a = transform_tensor_descriptor(make_naive_tensor_descriptor_packed(make_tuple(4)), make_tuple(make_right_pad_transform(4, 4, bool_constant<true>{})), make_tuple(sequence<0>{}), make_tuple(sequence<0>{}));"  # noqa: E501
    (part,) = loads(source, "x.hpp").unread
    assert "SkipIsValidCheck" in part.reason


def test_overloads_are_told_apart_by_their_arguments_or_not_at_all() -> None:
    two = "auto f(int a) { return a; }\nauto f(int a, int b) { return a * b; }\n"
    use = "auto d = make_naive_tensor_descriptor_packed(make_tuple(f(2, 3)));"
    assert int(loads(two + use, "x.hpp").descriptor("d").descriptor.lengths[0]) == 6
    same = "auto f(int a) { return a; }\nauto f(Tag a) { return 2 * a; }\nauto d = make_naive_tensor_descriptor_packed(make_tuple(f(2)));"  # noqa: E501
    assert "types would decide" in loads(same, "x.hpp").unread[0].reason


def test_loops_and_open_conditions_break_what_they_set() -> None:
    source = """
    auto f(int n) {
        int size = 1;
        for (int i = 0; i < n; ++i) { size *= 2; }
        return make_naive_tensor_descriptor_packed(make_tuple(size));
    }
    auto g(bool c) {
        int size = 1;
        if (c) { size = 2; }
        return make_naive_tensor_descriptor_packed(make_tuple(size));
    }
    """
    assert [part.name for part in loads(source, "x.hpp").unread] == ["f", "g"]
    assert all("size is not known" in part.reason for part in loads(source, "x.hpp").unread)
    read_g = loads(source, "x.hpp", {"c": "true"}).descriptor("g").descriptor
    assert int(read_g.lengths[0]) == 2


def test_conditional_compilation() -> None:
    source = """
    #define K 4
    #if USE_PAD
    auto a = make_naive_tensor_descriptor(make_tuple(K, K), make_tuple(K + 1, 1));
    #elif K == 4
    auto a = make_naive_tensor_descriptor(make_tuple(K, K), make_tuple(K, 1));
    #else
    auto a = make_naive_tensor_descriptor(make_tuple(K, K), make_tuple(9, 1));
    #endif
    """
    assert int(loads(source, "x.hpp", {"USE_PAD": "0"}).descriptor("a").descriptor.element_space_size) == 16
    assert int(loads(source, "x.hpp", {"USE_PAD": "1"}).descriptor("a").descriptor.element_space_size) == 19


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < 3; ++i) { if (i == 2) return make_naive_tensor_descriptor_packed(make_tuple(i)); }",
        "switch (n) { case 1: return make_naive_tensor_descriptor_packed(make_tuple(1)); }",
        "change(size);",
        "static_for<0, 3, 1>{}([&](auto i) { size = i; });",
        "static_for<0, 3, 1>{}([&](auto i) { lengths(i) = 2; });",
        "while (more()) size++;",
        "(size) = 5;",
        "*(&size) = 5;",
        "size = foreign();",
        "std::swap(size, other);",
    ],
)
def test_what_may_change_a_size_is_never_read_past(body: str) -> None:
    source = f"""auto f(int n) {{
        int size = 4;
        int lengths = 4;
        {body}
        return make_naive_tensor_descriptor_packed(make_tuple(size, lengths));
    }}"""
    file = loads(source, "x.hpp", {"n": "1", "size": "9"})
    assert not file.items
    assert [part.name for part in file.unread] == ["f"]


def test_printing_a_size_changes_nothing() -> None:
    source = 'int n = 4; auto f() { printf("%d", n); return make_naive_tensor_descriptor_packed(make_tuple(n)); }'
    assert len(loads(source, "x.hpp").items) == 1


def test_a_comment_states_the_claims() -> None:
    file = load(DATA / "convolution.hpp", CONVOLUTION)
    columns, pointwise = (file.descriptor(name) for name in ("MakeColumns", "MakePointwise"))
    assert ([str(c) for c in columns.claims], columns.stated) == (["in_bounds", "fits_index(64)"], True)
    assert ([str(c) for c in pointwise.claims], pointwise.stated) == (["in_bounds", "injective", "fits_index"], False)


def test_a_wrong_claim_has_its_line() -> None:
    source = "\n// claims: injektive\nauto a = make_naive_tensor_descriptor_packed(make_tuple(2));"
    with pytest.raises(SpecError, match=r"^x\.hpp:2: claims: 'injektive' is no claim; did you mean 'injective'"):
        loads(source, "x.hpp")


def test_namespaces_keep_their_names_apart() -> None:
    source = """
    namespace a { constexpr int K = 2; auto f() { return make_naive_tensor_descriptor_packed(make_tuple(K)); } }
    namespace b { constexpr int K = 3; auto g() { return make_naive_tensor_descriptor_packed(make_tuple(K)); } }
    auto h() { return make_naive_tensor_descriptor_packed(make_tuple(a::K, b::K)); }
    auto i() { return make_naive_tensor_descriptor_packed(make_tuple(K)); }
    namespace a { auto j() { return make_naive_tensor_descriptor_packed(make_tuple(K + 2)); } }
    """
    file = loads(source, "x.hpp")
    lengths = {item.name: [int(n) for n in item.descriptor.lengths] for item in file.descriptors}
    assert lengths == {"f": [2], "g": [3], "h": [2, 3], "j": [4]}
    assert [(part.name, part.reason) for part in file.unread] == [("i", "K is defined in several namespaces")]


def test_a_template_struct_is_read_for_its_arguments() -> None:
    source = """
    template <index_t M, index_t K = 2 * M>
    struct Tile
    {
        static constexpr index_t Size = M * K;
        using Rows = TensorDescriptor<Sequence<M, K>, Sequence<K, 1>>;
        static constexpr auto Make() { return make_naive_tensor_descriptor_packed(make_tuple(Size)); }
    };
    auto four  = Tile<4>::Make();
    auto five  = Tile<5, 3>::Make();
    auto rows  = typename Tile<2>::Rows{};
    """
    file = loads(source, "x.hpp")
    lengths = {item.name: [int(n) for n in item.descriptor.lengths] for item in file.descriptors}
    assert lengths == {"four": [32], "five": [15], "rows": [2, 4]}


def test_an_open_macro_is_asked_for() -> None:
    source = "auto f() {\n#if FAST\nint n = 2;\n#else\nint n = 3;\n#endif\nreturn make_naive_tensor_descriptor_packed(make_tuple(n)); }"  # noqa: E501
    (part,) = loads(source, "x.hpp").unread
    assert "give -D FAST=" in part.reason
    assert int(loads(source, "x.hpp", {"FAST": "0"}).descriptor("f").descriptor.lengths[0]) == 3
    guarded = (
        "#ifndef GUARD_HPP\n#define GUARD_HPP\nauto a = make_naive_tensor_descriptor_packed(make_tuple(2));\n#endif"
    )
    assert loads(guarded, "x.hpp").descriptor("a").line == 3
    assert not loads(guarded.replace("#ifndef GUARD_HPP", "#if defined(GUARD_HPP)"), "x.hpp").items


def test_a_failing_static_assert_refuses_the_layout() -> None:
    source = """auto f(int n) {
        static_assert(other(n) == 3);
        static_assert(n % 8 == 0, "whole vectors");
        return make_naive_tensor_descriptor_packed(make_tuple(n));
    }"""
    (part,) = loads(source, "x.hpp", {"n": "12"}).unread
    assert (part.line, part.refused) == (3, True)
    assert part.reason.startswith("'static_assert(n % 8 == 0")
    assert part.reason.endswith("fails")
    assert loads(source, "x.hpp", {"n": "16"}).items


@pytest.mark.parametrize(
    ("condition", "given", "value"),
    [
        ("A::kM == B::kM", {}, None),  # two things of one last name are two things
        ("std::is_same_v<typename A::T, typename B::T>", {}, None),
        ("A::kM == A::kM", {}, 1),
        ("P::L1 == P::L2", {"L1": "HALF"}, None),
        ("std::is_same_v<typename P::L1, typename P::L2>", {"L1": "RowMajor"}, None),
        ("A::Kind == Kinds::HALF", {"Kind": "HALF"}, 1),
        ("A::Kind == Kinds::HALF", {"Kind": "NONE"}, 0),
        ("A::Kind != Kinds::HALF", {"Kind": "NONE"}, 1),
        ("A::Kind == Kinds::HALF", {}, None),
        ("std::is_same_v<L, tensor_layout::gemm::RowMajor>", {"L": "ColumnMajor"}, 0),
        ("std::is_same_v<L, tensor_layout::gemm::RowMajor>", {}, None),
    ],
)
def test_names_are_compared_only_where_they_are_known(condition: str, given: dict[str, str], value: int | None) -> None:
    made = f"make_naive_tensor_descriptor_packed(make_tuple(({condition}) ? 3 : 2))"
    file = loads(f"template <typename P, typename L> auto f() {{ return {made}; }}", "x.hpp", given)
    found = [int(item.descriptor.lengths[0]) - 2 for item in file.descriptors]
    assert found == ([] if value is None else [value])
    assert bool(file.unread) == (value is None)
