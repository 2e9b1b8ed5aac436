"""How what we ask grows: with symbols, with claims, with the length of a kernel; z3 alone and peers in the same run.

    pip install islpy triton==3.9.0                      # where they are not, their columns are empty
    python -m benchmarks.growth symbols dimensions claims kernels > benchmarks/GROWTH.md

Processor time of this process and of those that it starts, of new questions the mean: sizes have names that nothing
is remembered of.  A question has two seconds, as budgets count them, an audit sixty.  `unknown`: not decided in these;
`–`: not asked, since a smaller one was not decided or took over twenty seconds; `affine only`: a product of two sizes
is nothing that ISL can say.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import resource
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats import loads
from layoutalg.index import Term, symbol
from layoutalg.index.evaluate import value
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.layout import (
    Merge,
    TensorDescriptor,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    make_naive_tensor_descriptor_with_offset,
    transform_tensor_descriptor,
)
from layoutalg.prove import Claim, InBounds, Injective, Limits, prove
from layoutalg.prove.parallel import prove_all

TARGET = "gfx942"
LIMITS = Limits(seconds=2)
TOO_LONG = 20.0
"""Seconds of an answer after which no larger question is asked."""
ISL_OPERATIONS = 20_000_000
AFFINE = "affine only"
MOST, ENOUGH = 64, 0.3
"""Questions that are asked together, and seconds that are enough of them."""

Asked = Callable[[int], str | None]
"""A question of a size: what is said instead of its time, None where it was answered."""


def spent() -> float:
    """Of this process, of those that have ended, and of the solver's, which stays."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own = sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))
    return own + sum(map(_spent_by, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def _spent_by(process: str) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds(question: Callable[[], str | None], most: int) -> float | str:
    """The mean time of answers: of one that takes long, else of so many that the clock's ticks matter little."""
    gc.collect()
    before, count = spent(), 0
    while count < most and (count == 0 or spent() - before < ENOUGH):
        for _ in range(max(1, count)):
            said = question()
            if said is not None:
                return said
        count += max(1, count)
    return (spent() - before) / count


def table(of: str, sizes: Sequence[int], asked: dict[str, Asked], most: int = MOST) -> Iterator[str]:
    """A column a question, a row a size."""
    yield f"| {of} | {' | '.join(asked)} |"
    yield f"|---:|{'---:|' * len(asked)}"
    slow: set[str] = set()
    for ask in asked.values() if most > 1 else ():
        ask(sizes[0])  # what it needs is imported; a question that is asked once says so itself
    for size in sizes:
        cells = []
        for name, ask in asked.items():
            found = "–" if name in slow else seconds(partial(ask, size), most)
            if isinstance(found, str) or found > TOO_LONG:
                slow |= {name} if found != AFFINE else set()
            cells.append(found if isinstance(found, str) else shown(found))
        yield f"| {size:,} | {' | '.join(cells)} |"


def shown(took: float) -> str:
    return f"{took * 1e6:,.0f} µs" if took < 1e-3 else f"{took * 1e3:,.1f} ms" if took < 1 else f"{took:,.1f} s"


_COUNT = iter(range(1 << 40))


def fresh(name: str) -> str:
    """A name that nothing is remembered of."""
    return f"{name}{next(_COUNT)}"


def decided(claim: Claim, strategy: str | None = None) -> str | None:
    verdict = prove(claim, strategy=strategy, limits=LIMITS)
    return None if verdict.name == "proved" else "unknown"


# --- symbols ----------------------------------------------------------------------------------------------------------


def packed(count: int) -> TensorDescriptor:
    return make_naive_tensor_descriptor_packed([symbol(fresh("N")) for _ in range(count)])


def merged(count: int) -> TensorDescriptor:
    """One index over all of a packed tensor: its digits are found, and put together again."""
    sizes = [symbol(fresh("N")) for _ in range(count)]
    base = make_naive_tensor_descriptor_packed(sizes)
    return transform_tensor_descriptor(base, [Merge(tuple(sizes))], [list(range(count))], [[0]])


def symbols() -> Iterator[str]:
    yield "## Symbols\n\nA packed tensor of so many lengths, each any number from 1 on.\n"
    asked: dict[str, Asked] = {
        "in bounds, ours": lambda n: decided(InBounds(packed(n))),
        "z3 alone": lambda n: decided(InBounds(packed(n)), "z3"),
        "one to one, ours": lambda n: decided(Injective(packed(n))),
        "z3 alone ": lambda n: decided(Injective(packed(n)), "z3"),
        "merged to one index, ours": lambda n: decided(Injective(merged(n))),
        "z3 alone  ": lambda n: decided(Injective(merged(n)), "z3"),
        "ISL": partial(isl_injective, None),
    }
    yield from table("symbols", (1, 2, 3, 4, 6, 8, 12, 16), asked)


# --- dimensions -------------------------------------------------------------------------------------------------------


def fixed(count: int, offset: int = 0) -> TensorDescriptor:
    """2 × 2 × …, permuted: the last index has stride 1, those before it from the first on 2, 4, …."""
    strides = [1 << k for k in (*range(1, count), 0)]
    return make_naive_tensor_descriptor_with_offset([2] * count, strides, offset)


def isl_injective(length: int | None, count: int) -> str | None:
    """ISL's `is_injective` of the offsets; of a symbol where no length is given."""
    try:
        isl = import_module("islpy")
    except ImportError:
        return "not installed"
    if length is None and count > 1:
        return AFFINE
    names = [f"x{k}" for k in range(count)]
    terms = [f"{1 << k}*{x}" for k, x in zip((*range(1, count), 0), names, strict=True)]
    inside = " and ".join(f"0 <= {x} < {length or 'N'}" for x in names)
    context = isl.Context()
    context.set_max_operations(ISL_OPERATIONS)
    text = f"{'' if length else '[N] -> '}{{ [{', '.join(names)}] -> [{' + '.join(terms)}] : {inside} }}"
    try:
        return None if isl.Map.read_from_str(context, text).is_injective() else "WRONG"
    except isl.Error:
        return "given up"


def triton_injective(count: int) -> str | None:
    """Triton's linear layouts: the images of the bits, and whether they can be inverted."""
    try:
        linear = import_module("triton._C.libtriton").linear_layout
    except ImportError:
        return "not installed"
    bases = [(f"x{k}", [[1 << stride]]) for k, stride in enumerate((*range(1, count), 0))]
    layout = linear.LinearLayout.from_bases(bases, ["offset"], [1 << count], False)
    return None if layout.is_invertible() else "WRONG"


def dimensions() -> Iterator[str]:
    yield "## Dimensions\n\nAre 2 × 2 × … elements, permuted, one to one?  `again`: what was asked before.\n"
    asked: dict[str, Asked] = {
        "ours": lambda n: decided(Injective(fixed(n, next(_COUNT)))),
        "z3 alone": lambda n: decided(Injective(fixed(n, next(_COUNT))), "z3"),
        "ours, again": lambda n: decided(Injective(fixed(n))),
        "F₂ rank alone, again": lambda n: decided(Injective(fixed(n)), "f2"),
        "ISL": partial(isl_injective, 2),
        "Triton": triton_injective,
    }
    yield from table("dimensions", (1, 2, 4, 8, 12, 16), asked)


# --- claims -----------------------------------------------------------------------------------------------------------


def many(count: int) -> list[Claim]:
    """Claims of which no two are alike: padded tiles of a symbol of rows."""
    found: list[Claim] = []
    for columns, pad in product(range(1, count + 1), range(1, 33)):
        rows: Term = symbol(fresh("M"), max=1 << 16)
        tile = make_naive_tensor_descriptor((rows, columns), (columns + pad, 1))
        found += [Injective(tile), InBounds(tile)]
        if len(found) >= count:
            break
    return found[:count]


def all_proved(count: int, strategy: str | None = None) -> str | None:
    verdicts = prove_all(many(count), strategy=strategy, limits=LIMITS)
    return None if all(verdict.name == "proved" for verdict in verdicts) else "unknown"


def isl_all(count: int) -> str | None:
    try:
        isl = import_module("islpy")
    except ImportError:
        return "not installed"
    for claim in many(count):
        d: Any = claim.descriptor  # type: ignore[attr-defined]
        stride, columns = value(d.offset((1, 0)), {}), int(d.lengths[1])
        text = f"[M] -> {{ [i, j] -> [{stride}i + j] : 0 <= i < M and 0 <= j < {columns} }}"
        if not isl.Map(text).is_injective():
            return "WRONG"
    return None


def claims() -> Iterator[str]:
    yield "## Claims\n\nSo many claims on tiles that all differ, one after another; ISL is asked all as injectivity.\n"
    asked: dict[str, Asked] = {"ours": all_proved, "z3 alone": lambda n: all_proved(n, "z3"), "ISL": isl_all}
    for ask in asked.values():
        ask(1)
    yield from table("claims", (10, 100, 1_000, 10_000, 100_000), asked, most=1)


# --- kernels ----------------------------------------------------------------------------------------------------------

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void long_one(const int* x, int* o, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  int v = x[min(i, n - 1)];
  asm volatile(".set k, 0x10000\\n.rept COUNT\\nv_xor_b32 %0, k, %0\\n.set k, k + 3\\n.endr" : "+v"(v));
  if (i < n) o[i] = v;
}
"""

LAUNCH = """
symbols = { N = { min = 1, max = 1073741824 } }
[[descriptor]]
name = "x"
dtype = "i32"
base = { kind = "packed", lengths = ["N"] }
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "packed", lengths = ["N"] }
[launch]
kernel = "long_one"
grid = ["(N + 255) // 256"]
block = [256]
arguments = ["x", "o", "N"]
writes = ["o"]
"""


def kernels() -> Iterator[str]:
    yield "## Kernels\n\nSo many instructions of gfx942 in a row, of which no two are alike: decoded, audited whole.\n"
    made: dict[int, bytes] = {}

    def code(count: int) -> bytes:
        if count not in made:
            made[count] = compile_source(SOURCE.replace("COUNT", str(count)), TARGET).payload
        return made[count]

    def decode(count: int) -> str | None:
        decode_kernel(read_kernels(code(count))["long_one"])
        return None

    def audited(count: int) -> str | None:
        found = audit(decode_kernel(read_kernels(code(count))["long_one"]), loads(LAUNCH), 60.0)
        return None if found.proved else found.name

    sizes = (100, 1_000, 10_000, 100_000)
    for count in sizes:
        code(count)
    decode(10)
    audited(10)
    yield from table("instructions", sizes, {"decoded": decode, "audited": audited}, most=1)


TABLES = {"symbols": symbols, "dimensions": dimensions, "claims": claims, "kernels": kernels}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}; all where none is named")
    names = parser.parse_args().tables or [*TABLES]
    said = []
    for package in ("z3-solver", "islpy", "triton"):
        try:
            said.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            said.append(f"no {package}")
    load = os.getloadavg()[0]
    print("# Growth\n\n" + (__doc__ or "").split("\n\n", 1)[1])
    print(f"{date.today()}, {os.cpu_count()} cores of {processor()}, load {load:.0f}; Python "
          f"{platform.python_version()}, {', '.join(said)}.\n")  # fmt: skip
    for name in names:
        for line in TABLES[name]():
            print(line, flush=True)
        print(flush=True)


def processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as told:
        found = [line.split(":", 1)[1].strip() for line in told if line.startswith("model name")]
    return found[0] if found else platform.machine()


if __name__ == "__main__":
    main()
