"""Launches whose blocks' sizes hang on sizes of the file: which there are, and what is given of sizes in each."""

from dataclasses import replace

import pytest

from layoutalg.errors import LaunchError
from layoutalg.formats.spec import loads
from layoutalg.launch.block_sizes import ManyBlocksError, of_each_block
from layoutalg.launch.symbolic import has_blocks, limits_of


def launches(symbols: str, block: str, grid: str = "1", given: str = "") -> dict[str, dict[str, tuple[float, float]]]:
    """The sizes of a block, and the least and the greatest of each symbol there."""
    text = f'symbols = {{ {symbols} }}\ngiven = [{given}]\n[launch]\ngrid = ["{grid}"]\nblock = {block}\narguments = []'
    found = of_each_block(loads(text))
    return {name: {v: (s.lo, s.hi) for v, s in one.symbols.items()} for name, one in found}


def test_each_multiple_is_a_size() -> None:
    found = launches("B = { min = 64, max = 256, multiple_of = 64 }", '["B"]')
    assert found == {str(n): {"B": (n, n)} for n in (64, 128, 192, 256)}


def test_each_power_of_two_is_a_size() -> None:
    assert [*launches("B = { min = 3, max = 32, power_of_two = true }", '["B"]')] == ["4", "8", "16", "32"]


def test_of_a_formula_each_size_has_the_sizes_that_lead_there() -> None:
    found = launches("H = { min = 1, max = 4096, multiple_of = 256 }", '["min(H, 1024)"]')
    assert found == {"256": {"H": (256, 256)}, "512": {"H": (512, 512)}, "768": {"H": (768, 768)},
                     "1024": {"H": (1024, 4096)}}  # fmt: skip


def test_each_value_of_a_size_that_is_named_is_looked_at() -> None:
    found = launches("s = { min = 0, max = 2 }", '[64]\neach = ["s"]')
    assert found == {f"s = {n}": {"s": (n, n)} for n in range(3)}
    both = launches("s = { min = -1, max = 0 }, B = { min = 64, max = 128, multiple_of = 64 }", '["B"]\neach = ["s"]')
    assert [*both] == ["64, s = -1", "64, s = 0", "128, s = -1", "128, s = 0"]
    sizes = "s = { min = 0, max = 5 }, T = { min = 3, max = 9 }"
    assert [*launches(sizes, '[64]\neach = ["s"]', given='"T <= s"')] == ["s = 3", "s = 4", "s = 5"]
    with pytest.raises(ManyBlocksError, match="s has 41 sizes"):
        launches("s = { min = 0, max = 40 }", '[1]\neach = ["s"]')


def test_what_limits_cannot_say_is_given() -> None:
    text = 'symbols = { H = { min = 0, max = 7 } }\n[launch]\ngrid = [1]\nblock = ["1 + H % 2", 4]\narguments = []'
    one, two = (file for _, file in of_each_block(loads(text)))
    assert str(limits_of(one)) != str(limits_of(two))
    assert one.launch is not None
    assert [size.value for size in one.launch.block] == [1, 4]


def test_sizes_that_the_file_excludes_are_left_out() -> None:
    more = "B = { min = 64, max = 192, multiple_of = 64 }"
    assert [*launches(more, '["B"]', given='"B != 128"')] == ["64", "192"]


def test_sizes_at_which_nothing_is_launched_are_left_out() -> None:
    more = "B = { min = 64, max = 192, multiple_of = 64 }"
    assert [*launches(more, '["B"]', grid="128 // B")] == ["64", "128"]


@pytest.mark.parametrize("limits", ["min = 0, max = 3", "min = 1, max = 3"])
def test_sizes_at_which_a_block_has_no_threads_are_left_out(limits: str) -> None:
    found = launches(f"K = {{ {limits} }}", '["64 * (K // 2)"]')
    assert found == {"64": {"K": (2, 3)}}


def test_a_block_that_never_has_threads_is_left_to_be_refused() -> None:
    assert [*launches("K = { min = 0, max = 7 }", '["(K % 2) * ((K + 1) % 2)"]')] == ["0"]


@pytest.mark.slow
def test_what_a_formula_comes_to_between_may_be_any_number() -> None:
    found = launches("K = { min = 1, max = 65536 }", '["min(64 * K * K * K * K, 1024)"]')
    assert found == {"64": {"K": (1, 1)}, "1024": {"K": (2, 65536)}}


def test_a_launch_of_numbers_is_as_it_is() -> None:
    file = loads('symbols = { N = { min = 0, max = 9 } }\n[launch]\ngrid = ["N"]\nblock = [64]\narguments = []')
    ((name, same),) = of_each_block(file)
    assert not name
    assert same is file
    assert str(has_blocks(file)) == "1 <= N"


def test_a_launch_that_was_changed_since_is_refused() -> None:
    file = loads('symbols = { B = { min = 1, max = 9 } }\n[launch]\ngrid = [1]\nblock = ["B"]\narguments = []')
    assert file.launch is not None
    assert len(of_each_block(file)) == 9
    with pytest.raises(LaunchError, match="not read so"):
        of_each_block(replace(file, launch=replace(file.launch, writes=("o",))))


@pytest.mark.parametrize(
    ("symbols", "block", "why"),
    [
        ("B = { min = 1, max = 33 }", '["B"]', "33 sizes"),
        ("B = { min = 1 }", '["B"]', "give max"),
        ("K = { min = 1, max = 65536 }", '["K * K * K * K"]', "more threads than int64 holds"),
        ("B = { min = 1, max = 4096 }, C = { min = 1, max = 4096 }", '["min(B, C)"]', "give max"),
    ],
)
def test_too_many_are_refused(symbols: str, block: str, why: str) -> None:
    with pytest.raises(ManyBlocksError, match=why):
        launches(symbols, block)
