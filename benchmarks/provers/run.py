"""Our prover and its peers on the same questions in one run: medians, ratios, a table and a plot.

`python -m benchmarks.provers.run` writes RESULTS.md and growth.svg beside this file.  Needs the extra `bench`; Triton
is measured where it is installed, LEGO where LEGO_PYTHON names a Python that has it (`ask_lego.py`).  "first" is a
claim that nothing is remembered of (all caches emptied), "again" the same claim once more; every other row is a
repeated question, what it is asked of being built before.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.builders import universal_row_major
from benchmarks.corpus import concrete
from benchmarks.provers import peers
from layoutalg.index import expr, var
from layoutalg.index.f2 import rank_of
from layoutalg.memory import ConflictFree, access, lane_map
from layoutalg.memory.banks import OutsideLdsError
from layoutalg.prove import Bijective, Injective, Limits, domain, prove
from layoutalg.prove import claims as claim_module
from layoutalg.prove.obligation import InjectiveMap
from layoutalg.prove.verdict import Verdict

TILES = ((64, 32), (128, 64), (256, 64), (256, 128), (512, 128), (1024, 256))
HERE = Path(__file__).parent
SLOW = 0.05
"""A question that takes longer is asked a few times only."""


def forget() -> None:
    """Empties every cache of the prover, and forgets the expressions that nobody holds."""
    rooms = [module for name, module in sys.modules.items() if name.startswith(("layoutalg.index", "layoutalg.prove"))]
    for function in {id(one): one for room in rooms for one in vars(room).values()}.values():
        if hasattr(function, "cache_clear") and function is not expr.const:
            function.cache_clear()
    expr._RECENT.clear()
    gc.collect()


def median_us(question: Callable[[], object], before: Callable[[], None] | None = None) -> float:
    """The median time of a question, in microseconds."""
    times: list[float] = []
    while len(times) < 5 or (sum(times) < 0.2 and len(times) < 200):
        if before is not None:
            before()
        start = time.perf_counter()
        question()
        times.append(time.perf_counter() - start)
        if times[-1] > SLOW and len(times) >= 3:
            break
    return statistics.median(times) * 1e6


def must(verdict: Verdict) -> None:
    """A measurement of a wrong answer is worth nothing."""
    if verdict.name != "proved":
        raise AssertionError(str(verdict))


def tiles() -> dict[str, list[float | None]]:
    """Is the swizzled fp16 tile a bijection?  One column a tile."""
    rows: dict[str, list[float | None]] = {}

    def add(name: str, us: float | None) -> None:
        rows.setdefault(name, []).append(us)

    for m, k in TILES:
        claim = Bijective(universal_row_major(m, k))
        form = domain.digit_form(claim.descriptor)
        (obligation,) = Injective(claim.descriptor).obligations()
        assert isinstance(obligation, InjectiveMap)
        add("ours, portfolio, first", median_us(lambda c=claim: must(prove(c)), forget))  # type: ignore[misc]
        add("ours, portfolio, again", median_us(lambda c=claim: must(prove(c))))  # type: ignore[misc]
        add("ours, F₂ rank alone", median_us(lambda f=form: rank_of(f.bottom, f.variables)))  # type: ignore[misc]
        add("ours, z3 alone", median_us(lambda c=claim: must(prove(c, strategy="z3"))))  # type: ignore[misc]
        add("ours, enumeration alone", median_us(lambda c=claim: must(prove(c, strategy="enumeration"))))  # type: ignore[misc]
        for name, question in (
            ("numpy by hand", peers.numpy_bijective(claim.descriptor)),
            ("ISL (injective)", peers.isl_injective(obligation)),
            ("Triton LinearLayout", peers.triton_bijective(form.bottom[0], form.variables)),
        ):
            if question is None:
                add(name, None)
                continue
            if not question():
                raise AssertionError(f"{name}: {m}x{k} is a bijection")
            add(name, median_us(question))
    return rows


def conflicts() -> list[str]:
    """Has a column read of the tile bank conflicts?  LEGO's question, and ours; in Markdown."""
    head = "| | " + " | ".join(f"{m}×{k}" for m, k in TILES) + " |"
    lines = ["", "## Has a read of 32 rows of the tile bank conflicts?  Median time in µs", "",
             head, "|---" * (len(TILES) + 1) + "|"]  # fmt: skip
    ours = []
    for m, k in TILES:
        try:
            read = access(universal_row_major(m, k), LANES, "f16", "gfx942", "ds_read_b128")
        except OutsideLdsError:
            ours.append("–")
            continue
        ours.append(f"{median_us(lambda r=read: must(prove(ConflictFree(r)))):,.0f}")  # type: ignore[misc]
    lines.append(f"| ours (gfx942, ds_read_b128; – is more than its LDS) | {' | '.join(ours)} |")
    python = os.environ.get("LEGO_PYTHON")
    if python is None:
        return [*lines, "", "LEGO is not measured here: LEGO_PYTHON names no Python that has it."]
    asked = subprocess.run(
        [python, str(HERE / "ask_lego.py"), *(f"{m}x{k}" for m, k in TILES)], capture_output=True, text=True, check=True
    )
    said = json.loads(asked.stdout)
    for name, times in (("with the check", said["checked"]), ("without it", said["lowered"])):
        lines.append(f"| LEGO {said['version']}, its pass {name} | {' | '.join(f'{t:,.0f}' for t in times)} |")
    told = "; ".join(f"“{text}”" for text in said["said"]) or "nothing"
    return [*lines, "", f"LEGO says of the tile: {told}.",
            "It has no question of bijectivity, and takes a map that is none.",
            "Its banks are 32 of one element each; ours are the instruction's own groups of lanes."]  # fmt: skip


