"""CuTe's operations on random layouts: how long one takes, and whether it is right, beside pycute, FlyDSL and Meta's.

    pip install --no-deps --target PEERS nvidia-cutlass==4.2.0.0 tensor-layouts==0.3.2 flydsl==0.5.0
    PYTHONPATH=.:PEERS python3 benchmarks/interop/cute.py

pycute is a package of the wheel nvidia-cutlass.  A peer that is not there is left out.  Every answer, ours and
theirs, is held against enumeration (tests/interop/cute/oracle.py).  FlyDSL's operations run where its compiler infers
types, so that no GPU is needed, each in a process of its own, for its
assertions end it; its time includes MLIR's.
"""

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from statistics import median
from types import SimpleNamespace
from typing import Any

from layoutalg.interop import cute
from layoutalg.interop.cute import Layout
from layoutalg.interop.cute.text import parse
from tests.interop.cute import oracle

CASES, FEW = 1000, 200
LARGEST = 1 << 10
"""The most coordinates of a layout that is enumerated."""
Made = Layout | None
Operation = Callable[[Layout, Layout], Made]


def cases(tiles: bool) -> Iterator[tuple[Layout, Layout]]:
    """Pairs from a fixed seed; with `tiles`, the second is one-to-one."""
    rng, found = random.Random(22), 0
    while found < CASES:
        one, other = oracle.any_layout(rng), (oracle.packed_layout if tiles else oracle.any_layout)(rng)
        if oracle.count(one) * oracle.count(other) <= LARGEST * 8 and oracle.count(one) <= LARGEST:
            found += 1
            yield one, other


# --- what is right ----------------------------------------------------------------------------------------------------


def composed(one: Layout, other: Layout, made: Layout) -> bool:
    """Wherever the second stays within the first: what is beyond a layout, each package has its own way with."""
    pairs = zip(oracle.values(made), oracle.values(other), strict=True)
    return all(m == oracle.at(one, i) for m, i in pairs if i < oracle.count(one))


def coalesced(one: Layout, _: Layout, made: Layout) -> bool:
    return oracle.values(made) == oracle.values(one)


def complemented(one: Layout, _: Layout, made: Layout) -> bool:
    """Increasing, and one-to-one together with the layout's offsets."""
    each, found = set(oracle.values(one)), oracle.values(made)
    return found == sorted(set(found)) and len({a + b for a in each for b in found}) == len(each) * len(found)


def inverted_left(one: Layout, _: Layout, made: Layout) -> bool:
    return [oracle.at(made, o) for o in oracle.values(one)] == list(range(oracle.count(one)))


def inverted_right(one: Layout, _: Layout, made: Layout) -> bool:
    return [oracle.at(one, i) for i in oracle.values(made)] == list(range(oracle.count(made)))


def divided(one: Layout, tile: Layout, made: Layout) -> bool:
    """Each tile is a translate of the tile, and every element of the layout is in one."""
    rest = cute.complement(tile, oracle.count(one))
    wanted = [oracle.at(one, a + b) for b in oracle.values(rest) for a in oracle.values(tile)]
    return len(made) == 2 and oracle.values(made) == wanted


def multiplied(one: Layout, block: Layout, made: Layout) -> bool:
    gaps = cute.complement(block, oracle.count(block) * cute.cosize(one))
    return oracle.values(made) == [
        a + oracle.at(gaps, b) for b in oracle.values(one) for a in oracle.values(block)
    ]  # fmt: skip


RIGHT = {
    "composition": composed,
    "coalesce": coalesced,
    "complement": complemented,
    "left_inverse": inverted_left,
    "right_inverse": inverted_right,
    "logical_divide": divided,
    "logical_product": multiplied,
}


# --- who is asked -----------------------------------------------------------------------------------------------------


