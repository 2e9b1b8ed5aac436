"""CK and CK Tile C++ as input: what is read is the layout that the source builds."""

from __future__ import annotations

from pathlib import Path

import pytest

from layoutalg.cpp import load, loads
from layoutalg.formats import SpecError, offsets

DATA = Path(__file__).parent / "data"

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
        ("slice", 47, False), ("wrong", 57, True), ("operator().late", 90, False),
    ]  # fmt: skip
    assert "full_tensor is not known here" in file.unread[0].reason
    assert "its lower length is 9, the dimension's is 2" in file.unread[1].reason
    assert "is no constant" in file.unread[2].reason


def test_markdown_blocks() -> None:
    text = "# A\n\n```cpp\nauto a = make_naive_tensor_descriptor_packed(make_tuple(2, 3));\n```\n\n~~~c++\nauto b = a;\n~~~\n```\nauto c = a;\n```\n"  # noqa: E501
    assert [(item.name, item.line) for item in loads(text, "a.md").items] == [("a", 4), ("b", 8)]


# --- what is open, and what fills it ----------------------------------------------------------------------------------

ROWS = """
CK_TILE_HOST_DEVICE constexpr auto rows(index_t M, index_t pitch = 68)
{
    return make_naive_tensor_descriptor(make_tuple(M / 2, 2), make_tuple(pitch, 1));
}
"""


def test_what_is_open_is_asked_for() -> None:
    (part,) = loads(ROWS, "x.hpp").unread
    assert (part.name, part.line) == ("rows", 2)
    assert part.reason == "M is not known here; give -D M=64"


