"""Kernels that AMD wrote by hand, out of aiter's wheel, audited by what their hosts pass.

    python -m benchmarks.foreign.assembly WHEEL [--seconds 60]

Each file of `launch/` begins with where its kernel stands in the wheel and which of aiter's files launches it.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import load
from layoutalg.isa.container.chosen import chosen_kernel
from layoutalg.isa.container.places import content_of
from layoutalg.isa.decode.code import decode_kernel

HERE = Path(__file__).parent


def main() -> None:
    """A line of each kernel: its verdict, and what is not proved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    for launch in sorted((HERE / "launch").glob("*.toml")):
        member = launch.read_text().split("\n", 1)[0].removeprefix("#: ")
        file, begun = load(launch), time.process_time()
        assert file.launch is not None
        _, kernel = chosen_kernel(content_of(given.wheel / member), file.launch.kernel, "")
        found = audit(decode_kernel(kernel), file, given.seconds)
        first = next((f"; {about}: {verdict.reason[:300]}" for about, verdict in found.failures), "")
        print(f"{launch.stem}: {found.name} ({len(found.claims)} claims, {time.process_time() - begun:.0f} s){first}")


if __name__ == "__main__":
    main()