def table(of: Any, layout: Callable[[Layout], Any]) -> dict[str, Callable[[Layout, Layout], Callable[[], Any]]]:
    """The operations of a package that has CuTe's names; what is timed is the operation alone."""

    def prepared(call: Callable[..., Any], arguments: Callable[[Layout, Layout], tuple[Any, ...]]) -> Any:
        def ready(one: Layout, other: Layout) -> Callable[[], Any]:
            given = tuple(layout(x) if isinstance(x, Layout) else x for x in arguments(one, other))
            return lambda: call(*given)

        return ready

    return {
        "composition": prepared(of.composition, lambda a, b: (a, b)),
        "coalesce": prepared(of.coalesce, lambda a, b: (a,)),
        "complement": prepared(of.complement, lambda a, b: (a, oracle.count(a))),
        "left_inverse": prepared(of.left_inverse, lambda a, b: (a,)),
        "right_inverse": prepared(of.right_inverse, lambda a, b: (a,)),
        "logical_divide": prepared(of.logical_divide, lambda a, b: (a, b)),
        "logical_product": prepared(of.logical_product, lambda a, b: (b, a)),
    }


def peers() -> dict[str, Any]:
    """Each peer that is installed, with how it is given a layout."""
    found: dict[str, Any] = {"layoutalg": table(cute, lambda x: x)}
    with suppress(ImportError):
        import pycute

        found["pycute"] = table(pycute, lambda x: pycute.Layout(x.shape, x.stride))
    with suppress(ImportError):
        import tensor_layouts as meta

        metas = SimpleNamespace(**{name: getattr(meta, name, meta.compose) for name in RIGHT})
        found["tensor-layouts"] = table(metas, lambda x: meta.Layout(x.shape, x.stride))
    with suppress(ImportError):
        found["FlyDSL"] = flydsl()
    return found


def flydsl() -> Any:
    """FlyDSL's operations, as its compiler infers their types."""
    from flydsl._mlir import ir
    from flydsl._mlir.dialects import fly

    context = ir.Context()
    context.__enter__()
    location = ir.Location.unknown()
    location.__enter__()
    module = ir.Module.create()
    point = ir.InsertionPoint(module.body)
    point.__enter__()

    def layout(one: Layout) -> Any:
        return fly.static(ir.Type.parse(cute.flydsl(one)))

    def number(n: int) -> Any:
        return fly.static(ir.Type.parse(f"!fly.int_tuple<{n}>"))

    called = SimpleNamespace(**{name: _typed(getattr(fly, name)) for name in RIGHT})
    called.complement = _typed(lambda one, n: fly.complement(one, codomain_size=number(n)))
    return table(called, layout)


def _typed(call: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: str(call(*given).type)


def alone(call: Callable[[], str]) -> tuple[float, str]:
    """The time and the answer of a call in a process of its own: FlyDSL's assertions end the process."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        start = time.process_time_ns()
        text = call()
        os.write(send, f"{time.process_time_ns() - start} {text}".encode())
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        told = pipe.read().decode()
    os.waitpid(child, 0)
    if not told:
        raise RuntimeError("the process was ended")
    taken, text = told.split(" ", 1)
    return int(taken) / 1e3, text


def here(call: Callable[[], Any]) -> tuple[float, Any]:
    """The least time of three, and the answer of a call."""
    times = list[int]()
    for _ in range(3):
        start = time.process_time_ns()
        answer = call()
        times.append(time.process_time_ns() - start)
    return min(times) / 1e3, answer


def plain(given: Any) -> Layout:
    """Whatever a package answered with, as a layout."""
    made = parse(given)
    assert isinstance(made, Layout)
    return made


# --- the table --------------------------------------------------------------------------------------------------------


def measured(name: str, who: str, operations: dict[str, Any]) -> str:
    """Median microseconds, wrong answers, refusals."""
    times, wrong, refused = list[float](), 0, 0
    ask = alone if who == "FlyDSL" else here
    for one, other in islice(cases(name.startswith("logical")), FEW if who == "FlyDSL" else CASES):
        try:
            taken, answer = ask(operations[name](one, other))
        except Exception:
            refused += 1
            continue
        times.append(taken)
        try:
            wrong += not RIGHT[name](one, other, plain(answer))
        except ValueError:  # no layout at all, or one of another size
            wrong += 1
    return f"{median(times):.1f} | {wrong} | {refused}"


def main() -> None:
    """The table."""
    print("| operation | of | median µs | wrong | refused |\n|---|---|---|---|---|")
    every = peers()
    for name in RIGHT:
        for who, operations in every.items():
            print(f"| {name} | {who} | {measured(name, who, operations)} |", flush=True)


if __name__ == "__main__":
    main()
