"""Every claim takes each kind of layout that it can be of, in any notation; of anything else it is a TypeError."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import layoutalg.memory
from layoutalg.errors import LayoutError
from layoutalg.index import TRUE, symbol
from layoutalg.interop import cute, triton
from layoutalg.interop.einops import rearrange
from layoutalg.interop.strided import Strided, from_dlpack, from_numpy, from_torch, make_strided
from layoutalg.layout import (
    Merge,
    TensorAdaptor,
    TensorDescriptor,
    TileDistribution,
    make_naive_tensor_descriptor,
    make_single_stage_tensor_adaptor,
)
from layoutalg.layout.index_map import index_map
from layoutalg.memory import Coalesced, ConflictDegree, ConflictFree, ConflictFreeIff, Cycles, LdsClaim
from layoutalg.prove import (
    Agree,
    Aligned,
    AlignedBytes,
    All,
    Bijective,
    Claim,
    Contiguous,
    Covers,
    Equivalent,
    FitsBytes,
    FitsIndexType,
    InBounds,
    Injective,
    Monotone,
    OwnScale,
    Proved,
    RoundTrip,
    RoundTripLower,
    RoundTripUpper,
    Surjective,
    prove,
)
from layoutalg.target import target
from tests.matrix import all_hold

WINDOWS = np.lib.stride_tricks.sliding_window_view(np.zeros(10, np.float32), 3)
BACKWARDS = np.zeros((4, 8), np.float32)[::-1, ::2]
TENSOR = SimpleNamespace(
    shape=(8, 4), stride=lambda: (1, 8), storage_offset=lambda: 0, element_size=lambda: 4,
    untyped_storage=lambda: SimpleNamespace(nbytes=lambda: 128),
)  # fmt: skip
BLOCKED = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 8], warpsPerCTA = [1, 1], order = [1, 0]}>"
SWIZZLED = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>"
PADDED = "#ttg.padded_shared<[4:+4] {order = [1, 0], shape = [4, 4]}>"

LAYOUTS: Mapping[str, Any] = {
    "descriptor": make_naive_tensor_descriptor((8, 4), (4, 1)),
    "adaptor": make_single_stage_tensor_adaptor([Merge((4, 8))], [[0, 1]], [[0]]),
    "a view that overlaps": from_numpy(WINDOWS),
    "a view backwards": from_numpy(BACKWARDS),
    "an empty view": from_numpy(np.zeros((4, 0), np.float32)),
    "an array by DLPack": from_dlpack(np.zeros((4, 8), np.float32)),
    "a tensor": from_torch(TENSOR),
    "strides of sizes": make_strided((symbol("M", max=64), 8), (8, 1), 0, symbol("M", max=64) * 8),
    "CuTe's layout": cute.parse("((4,2),8):((2,1),16)"),
    "one of copies": cute.parse("(4,8):(0,1)"),
    "one of sizes": cute.parse("(M,4):(4,1)", {"M": symbol("M", max=64)}),
    "one swizzled": cute.parse("Sw<2,0,3> o 0 o (4,8):(8,1)"),
    "one moved": cute.parse("Sw<0,0,0> o 3 o (4):(-1)"),
    "a composition": cute.descriptor(cute.parse("64:1"), cute.parse("Sw<1,2,1> o 4 o 48:1")),
    "threads and values": cute.distribution(cute.parse("((4,8),(2,2)):((32,1),(16,8))"), (16, 8)),
    "Triton's memory": triton.from_triton(SWIZZLED, (4, 4)),
    "Triton's padding": triton.from_triton(PADDED, (4, 4)),
    "Triton's registers": triton.from_triton(BLOCKED, (8, 16)),
    "registers that are copied": triton.from_triton(BLOCKED, (4, 16)),
    "bases of memory": triton.linear_layout(SWIZZLED, (4, 4)),
    "bases of registers": triton.linear_layout(BLOCKED, (8, 16)),
    "einops' pattern": rearrange(make_naive_tensor_descriptor((2, 12, 5), (60, 5, 1)), "b (h d) n -> n b h d", d=4),
}
"""What the room of notations gives, and what it is here."""
NO_LAYOUTS: Mapping[str, Any] = {
    "an array": WINDOWS, "a tensor": TENSOR, "a text": "(4,8):(8,1)", "a number": 4, "nothing": None, "a tuple": (4, 8),
    "an atom": cute.mma_atom("mfma_f32_32x32x8f16"), "a class": Strided,
    "a verdict": prove(Injective(LAYOUTS["descriptor"])), "a claim": Injective(LAYOUTS["descriptor"]),
    "a swizzle": cute.BitSwizzle(1, 0, 1),
}  # fmt: skip

MAPS, MEMORY, TILE = (TensorDescriptor, TensorAdaptor, TileDistribution), (TensorDescriptor,), (TileDistribution,)
CLAIMS: Mapping[type[Claim], tuple[Callable[[Any], Claim], tuple[type, ...]]] = {
    InBounds: (InBounds, MAPS),
    Injective: (Injective, MAPS),
    Surjective: (Surjective, MAPS),
    Bijective: (Bijective, MAPS),
    RoundTrip: (RoundTrip, MAPS),
    RoundTripUpper: (RoundTripUpper, MAPS),
    RoundTripLower: (RoundTripLower, MAPS),
    Agree: (lambda one: Agree(one, one), MAPS),
    Equivalent: (lambda one: Equivalent(one, one), MAPS),
    FitsIndexType: (FitsIndexType, MAPS),
    Contiguous: (lambda one: Contiguous(one, -1, 2), MEMORY),
    Aligned: (lambda one: Aligned(one, 2), MEMORY),
    Monotone: (Monotone, MEMORY),
    FitsBytes: (lambda one: FitsBytes(one, 16, 31), MEMORY),
    AlignedBytes: (lambda one: AlignedBytes(one, 16, 2, 4), MEMORY),
    OwnScale: (lambda one: OwnScale(one, 2), MEMORY),
    Covers: (Covers, TILE),
}
"""Every claim on a layout, and the maps that it can be of."""
OF_ACCESSES: Mapping[type[Claim], Callable[[Any], Claim]] = {
    ConflictFree: ConflictFree,
    ConflictDegree: lambda one: ConflictDegree(one, 2),
    ConflictFreeIff: lambda one: ConflictFreeIff(one, TRUE),
    Cycles: lambda one: Cycles(one, 4),
    Coalesced: lambda one: Coalesced(one, target("gfx942")),
}
"""Every claim on an access."""


def name_of(one: tuple[type[Claim], str]) -> str:
    return f"{one[0].__name__} of {one[1]}"


def subclasses(kind: type[Claim]) -> Iterator[type[Claim]]:
    for one in kind.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_public_claim_is_here() -> None:
    public = {one for one in subclasses(Claim) if one.__name__ in (*layoutalg.prove.__all__, *layoutalg.memory.__all__)}
    assert public == {*CLAIMS, *OF_ACCESSES, All, LdsClaim}


def test_a_claim_of_a_layout_is_that_of_its_map() -> None:
    all_hold(product(CLAIMS, LAYOUTS), lambda one: is_that_of_the_map(*one), name_of)


def is_that_of_the_map(claim: type[Claim], name: str) -> None:
    make, kinds = CLAIMS[claim]
    given = LAYOUTS[name]
    there = index_map(given)
    if not isinstance(there, kinds):
        with pytest.raises(TypeError, match=f"{claim.__name__} of a {type(given).__name__}: a .* is wanted"):
            make(given)
        return
    made = make(given)
    assert made == make(there)
    assert hash(made) == hash(make(there))
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made
    verdict, wanted = prove(made), prove(make(there))
    assert (verdict.name, verdict.reason) == (wanted.name, wanted.reason)


def test_injective_is_what_enumeration_says() -> None:
    all_hold(LAYOUTS, is_injective_as_enumerated)


def is_injective_as_enumerated(name: str) -> None:
    there = index_map(LAYOUTS[name])
    adaptor = there if isinstance(there, TensorAdaptor) else there.adaptor
    if any(n.op != "const" for n in adaptor.lengths):
        return
    lengths = [int(n) for n in adaptor.lengths]
    found = {tuple(map(int, adaptor.lower(index))) for index in product(*map(range, lengths))}
    verdict = prove(Injective(LAYOUTS[name]))
    assert isinstance(verdict, Proved) == (len(found) == prod(lengths)), verdict


def test_of_what_is_no_layout_it_is_a_type_error_that_says_what_is_wanted() -> None:
    all_hold(product(CLAIMS, NO_LAYOUTS), lambda one: is_refused(*one), name_of)


def is_refused(claim: type[Claim], name: str) -> None:
    given = NO_LAYOUTS[name]
    with pytest.raises(TypeError, match=f"{claim.__name__} of a {type(given).__name__}: a .* is wanted"):
        CLAIMS[claim][0](given)


@pytest.mark.parametrize("claim", OF_ACCESSES, ids=lambda one: one.__name__)
def test_a_claim_of_an_access_is_of_nothing_else(claim: type[Claim]) -> None:
    for given in (*LAYOUTS.values(), *NO_LAYOUTS.values()):
        with pytest.raises(TypeError, match=f"{claim.__name__} of a {type(given).__name__}: an access is wanted"):
            OF_ACCESSES[claim](given)


def test_several_are_of_claims() -> None:
    one = Injective(LAYOUTS["descriptor"])
    assert All([one]) == All((one,))
    for given in (*LAYOUTS.values(), *(given for given in NO_LAYOUTS.values() if not isinstance(given, Claim))):
        with pytest.raises(TypeError, match="claims are wanted"):
            All((one, given))
        with pytest.raises(TypeError, match="a claim or an obligation is decided"):
            prove(given)


def test_bases_that_no_map_is_are_refused_by_name() -> None:
    """Without its copies a layout would be proved one-to-one, which it is not."""
    copied = triton.LinearLayout.of({"register": [[0], [1]], "lane": [[2]]}, {"dim0": 4})
    assert not copied.is_injective
    for claim in (Injective, Bijective, Covers):
        with pytest.raises(LayoutError, match=r"take without_copies\(\)"):
            claim(copied)
    assert prove(Covers(copied.without_copies()))
    crossed = triton.LinearLayout.of({"register": [[1, 1]], "lane": [[0, 1]]}, {"dim0": 2, "dim1": 2})
    with pytest.raises(LayoutError, match="a distribution's factors are bits of one dimension"):
        Injective(crossed)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda d: AlignedBytes(d, 16, 8, 16, dimension=2), "dimension 2 does not exist"),
        (lambda d: AlignedBytes(d, 16, 0, 16), "0 elements are no vector"),
        (lambda d: AlignedBytes(d, 16, 8, 0), "multiple is 0"),
        (lambda d: AlignedBytes(d, 0, 8, 16), "element_bits is 0"),
        (lambda d: FitsBytes(d, 16, -1), "bits is -1"),
        (lambda d: FitsBytes(d, -8, 31), "element_bits is -8"),
        (lambda d: InBounds(d, storage=-1), "a memory of -1 elements"),
        (lambda d: Bijective(from_numpy(np.zeros((4, 0))), storage=-1), "a memory of -1 elements"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(make: Callable[[TensorDescriptor], Claim], why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        make(LAYOUTS["descriptor"])
