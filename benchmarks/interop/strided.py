"""How long every answer about a strided view takes: inside its storage, overlap, dense, contiguous, vectors.

    python3 benchmarks/interop/strided.py

Views of four kinds from a fixed seed; the time of one is that of making it and asking everything.
Enumeration in numpy, of overlap alone, is timed beside on the views of at most 2¹⁶ elements.
"""

import random
import time
from collections.abc import Callable
from math import prod
from statistics import median, quantiles

import numpy as np

from layoutalg.errors import LayoutError
from layoutalg.interop.strided import Strided

COUNT, HOSTILE = 2000, 1000


def packed(rng: random.Random) -> Strided:
    """A contiguous tensor, permuted, sliced and flipped as programs do."""
    sizes = [rng.choice([1, 2, 3, 8, 16, 64, 128, 1000]) for _ in range(rng.randint(1, 6))]
    strides = [prod(sizes[n + 1 :]) * rng.choice([1, 1, 1, 2, -1]) for n in range(len(sizes))]
    order = rng.sample(range(len(sizes)), len(sizes))
    return _over([sizes[n] for n in order], [strides[n] for n in order])


def windows(rng: random.Random) -> Strided:
    """Sliding windows of a packed tensor: every one of them overlaps."""
    rows, columns, k = rng.randint(8, 512), rng.randint(8, 512), rng.randint(2, 7)
    return _over([rows - k + 1, columns - k + 1, k, k], [columns, 1, columns, 1])


def chance(rng: random.Random) -> Strided:
    """`as_strided` by chance: ranks to 5, strides to 10 000."""
    sizes = [rng.randint(1, 64) for _ in range(rng.randint(1, 5))]
    return _over(sizes, [rng.randint(-10_000, 10_000) for _ in sizes])


def hostile(rng: random.Random) -> Strided:
    """Large coprime strides of like size, ranks to 8: what the search is worst at."""
    sizes = [rng.randint(1, 4096) for _ in range(rng.randint(2, 8))]
    return _over(sizes, [rng.randint(1, 10 ** rng.randint(1, 9)) for _ in sizes])


def _over(sizes: list[int], strides: list[int]) -> Strided:
    reach = Strided(tuple(sizes), tuple(strides), 0, 0).reach
    return Strided(tuple(sizes), tuple(strides), -reach.start, len(reach))


def ask(view: Strided) -> bool | None:
    """Everything but overlap; then whether two indices share an element, None where that is not decided."""
    _ = view.is_inside, view.escape, view.is_contiguous, view.contiguous, view.vectors
    try:
        return view.overlap is not None
    except LayoutError:
        return None


def enumerated(view: Strided) -> bool:
    """The same of overlap alone, by every offset."""
    offsets = np.zeros(1, np.int64)
    for n, s in zip(view.sizes, view.strides, strict=True):
        offsets = np.add.outer(offsets, s * np.arange(n)).ravel()
    return len(np.unique(offsets)) < len(offsets)


def taken(call: Callable[[], bool | None]) -> tuple[float, bool | None]:
    """Microseconds of processor time, and the answer."""
    start = time.process_time_ns()
    answer = call()
    return (time.process_time_ns() - start) / 1e3, answer


def main() -> None:
    """The table."""
    print("| views | overlap | not decided | median µs | 99 % µs | most µs | enumeration, median µs | differences |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in (packed, windows, chance, hostile):
        rng = random.Random(22)
        views = [kind(rng) for _ in range(COUNT if kind is not hostile else HOSTILE)]
        times, answers = zip(*(taken(lambda v=v: ask(v)) for v in views), strict=True)
        small = [n for n, v in enumerate(views) if prod(v.sizes) <= 1 << 16]
        by_hand = [taken(lambda v=views[n]: enumerated(v)) for n in small]
        wrong = sum(answers[n] not in (said, None) for n, (_, said) in zip(small, by_hand, strict=True))
        figures = f"{median(times):.0f} | {quantiles(times, n=100)[98]:.0f} | {max(times):.0f}"
        slow = f"{median(t for t, _ in by_hand):.0f}" if by_hand else "–"
        told = f"{answers.count(True)} of {len(views)} | {answers.count(None)}"
        print(f"| {kind.__name__} | {told} | {figures} | {slow} | {wrong} of {len(small)} |")


if __name__ == "__main__":
    main()
