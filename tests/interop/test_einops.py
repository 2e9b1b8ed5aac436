"""Patterns against einops itself: of an array of offsets it makes what the rearranged descriptor reaches."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from layoutalg.index import symbol
from layoutalg.index.evaluate import grid
from layoutalg.interop import cute
from layoutalg.interop.einops import PatternError, rearrange
from layoutalg.interop.strided import Strided
from layoutalg.layout import (
    LayoutError,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
)
from layoutalg.prove import Bijective, prove
from tests.fuzzing import FIRST, count
from tests.optional import needed


def offsets(d: TensorDescriptor) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return grid(d.offset(d.index), d.index)


def pattern(rng: random.Random) -> tuple[str, tuple[int, ...], dict[str, int]]:
    """A pattern, the lengths that it is for, and those of axes."""
    axes = {name: rng.randint(1, 4) for name in "abcdef"[: rng.randint(1, 6)]}
    copies = {name: rng.randint(1, 3) for name in "xy"[: rng.choice([0, 0, 1, 2])]}
    rest = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
    left, right = _groups(rng, list(axes)), _groups(rng, [*axes, *copies])
    lengths = [int(np.prod([axes[name] for name in group], dtype=int)) for group in left]
    if rest or rng.random() < 0.2:
        at = rng.randint(0, len(left))
        left[at:at], lengths[at:at] = [["..."]], rest
        right.insert(rng.randint(0, len(right)), ["..."])
    told = {name for group in left for name in group[1:]} | {name for name in axes if rng.random() < 0.2}
    return (
        f"{_text(rng, left)} -> {_text(rng, right)}",
        tuple(lengths),
        {**{n: axes[n] for n in told & {*axes}}, **copies},
    )


def _groups(rng: random.Random, names: list[str]) -> list[list[str]]:
    rng.shuffle(names)
    groups: list[list[str]] = []
    for name in names:
        if groups and groups[-1] and rng.random() < 0.4:
            groups[-1].append(name)
        else:
            groups.append([name])
        if rng.random() < 0.1:
            groups.append([])
    return groups


def _text(rng: random.Random, groups: list[list[str]]) -> str:
    """An axis alone stands in brackets now and then; of ... that is no pattern."""
    alone = [len(g) == 1 and (g == ["..."] or rng.random() < 0.8) for g in groups]
    return " ".join(
        g[0] if bare else f"({' '.join(g)})" if g else rng.choice(["1", "()"])
        for g, bare in zip(groups, alone, strict=True)
    )


@pytest.mark.fuzz
def test_it_is_what_einops_does() -> None:
    einops = needed("einops", "test")
    rng = random.Random(FIRST)
    for _ in range(count(40)):
        text, lengths, given = pattern(rng)
        strides = [rng.randint(0, 30) for _ in lengths]
        d = make_naive_tensor_descriptor(lengths, strides)
        wanted = einops.repeat(offsets(d), text, **given)
        made = rearrange(d, text, **given)
        assert made.lengths == wanted.shape, text
        assert np.array_equal(offsets(made), wanted), text


def test_attention_heads_for_all_sizes() -> None:
    heads, time = symbol("H", max=64), symbol("T", max=1 << 16)
    d = make_naive_tensor_descriptor_packed((8, heads * 64, time))
    made = rearrange(d, "b (h d) n -> n (b h) d", d=64)
    assert made.lengths == (time, heads * 8, 64)
    assert prove(Bijective(made))
    assert prove(Bijective(rearrange(made, "n (b h) d -> b (h d) n", b=8)))


BAD: Mapping[str, tuple[str, dict[str, int]]] = {
    "the lengths of h and d are not given": ("b (h d) n -> n (b h) d", {}),
    "dimension 1 has length 12, and (h d) has 10": ("b (h d) n -> n (b h) d", {"h": 5}),
    "column 3: the bracket is not closed": ("b (h d n -> b", {}),
    "column 7: ')' is not expected": ("b c n ) -> b c n", {}),
    "the axis d is not on the right": ("b h d -> b h", {}),
    "the axis q is not on the left": ("b h d -> b h d q", {}),
    "4 dimensions on the left, the descriptor has 3": ("a b c d -> d c b a", {}),
    "at least 4 dimensions on the left": ("a b c d ... -> d c b a ...", {}),
    "the axis b stands 2 times on one side": ("b b c -> c b", {}),
    "column 3: '$' is not expected": ("b $ c -> c b", {}),
    "... stands on one side only": ("b c d -> ... b c d", {}),
    "dimension 2 has length 5, and () has 1": ("b c 1 -> b c", {}),
    "a length is given for x": ("b c d -> d c b", {"x": 3}),
    "an axis of 0 elements in dimension 1": ("b (c d) e -> b c d e", {"c": 0}),
    "column 2: a bracket within brackets": ("((a b)) c d -> a b c d", {}),
    "has 0 arrows": ("a b c", {}),
    "has 2 arrows": ("a -> b -> c", {}),
    "column 11: ... in brackets": ("a b c -> (...) b", {}),
}


@pytest.mark.parametrize("why", BAD)
def test_what_is_no_pattern_is_refused_with_its_place(why: str) -> None:
    text, given = BAD[why]
    with pytest.raises(LayoutError) as refused:
        rearrange(make_naive_tensor_descriptor_packed((2, 12, 5)), text, **given)
    assert why in str(refused.value)


def test_sizes_that_do_not_divide_for_all_values_are_refused() -> None:
    n = symbol("N", max=64)
    with pytest.raises(LayoutError, match="dimension 0 has length N, and"):
        rearrange(make_naive_tensor_descriptor_packed((n,)), "(a b) -> b a", b=4)


def test_layouts_of_others_are_rearranged_and_what_is_none_is_refused() -> None:
    made = rearrange(cute.parse("(2,12):(12,1)"), "b (h d) -> h b d", d=4)
    assert made.lengths == (3, 2, 4)
    assert made[2, 1, 3] == 12 + 2 * 4 + 3
    assert rearrange(Strided((0, 4), (4, 1), 0, 0), "a b -> b a").is_empty
    for odd in (None, "a b", np.zeros((2, 3)), cute.distribution(cute.Layout((4, 2)), (8,))):
        with pytest.raises(LayoutError, match="a descriptor, or a layout in memory, is wanted"):
            rearrange(odd, "a b -> b a")
    with pytest.raises(PatternError, match="is no text"):
        rearrange(made, None)