def test_a_size_may_be_a_symbol() -> None:
    file = loads(ROWS, "x.hpp", {"M": "{ min = 8, max = 64, multiple_of = 8 }", "pitch": "{ min = 64 }"})
    d = file.descriptor("rows").descriptor
    assert repr(d.lengths[0]) == "M // 2"
    assert offsets(d, {"M": 8, "pitch": 64})["offsets"] == [0, 1, 64, 65, 128, 129, 192, 193]


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
    assert "W::Enc is not known here" in loads(source, "x.hpp").unread[0].reason
    tile = loads(source, "x.hpp", {"Enc": inner}).distributions[0].distribution
    assert [int(n) for n in (*tile.lengths, *tile.ps, *tile.ys)] == [8, 48, 8, 2, 3, 8]
    assert [int(x) for x in tile.lower((5,), (1, 2, 7))] == [1 * 4 + 5 // 2, 2 * 16 + 5 % 2 * 8 + 7]


@pytest.mark.parametrize("given", ["3 +", "{ min = 5, max = 2 }", "[1, x]", "1.5", "make_tuple(", '"a"', "{ mn = 1 }"])
def test_bad_defines(given: str) -> None:
    with pytest.raises(SpecError, match=r"^-D M="):
        loads(ROWS, "x.hpp", {"M": given})


# --- arithmetic -------------------------------------------------------------------------------------------------------


ARITHMETIC = {
    "7 / 2 + -7 / 2 * 10": 3 - 30,
    "-7 % 4 + 100": 97,
    "(6 ^ 5) & ~1": 2,
    "0x10 + 0b11 + 010 + 1'000 + 2u": 16 + 3 + 8 + 1000 + 2,
    "sizeof(float) * sizeof(half_t)": 8,
    "ck_tile::integer_divide_ceil(10, 4) + math::max(2, 3, 1)": 6,
    "ck_tile::integer_least_multiple(10, 4)": 12,
    "static_cast<index_t>(3) + index_t{2} + int(4) + (int)5": 14,
    "number<3>{} * number<number<2>{} + 1>{}": 9,
    "sequence<4, 5, 6>{}.at(number<1>{}) + make_tuple(1, 2)[number<1>{}]": 7,
    "sequence<4, 5>::size() + tuple<sequence<1>, sequence<2>>{}.size()": 4,
    "reduce_on_sequence(sequence<2, 3>{}, multiplies{}, number<1>{})": 6,
    "sizeof(pk_fp4_t) + 10 * sizeof(ck::f6x16_pk_t) + 1000 * sizeof(e8m0_t)": 1 + 120 + 1000,
    "16 / sizeof(pk_int4_t) * ck_tile::numeric_traits<remove_cvref_t<pk_int4_t>>::PackedSize": 32,
    "numeric_traits<fp8_t>::PackedSize + 10 * numeric_traits<bf6x32_pk_t>::PackedSize": 1 + 320,
    "std::is_same_v<pk_fp4_t, pk_int4_t> ? 1 : 2": 2,
    "std::is_same_v<float, half_t> ? 1 : 2": 2,
    "std::is_same<fp16_t, half_t>::value ? 1 : 2": 1,
    "std::conditional_t<(2 > 1), number<7>, number<8>>{}": 7,
    "get_warp_size() / 16": 4,
    "gcd(12, 18) + lcm(4, 6) * 10 + integer_log2_floor(9) * 1000": 6 + 120 + 3000,
    "next_power_of_two(9) + is_power_of_two_integer(8)": 17,
    "merge_sequences(sequence<1, 2>{}, sequence<3>{}).at(number<2>{})": 3,
    "typename arithmetic_sequence_gen<1, 6, 2>::type{}.at(number<2>{})": 5,
    "typename uniform_sequence_gen<2, 7>::type{}.sum()": 14,
    "generate_tuple([](auto i) { return i * 3; }, number<4>{}).at(number<3>{})": 9,
    "make_naive_tensor_descriptor(make_tuple(4, 8), make_tuple(9, 1)).get_element_space_size()": 35,
}  # fmt: skip


def test_arithmetic_is_cpp_s() -> None:
    source = "".join(
        f"constexpr auto v{n} = {e};\n"
        f"auto a{n} = make_naive_tensor_descriptor(make_tuple(2), make_tuple(v{n} + 1000));\n"
        for n, e in enumerate(ARITHMETIC)
    )
    file = loads(source, "x.hpp")
    assert not file.unread
    found = [int(file.descriptor(f"a{n}").descriptor.offset((1,))) - 1000 for n in range(len(ARITHMETIC))]
    assert dict(zip(ARITHMETIC, found, strict=True)) == ARITHMETIC


REASONS = {
    "make_tuple(1 / 0)": "division by zero",
    "make_tuple(1 << 70)": "shift count 70",
    "make_tuple(99999999999999999999)": "integer literal is too large",
    "make_tuple(sizeof(Unknown))": "Unknown is not known here; give -D Unknown=half_t",
    "make_tuple(numeric_traits<T>::PackedSize)": "T is not known here",
    "make_tuple(B::at(I0))": "give -D B=[2,2,1]",
    "make_tuple(helper(3))": "helper() is not known here: a function of another file",
    "make_tuple(other.get_length(0))": "other is not known here",
    "make_tuple(2), make_tuple(3), 4": "takes 1…2 arguments, not 3",
    "3": "",
}


def test_reasons() -> None:
    source = "".join(f"auto a{n} = make_naive_tensor_descriptor_packed({e});\n" for n, e in enumerate(REASONS))
    unread = loads(source, "x.hpp").unread
    assert [(part.name, part.line) for part in unread] == [(f"a{n}", n + 1) for n in range(len(REASONS))]
    for part, reason in zip(unread, REASONS.values(), strict=True):
        assert reason in part.reason, part


def test_skipped_checks_are_not_read_as_data() -> None:
    source = "auto a = transform_tensor_descriptor(make_naive_tensor_descriptor_packed(make_tuple(4)), make_tuple(make_right_pad_transform(4, 4, bool_constant<true>{})), make_tuple(sequence<0>{}), make_tuple(sequence<0>{}));"  # noqa: E501
    (part,) = loads(source, "x.hpp").unread
    assert "SkipIsValidCheck" in part.reason


def test_an_overload_that_is_not_read_takes_the_others_with_it() -> None:
    two = "auto f(int a) { return a; }\nauto f(int a, int b) { return a * b; }\n"
    use = "auto d = make_naive_tensor_descriptor_packed(make_tuple(f(2, 3)));"
    assert int(loads(two + use, "x.hpp").descriptor("d").descriptor.lengths[0]) == 6
    unknown = "auto f(int a) { return a; }\nauto f(Tag a) { return 2; }\n"
    (part,) = loads(unknown + use.replace("2, 3", "2"), "x.hpp").unread
    assert part.name == "d"
    assert "deleted function 'f'" in part.reason


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


def test_printing_a_size_changes_nothing() -> None:
    source = 'int n = 4; auto f() { printf("%d", n); return make_naive_tensor_descriptor_packed(make_tuple(n)); }'
    assert len(loads(source, "x.hpp").items) == 1


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
    assert [(part.name, part.reason) for part in file.unread] == [("i", "K is not known here; give -D K=64")]


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
    source = """template <int n> auto f() {
        static_assert(n > 3);
        static_assert(n % 8 == 0, "whole vectors");
        return make_naive_tensor_descriptor_packed(make_tuple(n));
    }"""
    (part,) = loads(source, "x.hpp", {"n": "12"}).unread
    assert (part.line, part.refused) == (3, True)
    assert part.reason == "static_assert stops it: whole vectors (12 % 8 == 0)"
    assert loads(source, "x.hpp", {"n": "16"}).items


@pytest.mark.parametrize(
    ("condition", "given", "value"),
    [
        ("A::kM == B::kM", {}, None),  # two things of one last name are two things
        ("std::is_same_v<typename A::T, typename B::T>", {}, None),
        ("A::kM == A::kM", {"kM": "2"}, 1),
        ("std::is_same_v<L, tensor_layout::gemm::RowMajor>", {"L": "ColumnMajor"}, 0),
        ("std::is_same_v<L, tensor_layout::gemm::RowMajor>", {"L": "RowMajor"}, 1),
        ("std::is_same_v<L, tensor_layout::gemm::RowMajor>", {}, None),
        ("std::is_same_v<typename P::L, tensor_layout::gemm::RowMajor>", {"L": "RowMajor"}, 1),
    ],
)
def test_names_are_compared_only_where_they_are_known(condition: str, given: dict[str, str], value: int | None) -> None:
    made = f"make_naive_tensor_descriptor_packed(make_tuple(({condition}) ? 3 : 2))"
    file = loads(f"template <typename P, typename L> auto f() {{ return {made}; }}", "x.hpp", {"P::k": "1", **given})
    found = [int(item.descriptor.lengths[0]) - 2 for item in file.descriptors]
    assert found == ([] if value is None else [value])
    assert bool(file.unread) == (value is None)


def test_a_name_of_d_that_is_none_is_refused() -> None:
    source = "template <typename P> auto f() { return make_naive_tensor_descriptor_packed(make_tuple(P::k == HALF)); }"
    with pytest.raises(SpecError, match="HALF"):
        loads(source, "x.hpp", {"k": "HALF"})
