"""On a GPU's machine, with torch, cuda-python and numpy, and neither prover nor compiler: what was prepared, measured.

    layoutalg bench --prepare build/bench --target sm_90                # where the prover is
    python3 benchmarks/gpu/measure.py build/bench figures.json plot.svg    # where the GPU is

The same as `layoutalg bench --prepared build/bench`, which needs the command line's packages.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from layoutalg.bench.measure import measure
from layoutalg.bench.prepare import read_prepared
from layoutalg.bench.report import line, plot, table
from layoutalg.device import choose_device


def main() -> None:
    """Measures a folder; writes figures and plot."""
    folder, figures, drawn = map(Path, sys.argv[1:4])
    results = measure(read_prepared(folder), choose_device(), told=lambda row: print(line(row), flush=True))
    figures.write_text(json.dumps(results.to_json(), indent=1))
    drawn.write_text(plot(results))
    print(table(results))


if __name__ == "__main__":
    main()
