"""AMD's pairs of a right and a racy kernel (rocm-systems, rocjitsu's ConSan): what `audit` says of each.

    python -m benchmarks.races.consan FOLDER [--targets gfx942 gfx1201] [--pairs NAME …] [--seconds 60]

`FOLDER` is a checkout of rocm-systems, or its part `emulation/rocjitsu/tests/dbi/consan/device`; files that are not
there are named and left out.  Most pairs are one kernel: a word of the state that it is given says whether it comes to
the barrier, or to the counter, that the racy one lacks.  So the launch file says what the words hold (`consan.toml`).
Others are two instances of a template, and some files have several kernels, each a row of its own.

| the pair's | proved | unknown | refuted |
|---|---|---|---|
| right one | right | open | to be looked at: a fault of the code as it stands, or ours |
| racy one | **wrong** | open | right |
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.foreign.hip.cut import items
from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_file
from layoutalg.errors import DeviceError
from layoutalg.formats.spec import loads
from layoutalg.isa.container.chosen import chosen_kernel
from layoutalg.isa.decode.code import decode_kernel

PLACE = Path("emulation/rocjitsu/tests/dbi/consan/device")
PAIRS: Mapping[str, Mapping[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
SIDES = ("right", "wrong")

#: Words of items that only the host has.
HOST = ("HIP_ASSERT", "TEST(")

#: What stands for GoogleTest where a file is compiled for the GPU alone.
GTEST = """#pragma once
struct Told { template <class T> const Told& operator<<(const T&) const { return *this; } };
#define TEST(suite, name) static void suite##_##name()
#define EXPECT_EQ(...) Told{}
#define EXPECT_LE(...) Told{}
#define EXPECT_TRUE(...) Told{}
#define ASSERT_EQ(...) Told{}
#define ASSERT_LE(...) Told{}
#define ASSERT_TRUE(...) Told{}
#define RUN_ALL_TESTS() 0
namespace testing { inline void InitGoogleTest(int*, char**) {} }
"""

LAUNCH = """
[[descriptor]]
name = "state"
dtype = "u32"
base = {{ kind = "packed", lengths = [{words}] }}
[[descriptor]]
name = "input"
dtype = "u32"
base = {{ kind = "packed", lengths = [{read}] }}
[launch]
grid = {grid}
block = [{threads}]
lds = {lds}
arguments = {arguments}
writes = ["state"]
initially = {initially}
"""


@dataclass(frozen=True)
class Said:
    """What was said of one side of a pair."""

    pair: str
    side: str
    target: str
    verdict: str
    why: str
    seconds: float


def launch(pair: Mapping[str, Any], side: str, wave: int) -> str:
    """The launch file of a side."""
    threads = pair.get("threads") or pair["waves"] * wave
    known = {"wave": wave, "threads": threads}
    held = {word: eval(str(value), known) for word, value in pair[side].items()}
    return LAUNCH.format(
        words=pair["words"], grid=pair.get("grid", [1]), threads=threads, lds=eval(str(pair.get("lds", 0)), known),
        arguments=[*["input"] * ("input" in pair), "state", *pair.get("scalars", [])], read=pair.get("input", 1),
        initially=[f"state[{word}] == {value}" for word, value in held.items()],
    )  # fmt: skip


def compiled(source: Path, target: str, instances: Sequence[str] = ()) -> bytes:
    """The code object of a file, with instances of its templates. Raises `DeviceError`."""
    kept = [item for item in items(source.read_text()) if not any(word in item for word in HOST)]
    kept += [f"auto taken_{number}() {{ return &{one}; }}" for number, one in enumerate(instances)]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "gtest").mkdir()
        (folder / "gtest" / "gtest.h").write_text(GTEST)
        (folder / source.name).write_text("\n".join(kept))
        return compile_file(folder / source.name, target, include=(folder, source.parent)).payload


def said(folder: Path, name: str, target: str, seconds: float) -> Iterator[Said]:
    """What `audit` says of both sides of a pair."""
    pair = PAIRS[name]
    instances = pair.get("kernels", {})
    named = {side: f"(anonymous namespace)::{one}" for side, one in instances.items()}
    kernels = {side: named.get(side, pair.get("kernel")) for side in SIDES if side in pair}
    try:
        payload = compiled(folder / file_of(name), target, [*instances.values()])
    except DeviceError as error:
        yield Said(name, "", target, "not compiled", str(error).partition("\n")[0], 0)
        return
    for side, kernel in kernels.items():
        code = decode_kernel(chosen_kernel(payload, kernel, target)[1])
        begun = time.process_time()
        try:
            found = audit(code, loads(launch(pair, side, code.kernel.wave_size)), seconds)
        except DeviceError as error:
            yield Said(name, side, target, "refused", str(error), time.process_time() - begun)
        else:
            yield Said(name, side, target, *verdict(found), time.process_time() - begun)


def file_of(name: str) -> str:
    """The file that a pair is in."""
    return f"{PAIRS[name].get('file', name)}.hip"


def verdict(found: Audit) -> tuple[str, str]:
    """Proved, unknown or refuted, with the claims that are not proved."""
    worst = {
        claim: name for name in ("unknown", "refuted") for claim, _, one in found.claims if one.name == name
    }  # the last one stands
    if not worst:
        return "proved", ""
    return max(worst.values(), key=("unknown", "refuted").index), ", ".join(f"{k} {v}" for k, v in worst.items())


def main() -> int:
    """Prints a row for each side of each pair; 1 where a racy one is proved."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--targets", nargs="*", default=["gfx942"])
    parser.add_argument("--pairs", nargs="*", default=[*PAIRS])
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    folder = chosen.folder / PLACE if (chosen.folder / PLACE).is_dir() else chosen.folder
    rows = list[Said]()
    print("| pair | target | side | verdict | not proved | CPU s |\n|---|---|---|---|---|---|")
    for name in chosen.pairs:
        if not (folder / file_of(name)).is_file():
            print(f"{folder / file_of(name)} is not there", file=sys.stderr)
            continue
        targets = [target for target in chosen.targets if target in PAIRS[name].get("targets", chosen.targets)]
        for row in (one for target in targets for one in said(folder, name, target, chosen.seconds)):
            rows.append(row)
            print(
                f"| {row.pair} | {row.target} | {row.side} | {row.verdict} | {row.why} | {row.seconds:.1f} |",
                flush=True,
            )
    count = Counter((row.side, row.verdict) for row in rows)
    print("\n" + ", ".join(f"{side} {verdict}: {number}" for (side, verdict), number in sorted(count.items())))
    return int(bool(count["wrong", "proved"]))


if __name__ == "__main__":
    sys.exit(main())
