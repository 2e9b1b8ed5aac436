"""Contents that are drawn for runs satisfy all that a launch assumes of them; where nothing can, that is told."""

import numpy as np
import pytest

from layoutalg.formats.spec import loads
from layoutalg.isa.run.arrays import Array
from layoutalg.launch.contents import ContradictionError, DrawnMemory

FILE = """
symbols = {{ B = {{ min = 1, max = 1000 }}, T = {{ min = 1, max = 100000 }} }}
[[descriptor]]
name = "s"
dtype = "i32"
base = {{ kind = "packed", lengths = ["B + 1"] }}
[[descriptor]]
name = "n"
dtype = "u16"
base = {{ kind = "packed", lengths = ["B"] }}
[[descriptor]]
name = "f"
dtype = "f32"
base = {{ kind = "packed", lengths = ["B"] }}
[launch]
grid = ["B"]
block = [64]
arguments = ["s", "n", "f", {{ name = "k", dtype = "i32" }}, {{ name = "m", dtype = "i32" }}]
writes = ["f"]
assume = {assume}
"""


def memory(assume: str, seed: int, b: int = 40, t: int = 300) -> DrawnMemory:
    file = loads(FILE.format(assume=assume))
    return DrawnMemory(file, {file.symbols["B"]: b, file.symbols["T"]: t}, seed, np.random.default_rng(seed))


def contents(assume: str, seed: int, b: int = 40, t: int = 300) -> dict[str, Array]:
    drawn = memory(assume, seed, b, t)
    assert drawn.file.launch is not None
    return dict(drawn.tensors({"s": (b + 1,), "n": (b,), "f": (b,)}, drawn.values(drawn.file.launch.given), ["f"]))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("assume", "holds"), [
    ('["0 <= s[i] <= T"]', lambda s, n, f: ((s >= 0) & (s <= 300)).all()),
    ('["s[i] == -100 or 0 <= s[i] < T"]', lambda s, n, f: set(s[s < 0]) <= {-100} and (s < 300).all()),
    ('["0 <= s[i] <= T", "s[i] <= s[i + 1]"]', lambda s, n, f: (np.diff(s) >= 0).all() and s[-1] <= 300),
    ('["0 <= s[i] <= T", "s[i] < s[j] for i < j"]', lambda s, n, f: (np.diff(s) > 0).all() and s[0] >= 0),
    ('["0 <= s[i] < T", "s[i] != s[j] for i != j"]', lambda s, n, f: len(set(s)) == 41),
    ('["s[0] == 0", "s[B] == T", "0 <= s[i + 1] - s[i] <= 20"]',
     lambda s, n, f: (s[0], s[-1]) == (0, 300) and 0 <= np.diff(s).min() <= np.diff(s).max() <= 20),
    ('["0 <= s[i]", "s[i] + n[i] <= T"]', lambda s, n, f: (s[:-1].astype(int) + n <= 300).all() and (s >= 0).all()),
    ('["s[i] % 16 == 0"]', lambda s, n, f: (s % 16 == 0).all()),
    ('["f[i] == 0"]', lambda s, n, f: (f == 0).all()),
    ('["n[i] >= i"]', lambda s, n, f: (n >= np.arange(40)).all()),
])  # fmt: skip
def test_what_is_drawn_is_what_is_assumed(assume: str, holds, seed: int) -> None:
    found = contents(assume, seed)
    assert holds(*(found.get(name) for name in "snf"))


@pytest.mark.parametrize("assume", [
    '["s[i] < s[i + 1]", "0 <= s[i] < B"]', '["s[0] == 1", "s[i] == 2"]', '["s[i] < s[i + 1]", "s[B] <= s[0]"]',
])  # fmt: skip
def test_what_contradicts_itself_is_told(assume: str) -> None:
    with pytest.raises(ContradictionError):
        contents(assume, 0, b=6)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_named_values_are_related(seed: int) -> None:
    drawn = memory('["0 <= k < m", "m <= 8", "k + m == 9"]', seed)
    assert drawn.file.launch is not None
    values = drawn.values(drawn.file.launch.given)
    assert 0 <= values["k"] < values["m"] <= 8
    assert values["k"] + values["m"] == 9


@pytest.mark.parametrize("seed", [0, 1])
def test_numbers_of_64_bits_may_differ(seed: int) -> None:
    file = loads(FILE.format(assume='["s[i] != s[j] for i != j"]').replace("i32", "i64", 1))
    drawn = DrawnMemory(file, {file.symbols["B"]: 40, file.symbols["T"]: 9}, seed, np.random.default_rng(seed))
    assert len(set(drawn.tensors({"s": (41,)}, {}, [])["s"])) == 41
