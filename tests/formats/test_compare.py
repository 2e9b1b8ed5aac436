"""What became of a layout between two files, held against enumeration of both."""

import itertools
import random

import pytest

from layoutalg.formats import loads, offsets
from layoutalg.formats.compare import compare

HEAD = '[[descriptor]]\nname = "a"\n'
SIZED = "symbols = {{ M = {{ min = 1, max = {} }} }}\n" + HEAD


def compared(old: str, new: str, head: str = HEAD):
    (found,) = compare(loads(head + old), loads(head + new))
    return found


def naive(lengths, strides) -> str:
    return f'base = {{ kind = "naive", lengths = {list(lengths)}, strides = {list(strides)} }}\n'


def by_enumeration(old: str, new: str):
    """The offset at each index that reaches data, of both; their lengths and elements."""
    sides = []
    for text in (old, new):
        said = offsets(loads(HEAD + text).items[0].descriptor)
        indices = itertools.product(*(range(n) for n in said["lengths"]))
        reached = {i: o for i, o in zip(indices, said["offsets"], strict=True) if o is not None}
        sides.append((reached, (said["lengths"], said["element_space_size"])))
    (one, shape), (other, new_shape) = sides
    if wrong := [i for i in sorted(one) if i in other and one[i] != other[i]]:
        return "different", wrong[0]
    if not one.keys() <= other.keys():
        return "restriction", None
    return ("same", None) if (one, shape) == (other, new_shape) else ("refinement", None)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (naive((4, 8), (8, 1)), naive((4, 8), (8, 1)), "same"),
        (naive((4, 8), (8, 1)), 'base = { kind = "packed", lengths = [4, 8] }\n', "same"),
        (naive((4, 8), (8, 1)), naive((4, 8), (9, 1)), "different"),
        (naive((4, 8), (8, 1)), naive((6, 8), (8, 1)), "refinement"),
        (naive((4, 8), (8, 1)), naive((3, 8), (8, 1)), "restriction"),
        (naive((4, 8), (8, 1)), naive((32,), (1,)), "different"),
    ],
)
def test_each_outcome(old, new, what):
    assert compared(old, new).what == what


def test_a_pair_at_random_is_what_enumeration_says():
    draw = random.Random(17)
    seen = set()
    for _ in range(150):
        texts = []
        for _ in range(2):
            lengths = [draw.choice([2, 3, 4]), draw.choice([4, 5])]
            text = naive(lengths, (draw.choice([lengths[1], 5, 8]), 1))
            if draw.random() < 0.4:
                pad = draw.choice([1, 2])
                text += (
                    f'steps = [[{{ transform = "pass_through", length = {lengths[0]}, lower = [0], upper = [0] }}, '
                    f'{{ transform = "right_pad", length = {lengths[1]}, right = {pad}, lower = [1], upper = [1] }}]]\n'
                )
            texts.append(text)
        found, (what, index) = compared(*texts), by_enumeration(*texts)
        assert found.what == what, texts
        if what == "different":
            assert found.index == index
        seen.add(what)
    assert seen == {"same", "refinement", "restriction", "different"}


def test_a_layout_with_one_offset_changed_deep_inside_names_it():
    row = ", ".join(map(str, range(64)))
    steps = 'steps = [[{ transform = "indexing", table = [%s], lower = [0], upper = [0] }]]'
    old, new = (naive((64,), (1,)) + steps % entries for entries in (row, row.replace("41,", "14,")))
    found = compared(old, new)
    assert (found.what, found.index, found.offsets) == ("different", (41,), (41, 14))


def test_sizes_of_one_name_are_one_size_and_more_of_them_is_a_refinement():
    text = naive(("M", 8), ("8", 1)).replace("'", '"').replace('"8"', "8")
    few, many = SIZED.format(64), SIZED.format(128)
    pairs = {"same": (few, few), "refinement": (few, many), "restriction": (many, few)}
    for what, heads in pairs.items():
        (found,) = compare(*(loads(head + text) for head in heads))
        assert found.what == what
        assert what == "same" or "<= M <=" in found.reason


