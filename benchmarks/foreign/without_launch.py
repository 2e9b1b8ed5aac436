"""`layoutalg audit` with no launch file, over some kernels of libraries: what loads, what is told, how long it takes.

    python -m benchmarks.foreign.without_launch LIBRARY … [--target gfx90a:xnack-] [--count 100] [--seconds 10]

The kernels are spread evenly over the code objects of each library and over the names in each.  A kernel is followed
where its accesses are known; its template is to load as it stands.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from layoutalg.audit.figures.figures import figures
from layoutalg.errors import DeviceError, SpecError
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.container.bundle import code_objects
from layoutalg.isa.decode.code import decode_kernel


def spread(count: int, of: Sequence[bytes]) -> Iterator[KernelBinary]:
    """So many kernels of some code objects, about as many of each."""
    left = count
    for number, payload in enumerate(of):
        kernels = read_kernels(payload)
        names = sorted(kernels)
        wanted = min(len(names), -(-left // (len(of) - number)))
        left -= wanted
        for k in range(wanted):
            yield kernels[names[k * len(names) // wanted]]


def told(kernel: KernelBinary, seconds: float) -> str:
    """What comes of a kernel."""
    try:
        found = figures(decode_kernel(kernel), seconds)
        loads(found.template)
    except (DeviceError, SpecError) as error:
        return f"refused: {error}"
    if found.missing:
        return f"not described: {', '.join(found.missing)}"
    if found.unread:
        return f"not followed: {found.unread}"
    known = sum(not one.why for one in found.costs)
    return (
        f"followed: the cost of {'all' if known == len(found.costs) else 'some' if known else 'no'} accesses is known"
    )


def main() -> int:
    """A line of each kernel, then counts and times; 1 where an audit crashes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="+", type=Path)
    parser.add_argument("--target", default="gfx90a:xnack-")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    counted, crashes, spent = Counter[str](), 0, list[float]()
    for library in given.libraries:
        objects = [one.payload for one in code_objects(library.read_bytes(), given.target)]
        for kernel in spread(given.count // len(given.libraries), objects):
            start = time.process_time()
            try:
                what = told(kernel, given.seconds)
            except Exception:
                what, crashes = "a crash", crashes + 1
                traceback.print_exc()
            spent.append(time.process_time() - start)
            counted[what.partition(":")[0]] += 1
            print(f"{library.name} {kernel.name}: {what} ({spent[-1]:.2f} s)", flush=True)
    print(*(f"| {what} | {n} |" for what, n in counted.most_common()), sep="\n")
    print(f"CPU: median {statistics.median(spent):.2f} s, worst {max(spent):.1f} s")
    return int(crashes > 0)


if __name__ == "__main__":
    sys.exit(main())
