"""Strided views: every answer held against enumeration, against the prover, and against numpy's own arrays."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from layoutalg.index import symbol
from layoutalg.interop.strided import Strided, from_dlpack, from_numpy, from_torch, make_strided
from layoutalg.layout import LayoutError
from layoutalg.prove import Contiguous, InBounds, prove
from tests.fuzzing import FIRST, KNOWN, count


def views(count: int, seed: int) -> Iterator[Strided]:
    """Half of them nearly packed, the others by chance; sizes to 6, ranks to 5, strides of any sign."""
    rng = random.Random(seed)
    for _ in range(count):
        rank = rng.randint(0, 5)
        sizes = [rng.choice([rng.randint(1, 6), rng.randint(0, 8)]) for _ in range(rank)]
        strides = [rng.choice([rng.randint(-40, 40), 0, 1, rng.randint(1, 5)]) for _ in range(rank)]
        if rng.random() < 0.5:
            block, strides = 1, []
            for n in reversed(sizes):
                strides.append(block * rng.choice([1, 1, 1, -1]))
                block *= max(n + rng.choice([0, 0, 0, 1, -1]), 1)
            strides.reverse()
            order = rng.sample(range(rank), rank) if rng.random() < 0.5 else range(rank)
            sizes, strides = [sizes[n] for n in order], [strides[n] for n in order]
        low = -sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if s < 0 and n)
        offset = max(low + rng.choice([0, 0, 8, 3, -1]), -2)
        yield Strided(tuple(sizes), tuple(strides), offset, rng.choice([rng.randint(0, 200), 40]))


def offsets(view: Strided) -> dict[tuple[int, ...], int]:
    indices = itertools.product(*map(range, view.sizes))
    return {i: view.offset + sum(a * s for a, s in zip(i, view.strides, strict=True)) for i in indices}


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(FIRST, FIRST + 2))
def test_every_answer_is_what_enumeration_says(seed: int) -> None:
    seen = {"overlap": 0, "outside": 0, "dense": 0, "vector": 0}
    for view in views(count(250), seed):
        found = offsets(view)
        places = set(found.values())
        assert view.is_inside == all(0 <= o < view.storage for o in places), view
        if view.escape is not None:
            assert not 0 <= found[view.escape] < view.storage, view
        shared = len(places) < len(found)
        assert (view.overlap is not None) == shared, view
        if view.overlap is not None:
            one, other = view.overlap
            assert one != other, view
            assert found[one] == found[other], view
        span = range(min(places), max(places) + 1) if places else range(0)
        assert view.is_dense == (not shared and len(places) == len(span)), view
        assert view.is_contiguous == ([*found.values()] == [*range(view.offset, view.offset + len(found))]), view
        for n, width in enumerate(view.vectors):
            assert _is_vector(view, found, n, width), view
            assert (
                width == 16 or n not in view.contiguous or view.is_empty or not _is_vector(view, found, n, 2 * width)
            ), view
            seen["vector"] += width > 1
        seen["overlap"] += shared
        seen["outside"] += not view.is_inside
        seen["dense"] += view.is_dense
    if KNOWN:
        assert min(seen.values()) > 10, seen


def _is_vector(view: Strided, found: dict[tuple[int, ...], int], n: int, width: int) -> bool:
    """Whether each index at a multiple of the width begins an aligned vector along dimension n."""
    if view.sizes[n] % width:
        return False
    for index, offset in found.items():
        lane = index[n] % width
        first = found[(*index[:n], index[n] - lane, *index[n + 1 :])]
        if first % width or offset != first + lane * (width > 1):
            return width == 1
    return True


def test_every_small_view_is_what_enumeration_says() -> None:
    """All of rank 0 to 2, sizes from 0 to 3, strides from -2 to 3, in memories that fit and that do not."""
    for rank, memory in itertools.product(range(3), ((0, 6), (3, 6), (-1, 4), (0, 0), (4, 8), (2, 3))):
        for sizes, strides in itertools.product(
            itertools.product(range(4), repeat=rank), itertools.product(range(-2, 4), repeat=rank)
        ):
            view = Strided(sizes, strides, *memory)
            found = offsets(view)
            places = set(found.values())
            assert view.is_inside == all(0 <= o < view.storage for o in places), view
            assert (view.overlap is None) == (len(places) == len(found)), view
            assert view.is_dense == (not found or len(found) == len(places) == max(places) - min(places) + 1), view
            assert all(view.descriptor.offset(i) == o for i, o in found.items()), view


@pytest.mark.fuzz
def test_the_prover_says_the_same_of_the_claims() -> None:
    tallied = {True: 0, False: 0}
    for view in views(50, 7):
        if view.storage < 1 or view.is_empty or len(view.reach) < 1 or view.offset < 0:
            continue
        said = {"inside": view.is_inside, "no overlap": view.overlap is None, "dense": view.is_dense}
        for name, claim in view.claims.items():
            verdict = prove(claim)
            assert verdict.name == ("proved" if said.get(name, True) else "refuted"), (view, name, verdict)
            tallied[bool(verdict)] += 1
    if KNOWN:
        assert min(tallied.values()) > 10


def test_a_vector_wider_than_said_is_refuted() -> None:
    view = Strided((64, 24), (72, 1), 8, 5000)
    assert view.vectors == (1, 8)
    assert prove(Contiguous(view.descriptor, 1, 8))
    assert prove(Contiguous(view.descriptor, 1, 16)).name == "refuted"


def test_large_views_are_decided_though_nobody_could_enumerate_them() -> None:
    """Rank 8, 2^48 elements: a packed view has no overlap, and one stride less by one has."""
    sizes = (64,) * 8
    packed = tuple(64**n for n in reversed(range(8)))
    assert Strided(sizes, packed, 0, 64**8).is_dense
    near = Strided(sizes, (packed[0], packed[1] - 1, *packed[2:]), 0, 64**8)
    assert near.overlap is not None
    one, other = near.overlap
    assert sum((a - b) * s for a, b, s in zip(one, other, near.strides, strict=True)) == 0


def arrays() -> Iterator[np.ndarray[Any, Any]]:
    a = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    yield from (a, a.T, a[::-1, :, ::2, 1:3], a[:, None], a[0, 1, 2, 3, ...], a[:, :0], a.swapaxes(1, 2)[1])
    yield np.broadcast_to(a[0, 0], (7, 4, 5))
    yield np.lib.stride_tricks.sliding_window_view(a.ravel(), 16)
    yield np.lib.stride_tricks.as_strided(a, (5, 5), (8, 4))
    yield np.frombuffer(bytes(64), np.int16)[3::2]
    yield np.asfortranarray(a)[..., ::-2]
    yield np.zeros((), np.int8)


@pytest.mark.parametrize("a", [*arrays()], ids=lambda a: f"{a.shape}{a.strides}")
def test_a_numpy_array_is_read_as_it_lies(a: np.ndarray[Any, Any]) -> None:
    view = from_numpy(a)
    assert view.sizes == a.shape
    assert view.is_inside
    assert view.is_contiguous == a.flags.c_contiguous
    assert (view.overlap is not None) == (len({*offsets(view).values()}) < a.size)
    if a.size and a.base is not None and isinstance(a.base, np.ndarray):
        whole = np.frombuffer(a.base.tobytes("A"), a.dtype) if a.base.flags.forc else None
        if whole is not None and whole.size == view.storage:
            assert [whole[o] for o in offsets(view).values()] == a.ravel().tolist()
    if a.size:
        lent = from_dlpack(a) if a.flags.writeable else None
        assert lent is None or (lent.sizes, lent.strides) == (view.sizes, view.strides)


def test_a_memory_map_knows_its_file(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(4 * 100))
    mapped = np.memmap(tmp_path / "x.bin", np.float32, "r", offset=40, shape=(6, 10))
    view = from_numpy(mapped[1:])
    assert (view.offset, view.storage, view.is_inside) == (20, 70, True)  # what is mapped: 40 + 6 · 10 · 4 bytes


def stub(a: np.ndarray[Any, Any], **more: Any) -> Any:
    """What `from_torch` asks of a tensor, over a numpy array's memory."""
    view = from_numpy(a)
    return SimpleNamespace(
        shape=a.shape, stride=lambda: view.strides, storage_offset=lambda: view.offset, element_size=lambda: a.itemsize,
        untyped_storage=lambda: SimpleNamespace(nbytes=lambda: view.storage * a.itemsize + more.pop("odd", 0)), **more,
    )  # fmt: skip


