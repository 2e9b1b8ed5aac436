"""What each claim says: the known defects refuted with their witness, and what is subtle about the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.builders import gemm_v1_distribution, replicated_distribution
from benchmarks.corpus import concrete, defective, symbolic
from layoutalg.index import as_expr, symbol
from layoutalg.layout import (
    Embed,
    LayoutError,
    Merge,
    MergeMagicDivision,
    Modulo,
    PassThrough,
    RightPad,
    TensorDescriptor,
    Xor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.prove import (
    Agree,
    Aligned,
    All,
    Bijective,
    Claim,
    Contiguous,
    Covers,
    Equivalent,
    FitsIndexType,
    InBounds,
    Injective,
    Limits,
    Monotone,
    Refuted,
    RoundTrip,
    RoundTripLower,
    RoundTripUpper,
    Surjective,
    prove,
)

PACKED = make_naive_tensor_descriptor_packed((4, 6))


def packed_under(transform: Xor | Modulo, *lengths: int) -> TensorDescriptor:
    """A transform over a packed tensor."""
    d = make_naive_tensor_descriptor_packed(lengths)
    dims = [list(range(len(lengths)))]
    return transform_tensor_descriptor(d, [transform], dims, dims)


def refuted(claim: Claim) -> Refuted:
    verdict = prove(claim)
    assert isinstance(verdict, Refuted), verdict
    return verdict


def test_every_claim_of_the_corpus_is_decided_and_holds() -> None:
    for entry in (*concrete(), *symbolic()):
        for claim in entry.claims:
            verdict = prove(claim)
            assert verdict.name == "proved", f"{entry.name}: {verdict}"


def test_every_known_defect_is_refuted_with_a_witness() -> None:
    for entry in defective():
        for claim in entry.claims:
            assert refuted(claim).witness.points, entry.name


def test_the_corpus_has_at_least_a_hundred_descriptors() -> None:
    assert len({repr(e.claims[0]) for e in concrete()}) >= 100


def test_xor_with_non_power_of_two_is_refuted() -> None:
    d = packed_under(Xor((as_expr(6), as_expr(6))), 6, 6)
    assert refuted(InBounds(d)).witness.points == ({"i0": 4, "i1": 2},)
    assert "hidden index of dimension 2 6, length 6" in refuted(InBounds(d)).reason


def test_a_padded_layout_is_injective_on_its_valid_indices_only() -> None:
    d = make_naive_tensor_descriptor((4, 5), (5, 1))
    d = transform_tensor_descriptor(
        d, [PassThrough(as_expr(4)), RightPad(as_expr(5), as_expr(3))], [[0], [1]], [[0], [1]]
    )
    assert prove(Injective(d)).name == "proved"
    assert prove(Bijective(d)).name == "proved"
    assert "index (0, 5)" in refuted(Contiguous(d, 1, 2)).reason


def test_the_smallest_failing_sizes_are_found() -> None:
    m = symbol("M", min=3, multiple_of=3)
    d = make_naive_tensor_descriptor((4, m), (9, 1))
    verdict = refuted(Injective(d))
    assert {p["M"] for p in verdict.witness.points} == {12}
    assert verdict.assumptions == ("3 <= M, a multiple of 3",)


def test_z3_alone_is_followed_by_a_search_for_smaller_sizes() -> None:
    m = symbol("M", max=1 << 20)
    d = make_naive_tensor_descriptor((4, m), (5, 1))
    verdict = prove(Injective(d), strategy="z3")
    assert isinstance(verdict, Refuted)
    assert verdict.witness.points[0]["M"] == 6


def test_a_size_named_like_an_index_is_not_taken_for_it() -> None:
    i0 = symbol("i0", min=0, max=7)
    d = make_naive_tensor_descriptor((8, 2), (1, i0))
    assert refuted(Injective(d)).witness.points[0]["i0"] < 8
    assert prove(InBounds(d)).name == "proved"


def test_magic_division_is_no_division_beyond_its_range() -> None:
    lengths = tuple(map(as_expr, (1 << 17, 1 << 16)))
    for kind, expected in ((Merge, True), (MergeMagicDivision, False)):
        d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed(lengths), [kind(lengths)], [[0, 1]], [[0]])
        assert (prove(InBounds(d), limits=Limits(seconds=1)).name == "proved") is expected


def test_an_adaptor_has_claims_of_its_own() -> None:
    adaptor = packed_under(Xor((as_expr(8), as_expr(8))), 8, 8).adaptor
    for claim in (InBounds(adaptor), Bijective(adaptor), RoundTrip(adaptor), RoundTripLower(adaptor)):
        assert prove(claim).name == "proved"


def test_a_wrapped_index_is_surjective_and_not_injective() -> None:
    d = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((6,)), [Modulo(as_expr(6), as_expr(9))], [[0]], [[0]]
    )
    assert prove(Surjective(d)).name == "proved"
    assert refuted(Injective(d)).reason == "offsets differ: not at index 0, offset 0 and index 6, offset 0"
    short = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((6,)), [Modulo(as_expr(5), as_expr(9))], [[0]], [[0]]
    )
    assert refuted(Surjective(short)).reason == "every element has an index: not at element 5"


def test_equivalent_asks_for_one_space_and_agree_does_not() -> None:
    wide = TensorDescriptor(PACKED.adaptor, as_expr(25))
    assert prove(Agree(PACKED, wide)).name == "proved"
    assert "elements (24, 25)" in refuted(Equivalent(PACKED, wide)).reason


def test_alignment_and_order_along_a_dimension() -> None:
    d = make_naive_tensor_descriptor((4, 8), (12, 1))
    assert prove(Aligned(d, 4)).name == "proved"
    assert "offset 12" in refuted(Aligned(d, 8)).reason
    assert prove(Monotone(d, 0)).name == "proved"
    back = make_naive_tensor_descriptor((4, 8), (-8, 1))
    assert prove(Monotone(back, 0)).name == "refuted"


def test_a_distribution_covers_its_tile_as_often_as_it_is_replicated() -> None:
    assert prove(Covers(gemm_v1_distribution(2, 16, 4, 8))).name == "proved"
    twice = replicated_distribution(2, 2, 2)
    assert prove(Covers(twice, 2)).name == "proved"
    assert prove(Covers(twice, None)).name == "proved"
    assert "copies 2" in refuted(Covers(twice)).reason


def test_several_claims_hold_together_or_not() -> None:
    assert prove(All((InBounds(PACKED), Bijective(PACKED)))).name == "proved"
    assert prove(All((InBounds(PACKED), Contiguous(PACKED, 1, 4)))).name == "refuted"


def test_an_offset_beyond_32_bits_is_refuted_where_it_occurs() -> None:
    d = make_naive_tensor_descriptor((70000, 40000), (40000, 1))
    point = refuted(FitsIndexType(d)).witness.points[0]
    assert point["i0"] * 40000 + point["i1"] >= 1 << 31
    assert prove(FitsIndexType(d, 64)).name == "proved"


@pytest.mark.parametrize("strategy", [None, "z3", "enumeration"])
def test_layouts_of_which_one_alone_is_padded_do_not_agree(strategy: str | None) -> None:
    plain = make_naive_tensor_descriptor((4, 8), (8, 1))
    pads = [PassThrough(as_expr(4)), RightPad(as_expr(5), as_expr(3))]
    padded = transform_tensor_descriptor(make_naive_tensor_descriptor((4, 5), (8, 1)), pads, [[0], [1]], [[0], [1]])
    assert prove(Agree(plain, padded), strategy=strategy).name == "refuted"
    assert prove(Agree(padded, padded), strategy=strategy).name == "proved"


def test_strides_that_the_mixed_radix_rule_does_not_see_are_decided_exactly() -> None:
    lengths, strides = (3, 5, 7, 11, 13), (5005, 1001, 143, 13, 1)
    assert prove(Injective(make_naive_tensor_descriptor(lengths, strides))).name == "proved"
    assert prove(Injective(make_naive_tensor_descriptor((3, 2), (2, 3))), strategy="difference").name == "proved"
    dense = make_naive_tensor_descriptor((1000, 1000, 1000), (1, 1001, 1_002_003))
    assert prove(Injective(dense)).name == "proved"
    assert prove(Injective(make_naive_tensor_descriptor((1000, 1000, 1000), (1, 1001, 1001 * 999)))).name == "refuted"


@pytest.mark.parametrize("kind", [RoundTripUpper, RoundTripLower])
def test_a_round_trip_needs_an_inverse(kind: type[RoundTripUpper | RoundTripLower]) -> None:
    d = make_naive_tensor_descriptor((3, 2), (2, 3))
    verdict = prove(kind(d))
    assert verdict.name == "unknown"
    assert "no inverse" in verdict.reason


def test_an_embed_of_symbolic_lengths_that_may_vanish_is_still_decided() -> None:
    m = symbol("M")
    d = make_naive_tensor_descriptor((m - 1, 4), (4, 1))
    assert prove(InBounds(d)).name == "proved"
    assert prove(Injective(d)).name == "proved"
    assert isinstance(d.adaptor.transforms[0], Embed)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Monotone(PACKED, 2), lambda: Monotone(PACKED, -3), lambda: Aligned(PACKED, 8, 6),
        lambda: Aligned(PACKED, 0), lambda: Contiguous(PACKED, 2, 2), lambda: Contiguous(PACKED, 1, 0),
        lambda: Contiguous(PACKED, 1, -2), lambda: FitsIndexType(PACKED, 0), lambda: All(()),
    ],
)  # fmt: skip
def test_claims_on_what_does_not_exist_are_refused(wrong: Callable[[], Claim]) -> None:
    with pytest.raises(LayoutError):
        wrong()


def test_sizes_that_make_no_layout_are_said_to_be_left_out() -> None:
    m, n = symbol("M", min=-8, max=8), symbol("N", min=0, max=5)
    verdict = prove(Injective(make_naive_tensor_descriptor_packed((m, n, 4))))
    assert verdict.name == "proved"
    assert set(verdict.assumptions) == {"-8 <= M <= 8", "0 <= N <= 5", "1 <= M", "1 <= N", "1 <= M * N * 4"}
    assert prove(Injective(make_naive_tensor_descriptor_packed((symbol("K"), 4)))).assumptions == ("1 <= K",)


def test_a_length_that_the_index_type_does_not_hold_is_refuted() -> None:
    """Indices 0 … 2³¹ − 1 fit 32 bits, the length 2³¹ does not."""
    d = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((8,)), [RightPad(8, (1 << 31) - 8)], [[0]], [[0]]
    )
    assert "2147483648 fits 32 bits: not at" in refuted(FitsIndexType(d)).reason
    shorter = transform_tensor_descriptor(
        make_naive_tensor_descriptor_packed((8,)), [RightPad(8, (1 << 31) - 9)], [[0]], [[0]]
    )
    assert prove(FitsIndexType(shorter)).name == "proved"


def test_magic_division_is_unsigned_within_and_its_merge_fits() -> None:
    """CK's default merge: the product with the magic number is `__umulhi`'s, of no index type."""
    rows = make_naive_tensor_descriptor((70, 63), (63, 1))
    merged = transform_tensor_descriptor(rows, [MergeMagicDivision((70, 63))], [[0, 1]], [[0]])
    assert prove(FitsIndexType(merged))
    wide = make_naive_tensor_descriptor((70, 63), (1 << 26, 1))
    merged = transform_tensor_descriptor(wide, [MergeMagicDivision((70, 63))], [[0, 1]], [[0]])
    assert "not at index 2016" in refuted(FitsIndexType(merged)).reason
    long = MergeMagicDivision((1 << 16, 1 << 16))
    merged = transform_tensor_descriptor(
        make_naive_tensor_descriptor((1 << 16, 1 << 16), (0, 0)), [long], [[0, 1]], [[0]]
    )
    assert prove(FitsIndexType(merged)).name == "refuted"