LANE = var("lane", 64)
LANES = lane_map(LANE, (LANE % 32, LANE // 32 * 8), 8)


def corpus() -> dict[str, tuple[int, float, float, int]]:
    """Every injectivity of the corpus: how many were decided, the median, the total, and how many were given up."""
    obligations: list[tuple[str, Injective, InjectiveMap]] = []
    for entry in concrete():
        for claim in entry.claims:
            if isinstance(claim, claim_module.Injective):
                (o,) = claim.obligations()
                assert isinstance(o, InjectiveMap)
                obligations.append((entry.name, claim, o))
    found: dict[str, tuple[int, float, float, int]] = {}
    routes: dict[str, Callable[[Injective, InjectiveMap], bool]] = {
        "ours, portfolio, first": lambda claim, o: prove(claim).name == "proved",
        "ours, z3 alone": lambda claim, o: prove(claim, strategy="z3", limits=Limits(seconds=10)).name == "proved",
        "ours, enumeration alone": lambda claim, o: prove(claim, strategy="enumeration").name == "proved",
    }
    for name, ask in routes.items():
        times = []
        for _, claim, o in obligations:
            forget()
            start = time.perf_counter()
            assert ask(claim, o), claim
            times.append(time.perf_counter() - start)
        found[name] = len(times), statistics.median(times) * 1e3, sum(times) * 1e3, 0
    times, lost = [], 0
    for _, _, o in obligations:
        question = peers.isl_injective(o)
        start = time.perf_counter()
        try:
            assert question()
        except Exception as error:  # islpy raises its own class, made at run time
            if type(error).__name__ != "Error":
                raise
            lost += 1
        times.append(time.perf_counter() - start)
    found["ISL"] = len(times) - lost, statistics.median(times) * 1e3, sum(times) * 1e3, lost
    return found


def packages() -> str:
    """What was measured, by version."""
    out = []
    for name in ("z3-solver", "islpy", "numpy", "triton"):
        try:
            out.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            out.append(f"{name} not installed")
    return f"{', '.join(out)}; Python {platform.python_version()}, {platform.machine()}"


def report(rows: dict[str, list[float | None]], found: dict[str, tuple[int, float, float, int]]) -> str:
    """The tables, in Markdown."""
    head = "| | " + " | ".join(f"{m}×{k}" for m, k in TILES) + " | times the portfolio |"
    lines = [
        "# Provers, side by side", "", (__doc__ or "").strip(), "", packages(), "",
        "## Is the swizzled fp16 tile a bijection?  Median time in µs", "", head, "|---" * (len(TILES) + 2) + "|",
    ]  # fmt: skip
    ours = rows["ours, portfolio, first"]
    for name, times in rows.items():
        cells = ["–" if t is None else f"{t:,.0f}" if t >= 10 else f"{t:.1f}" for t in times]
        ratios = [t / o for t, o in zip(times, ours, strict=True) if t is not None and o is not None]
        lines.append(f"| {name} | {' | '.join(cells)} | {statistics.median(ratios):.2f} |" if ratios
                     else f"| {name} | {' | '.join(cells)} | – |")  # fmt: skip
    lines += ["", "## Is each descriptor of the corpus injective?", "",
              "| | decided | median ms | total ms | given up | times the portfolio |",
              "|---|---:|---:|---:|---:|---:|"]  # fmt: skip
    base_total = found["ours, portfolio, first"][2]
    for name, (decided, median, total, lost) in found.items():
        lines.append(f"| {name} | {decided} | {median:.3f} | {total:,.0f} | {lost} | {total / base_total:.1f} |")
    return "\n".join([*lines, *conflicts(), "", "![growth with the tile](growth.svg)", ""])


def plot(rows: dict[str, list[float | None]]) -> None:
    """Time against the number of elements, both logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "layoutalg"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for name, times in rows.items():
        points = [(m * k, t) for (m, k), t in zip(TILES, times, strict=True) if t is not None]
        if points:
            axes.loglog(*zip(*points, strict=True), marker="o", label=name, linewidth=2 if "ours" in name else 1)
    axes.set_xlabel("elements of the tile")
    axes.set_ylabel("median time, µs")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(HERE / "growth.svg", metadata={"Date": None})


def main() -> None:
    """Measures, prints and writes."""
    rows = tiles()
    text = report(rows, corpus())
    print(text)
    (HERE / "RESULTS.md").write_text(text)
    plot(rows)


if __name__ == "__main__":
    main()
