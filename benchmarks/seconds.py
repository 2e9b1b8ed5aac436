"""What must not take long, and how long it takes: in seconds of the processor.

    python -m benchmarks.seconds      # fails where one takes longer than its limit

Tests ask no clock: the machine that runs them has other things to do.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from math import prod
from pathlib import Path

from benchmarks import offsets
from layoutalg.draw import grid
from layoutalg.formats import load, loads
from layoutalg.formats.check import check
from layoutalg.index import nonnegative, symbol, var
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.convolution import convolution
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.library.windows import Windows
from layoutalg.kernel.program import Program
from layoutalg.kernel.verify import verify
from layoutalg.layout import (
    Merge,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.prove import Injective, Limits, prove

ROOT = Path(__file__).parents[1]
SPEC = """
[[descriptor]]
name = "tile"
base = { kind = "naive", lengths = [64, 64], strides = [72, 1] }
claims = ["in_bounds", "injective"]
"""
DEEP = "M" + "".join(f"+N)//{k % 5 + 2}" for k in range(190))
NESTED = f"""
symbols = {{ M = {{ min = 1 }}, N = {{ min = 1 }} }}
[[descriptor]]
name = "nested"
base = {{ kind = "packed", lengths = ["{"(" * 190}{DEEP}", 4] }}
"""


def started(*arguments: str) -> None:
    """A process of Python's."""
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def checked() -> None:
    """The command, on a file of one descriptor."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tile.toml"
        path.write_text(SPEC)
        started("-m", "layoutalg", "check", str(path))


def proved(make: Callable[[], Program]) -> None:
    """A program, all of it."""
    assert verify(make()).proved


def all_proofs() -> None:
    """The files in proofs/."""
    for path in (ROOT / "proofs").rglob("*.toml"):
        assert all(result.passed for result in check(load(path)))


def merged() -> None:
    """A merge of twenty sizes without bounds, which is given two seconds."""
    sizes = [symbol(f"N{k}") for k in range(20)]
    base = make_naive_tensor_descriptor_packed(sizes)
    claim = Injective(transform_tensor_descriptor(base, [Merge(tuple(sizes))], [list(range(20))], [[0]]))
    prove(claim, limits=Limits(seconds=2))


def nested() -> None:
    """A length that is nested 190 deep, which is given two seconds a claim."""
    list(check(loads(NESTED), limits=Limits(seconds=2)))


def inequality() -> None:
    """That an index in eight dimensions is below their product."""
    sizes = [symbol(f"S{n}") for n in range(8)]
    nonnegative(prod(sizes) - sum(prod(sizes[n:]) * var(f"i{n}", size) for n, size in enumerate(sizes)))


def tabulated(name: str) -> None:
    """16 million offsets, at most three times as long as by hand."""
    found = offsets.measure(name, rounds=3)
    assert found.equal
    assert found.ratio < 3, f"{found.ratio:.1f} times as long as by hand"


CASES: dict[str, tuple[float, Callable[[], object]]] = {
    "import layoutalg": (0.1, partial(started, "-c", "import layoutalg")),
    "the version": (0.1, partial(started, "-m", "layoutalg", "--version")),
    "the help": (0.1, partial(started, "-m", "layoutalg", "--help")),
    "check of one descriptor": (0.5, checked),
    "a picture of 128 × 64": (0.5, lambda: str(grid(make_naive_tensor_descriptor((128, 64), (72, 1)), "bank"))),
    "all of proofs/": (30, all_proofs),
    "the transposition by registers": (1, partial(proved, register_transpose)),
    "the transposition by LDS": (1, partial(proved, lds_transpose)),
    "a product of matrices": (5, partial(proved, lambda: contraction(parse_einsum("ik,kj->ij"), widths=(4, 4, 4)))),
    "a convolution": (5, partial(proved, lambda: convolution(Windows((3, 3), (1, 1), (1, 1), (1, 1))))),
    "a merge of twenty sizes": (4.2, merged),
    "a length nested 190 deep": (20, nested),
    "an inequality of eight sizes": (2, inequality),
    **{f"offsets, {name}": (10, partial(tabulated, name)) for name in offsets.CASES},
}
"""What is done → its limit, and how."""


def spent() -> float:
    """Of this process and of those that it waited for."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


def main() -> int:
    """Prints a line a case."""
    late = 0
    for name, (limit, done) in CASES.items():
        before = spent()
        done()
        seconds = spent() - before
        late += seconds > limit
        print(f"{seconds:8.3f} s of {limit:5.1f}  {name}{'  TOO LONG' if seconds > limit else ''}")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
