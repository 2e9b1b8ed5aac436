"""Objects of CK's class templates, as AMD's programming guide writes them, are what the functions make."""

import pytest

from layoutalg.cpp import loads
from layoutalg.layout import TensorDescriptor

GUIDE = """
using namespace ck;
constexpr int M = 256, K = 128;
auto split = transform_tensor_descriptor(
    make_naive_tensor_descriptor(make_tuple(M, K), make_tuple(K, 1)),
    make_tuple(UnMerge<Tuple<int, int>>{Tuple<int, int>{4, 64}}, PassThrough<int>{K}),
    make_tuple(Sequence<0>{}, Sequence<1>{}),
    make_tuple(Sequence<0, 1>{}, Sequence<2>{}));
auto written_out = TensorDescriptor<
    Tuple<Embed<Tuple<int, int>, Tuple<int, int>>, UnMerge<Tuple<int, int>, false>, PassThrough<int>>,
    Tuple<Sequence<0>, Sequence<1>, Sequence<2>>,
    Tuple<Sequence<1, 2>, Sequence<3, 4>, Sequence<5>>,
    Sequence<3, 4, 5>,
    int>{
    make_tuple(
        Embed<Tuple<int, int>, Tuple<int, int>>{Tuple<int, int>{M, K}, Tuple<int, int>{K, 1}},
        UnMerge<Tuple<int, int>, false>{Tuple<int, int>{4, 64}},
        PassThrough<int>{K}),
    M * K};
auto merged = transform_tensor_descriptor(split,
    make_tuple(PassThrough<Number<4>>{}, Merge_v3_division_mod<Tuple<int, int>>{Tuple<int, int>{64, K}}),
    make_tuple(Sequence<0>{}, Sequence<1, 2>{}), make_tuple(Sequence<0>{}, Sequence<1>{}));
"""


def test_the_guides_descriptor_is_read_in_both_of_its_spellings() -> None:
    file = loads(GUIDE, "guide.hpp")
    split, written_out, merged = (file.descriptor(n).descriptor for n in ("split", "written_out", "merged"))
    assert split == written_out
    assert [int(n) for n in split.lengths] == [4, 64, 128]
    assert split.adaptor.lower_ids == ((0,), (1,), (2,))
    assert split.adaptor.upper_ids == ((1, 2), (3, 4), (5,))
    assert split.adaptor.top_ids == (3, 4, 5)
    assert int(split.offset((1, 3, 2))) == 8578
    assert [int(n) for n in merged.lengths] == [4, 8192]


def swizzle(transform: str) -> TensorDescriptor:
    pair = "make_tuple(Sequence<0, 1>{})"
    made = f"make_naive_tensor_descriptor_packed(make_tuple(8, 4)), make_tuple({transform}), {pair}, {pair}"
    return loads(f"auto d = transform_tensor_descriptor({made});", "x.hpp").descriptor("d").descriptor


def test_the_flag_of_xor_is_its_modulo() -> None:
    of = "Tuple<int, int>{8, 4}"
    assert swizzle(f"Xor<Tuple<int, int>, true>{{{of}}}") == swizzle("make_xor_with_modulo_transform(make_tuple(8, 4))")
    assert swizzle(f"Xor<Tuple<int, int>, false>{{{of}}}").adaptor.transforms[1].name == "xor_no_modulo"
    assert swizzle("xor_t<tuple<int, int>>{tuple<int, int>{8, 4}}").adaptor.transforms[1].name == "xor"


@pytest.mark.parametrize(
    ("transform", "reason"),
    [
        ("UnMerge<int, int>{2, 4}", "must be an expression"),
        ("UnMerge<Tuple<int, int>>{Tuple<int, int>{3, 4}}", "its lower length is 12, the dimension's is 8"),
        ("RightPad<int, int, true>{8, 2}", "SkipIsValidCheck reads the padding as data"),
        ("UnMerge<Tuple<int, int>>{8}", "no matching constructor"),
    ],
)
def test_what_makes_no_transform_is_told(transform: str, reason: str) -> None:
    (part,) = loads(
        "auto d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed(make_tuple(8)), "
        f"make_tuple({transform}), make_tuple(Sequence<0>{{}}), make_tuple(Sequence<0, 1>{{}}));",
        "x.hpp",
    ).unread
    assert reason in part.reason


def test_a_24_bit_unmerge_is_ck_s_own() -> None:
    source = GUIDE.replace("UnMerge<Tuple<int, int>>{", "UnMerge<Tuple<int, int>, true>{")
    assert loads(source, "x.hpp").descriptor("split").descriptor.adaptor.transforms[1].name == "unmerge_24bit"


def test_a_class_of_the_file_is_its_own() -> None:
    source = "template <typename T> struct UnMerge { int n; };\n" + GUIDE
    assert "split" in {part.name for part in loads(source, "x.hpp").unread}


@pytest.mark.parametrize(
    ("ids", "reason"),
    [
        (
            "Tuple<Sequence<0>>, Tuple<Sequence<1, 3>>, Sequence<1, 2>",
            "top ids [1, 2], but the ids that no transform uses are [1, 3]",
        ),
        ("Tuple<Sequence<0, 1>>, Tuple<Sequence<1, 2>>, Sequence<1, 2>", "has 1 lower dimensions, [0, 1] lists 2"),
    ],
)
def test_ids_that_dangle_are_refused(ids: str, reason: str) -> None:
    made = "Embed<Tuple<int, int>, Tuple<int, int>>{Tuple<int, int>{2, 3}, Tuple<int, int>{3, 1}}"
    (part,) = loads(
        f"using E = Embed<Tuple<int, int>, Tuple<int, int>>; "
        f"auto d = TensorDescriptor<Tuple<E>, {ids}, int>{{make_tuple({made}), 6}};",
        "x.hpp",
    ).unread
    assert reason in part.reason
