"""Thread-value layouts as distributions, and back."""

import pytest

from layoutalg.interop.cute import NoLayoutError, distribution, parse, thread_value
from tests.interop.cute import oracle


def test_distributions_and_back() -> None:
    for text, tile in (
        ("((32,2),(4,4)):((32,4),(1,8))", (32, 32)),
        ("((4,8,2),(2,2)):((32,1,0),(16,8))", (16, 8)),  # two copies
        ("(8,4):(1,8)", (4, 8)),  # a mode over two dimensions
        ("(16,1):(1,0)", (1, 16)),
    ):
        layout = parse(text)
        made = distribution(layout, tile)
        assert oracle.values(thread_value(made)) == oracle.values(layout)
        assert made.lengths == tile


@pytest.mark.parametrize(
    ("text", "tile", "wave", "reason"),
    [
        ("(8,2):(1,0)", (8,), None, "two registers would hold one element"),
        ("(8,2):(1,16)", (8, 2), None, "steps along no dimension"),
        ("(8,2):(1,8)", (8, 4), None, "along dimension 1 it holds 2 of 4 elements"),
        ("(8,2):(2,16)", (16, 2), None, "nothing steps by 1"),
        ("(6,2):(1,8)", (8, 2), None, "it holds 6 of 8 elements"),
        ("(6,2):(1,6)", (4, 3), None, "leaves dimension 0 of the tile after 4"),
        ("(8,2):(1,8)", (8, 2), 3, "are no waves of 3"),
        ("(8,2,2):(1,8,16)", (8, 4), None, "two modes, thread and value"),
    ],
)
def test_what_no_distribution_is_is_refused(text: str, tile: tuple[int, ...], wave: int | None, reason: str) -> None:
    with pytest.raises(NoLayoutError, match=reason):
        distribution(parse(text), tile, wave)