def test_a_torch_tensor_is_read_by_its_own_words() -> None:
    a = np.zeros((4, 6), np.float16)[1:, ::2]
    assert from_torch(stub(a)) == from_numpy(a)
    assert from_torch(stub(a, odd=1)) == from_numpy(a)
    named = from_torch(stub(a, names=("rows", "columns")))
    assert named.align_to("columns", "rows").strides == (2, 6)


def test_as_strided_outside_its_storage_names_the_index() -> None:
    """torch refuses this at run time; a size changed later is not asked again."""
    view = Strided((4, 5), (6, 1), 3, 25)
    assert view.escape == (3, 4)
    assert "leaves its storage at index (3, 4)" in str(view)
    verdict = prove(InBounds(view.descriptor))
    assert verdict.name == "refuted"
    assert "index (3, 4)" in verdict.reason


def test_dlpack_counts_the_memory_that_it_is_told_of() -> None:
    a = np.zeros((4, 6), np.float32)[:, ::2]
    assert from_dlpack(a) == Strided((4, 3), (6, 2), 0, 23)
    assert from_dlpack(a, storage=24).storage == 24
    assert not from_dlpack(a, storage=22).is_inside


def test_sizes_may_be_symbols() -> None:
    rows = symbol("M", min=1, max=4096)
    d = make_strided((rows, 8), (8, 1), 0, rows * 8)
    assert prove(InBounds(d))
    assert prove(InBounds(make_strided((rows, 8), (8, 1), 1, rows * 8))).name == "refuted"


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (lambda: Strided((3,), (1, 2), 0, 9), "1 sizes but 2 strides"),
        (lambda: Strided((3,), (1,), 0, 9, ("a", "b")), "1 sizes but 2 names"),
        (lambda: Strided((-3,), (1,), 0, 9), "none is less than 0"),
        (lambda: Strided((3,), (1,), 0, -9), "none is less than 0"),
        (lambda: Strided((3.0,), (1,), 0, 9), "3.0 is not an integer"),
        (lambda: Strided((3,), (1,), 0, 2.5), "2.5 is not an integer"),
        (lambda: Strided(3, (1,), 0, 9), "a view is of whole numbers"),
        (lambda: Strided((symbol("M"),), (1,), 0, 9), "make_strided takes sizes that are open"),
        (lambda: Strided((2,), (1 << 62,), 0, 9), "2.62 elements or more are refused"),
        (lambda: from_dlpack(np.zeros(3), storage="9"), "'9' is not an integer"),
        (lambda: from_torch(3), "a int has no strides of a torch tensor"),
        (lambda: from_torch(np.zeros(3)), "a ndarray has no strides of a torch tensor"),
        (lambda: from_numpy([1, 2]), "a list is no numpy array"),
        (lambda: from_numpy(np.zeros(3, [("a", "i4"), ("b", "f8")])["b"]), "stride of dimension 0 is 12, no multiple"),
        (lambda: from_numpy(np.frombuffer(bytes(9), np.uint8)[1:].view(np.int32)), "beginning is 1, no multiple"),
        (lambda: from_dlpack(3), "a int has no __dlpack__"),
        (lambda: from_dlpack(np.array(["a"])), "is not lent by DLPack"),
        (lambda: from_dlpack(SimpleNamespace(__dlpack__=lambda: 3)), "no fresh capsule"),
        (lambda: Strided((3,), (1,), 0, 9).align_to("x"), r"dimension 0 \(without a name\) is not in x"),
        (lambda: Strided((3,), (1,), 0, 9, ("x",)).align_to("x", "x"), "the name 'x' is given 2 times"),
    ],
)
def test_what_is_no_strided_memory_is_refused(bad: Any, why: str) -> None:
    with pytest.raises(LayoutError, match=why):
        bad()


def test_a_view_of_nothing() -> None:
    view = Strided((3, 0), (1, 1), 100, 0)
    assert view.is_inside
    assert view.is_dense
    assert view.overlap is None
    assert prod(view.sizes) == len(view.reach) == 0