def test_sizes_that_no_file_shares_are_told():
    text = 'base = {{ kind = "packed", lengths = ["{}", 8] }}\n'
    odd, even = (f"symbols = {{ M = {{ min = {m}, max = {m} }} }}\n" + HEAD + text.format("M") for m in (3, 4))
    (found,) = compare(loads(odd), loads(even))
    assert found.what == "restriction"
    assert "no M keeps" in found.reason


LENGTHS = {
    "N": lambda n: n, "N // 2": lambda n: n // 2, "N // 2 * 2": lambda n: n // 2 * 2, "N - 1": lambda n: n - 1,
    "3 - N": lambda n: 3 - n, "N % 2": lambda n: n % 2, "(N + 1) % 2": lambda n: (n + 1) % 2,
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), list(itertools.product(LENGTHS, LENGTHS)))
def test_sizes_for_which_one_has_no_index_are_compared_too(old, new):
    head = "symbols = { N = { min = 1, max = 3 } }\n" + HEAD
    sides = (loads(f'{head}base = {{ kind = "naive", lengths = ["{text}"], strides = [1] }}') for text in (old, new))
    (found,) = compare(*sides)
    one, other = ({(n, i) for n in (1, 2, 3) for i in range(LENGTHS[text](n))} for text in (old, new))
    assert found.what == ("same" if one == other else "refinement" if one < other else "restriction")
    if not one & other:
        assert found.reason == "no index is in both"


def test_a_layout_that_is_lost_for_one_size_is_told_with_its_index():
    head = "symbols = { N = { min = 1, max = 2 } }\n" + HEAD
    old, new = (
        f'{head}base = {{ kind = "naive", lengths = ["{text}"], strides = [1] }}' for text in ("N", "N // 2 * 2")
    )
    (found,) = compare(loads(old), loads(new))
    assert (found.what, found.reason) == ("restriction", "it is defined where it was: not at index 0 (for N = 1)")


def test_a_size_for_which_they_differ_is_in_the_reason_with_the_first_index():
    head = SIZED.format(64)
    (found,) = compare(
        *(loads(head + f'base = {{ kind = "naive", lengths = ["M", 8], strides = [{s}, 1] }}') for s in (8, 16))
    )
    assert (found.what, found.reason, found.index, found.offsets) == ("different", "M = 2", (1, 0), (8, 16))


def test_types_kinds_and_names_are_compared_too():
    packed = 'base = { kind = "packed", lengths = [4] }\n'
    old = loads(HEAD + 'dtype = "f16"\n' + packed + '[[descriptor]]\nname = "gone"\n' + packed)
    new = loads(HEAD + 'dtype = "f32"\n' + packed + '[[descriptor]]\nname = "come"\n' + packed)
    found = list(compare(old, new))
    assert [(c.name, c.what, bool(c)) for c in found] == [
        ("a", "different", False),
        ("gone", "removed", False),
        ("come", "added", True),
    ]
    assert found[0].reason == "f32, was f16"


def test_what_is_given_counts():
    sizes = "symbols = { M = { min = 1, max = 64 }, N = { min = 1, max = 64 } }\n" + HEAD
    text = 'base = { kind = "packed", lengths = ["M", "N"] }\ngiven = ["M * N <= %d"]\n'
    small, large = (loads(sizes + text % most) for most in (100, 200))
    (grown,), (shrunk,) = compare(small, large), compare(large, small)
    assert (grown.what, shrunk.what) == ("refinement", "restriction")


def test_where_nothing_keeps_what_is_given_nothing_is_said_to_be_the_same():
    sizes = "symbols = { M = { min = 1, max = 64 }, N = { min = 1, max = 64 } }\n" + HEAD
    text = 'base = { kind = "packed", lengths = ["M", "N"] }\ngiven = ["M < N", "N < M"]\n'
    for new in (text, text.replace('["M", "N"] }', '["N", "M"] }')):
        (found,) = compare(loads(sizes + text), loads(sizes + new))
        assert found.what == "unknown"
