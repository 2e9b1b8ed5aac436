"""What the C++ reader makes of a checkout of CK Tile: every policy header read, every layout in it checked.

    git clone https://github.com/ROCm/composable_kernel
    python benchmarks/ck_checkout.py composable_kernel/include

A policy is a template: what it leaves open is given as `-D` would give it.  `VALUES` holds what one fp16 kernel on CDNA
gives (256 threads, 128 rows and columns, 32x32x8 matrix instructions); other names get the value that the reader itself
proposes.  For each header: the functions read, refused (no layout at these values: a failing static_assert, a length
of 0) and unread, the claims proved and not, and the one-line reasons.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from layoutalg.formats.check import check
from layoutalg.formats.ck_cpp import load
from layoutalg.formats.model import SpecFile

OPERAND = (
    "tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, tuple<sequence<2, 1>>, "
    "tuple<sequence<0, 0>>, sequence<2>, sequence<1>>{}"
)
RESULT = (
    "tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 4>, sequence<32>>, tuple<sequence<1, 2>>, "
    "tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>{}"
)
"""The fragments of v_mfma_f32_32x32x8_f16 as CK composes them from its lanes (kABKLane …): A and B, and C."""

WARP_GEMM = {
    "kM": "32", "kN": "32", "kK": "8", "AWarpDstrEncoding": OPERAND, "BWarpDstrEncoding": OPERAND,
    "CWarpDstrEncoding": RESULT, "WarpGemmAttribute::Impl::kM": "32", "WarpGemmAttribute::Impl::kN": "32",
}  # fmt: skip
VALUES = {
    **{f"{prefix}::{name}": value for prefix in ("WG", "WarpGemm") for name, value in WARP_GEMM.items()},
    "kBlockSize": "256", "kM": "128", "kN": "128", "kK": "32", "kM0": "128", "kN0": "128", "kN1": "128", "kK0": "32",
    "kK1": "32", "kK2": "32", "kK3": "32", "kK4": "32", "kQKHeaddim": "128", "kVHeaddim": "128",
    "kK0BlockLength": "128", "kMaxSplits": "128", "NumWarps": "4", "kNumWarps": "4", "MWarp": "4", "NWarp": "1",
    "MPerBlock": "128", "MNPerBlock": "128", "KPerBlock": "32", "KPack": "8", "KPackT": "8", "kAMLane": "32",
    "kABKLane": "2", "kCMLane": "2", "kCNLane": "32", "kCM0PerLane": "4", "kCM1PerLane": "4", "Repeat_M": "1",
    "Repeat_N": "2", "WarpPerBlock_M": "1", "WarpPerBlock_N": "4", "ThreadPerWarp_M": "1", "ThreadPerWarp_N": "64",
    "Vector_M": "1", "Vector_N": "8", "AsyncCopyK_": "true", "NumPrefetchK_": "3", "IsRotaryCosSinForQ": "true",
    **{f"Gemm{n}BlockWarps": "[4,1,1]" for n in range(5)}, **{f"Gemm{n}WarpTile": "[32,32,16]" for n in range(5)},
}  # fmt: skip
PROPOSED = re.compile(r"give -D ([\w:]+)=([^\s)]+)(?: \(or -D (\w+)=)?")
ROUNDS = 60
"""Each round gives what the one before asked for."""


def read(path: Path) -> SpecFile:
    """The header with everything given that it asks for."""
    given = {name: value for name, value in VALUES.items() if "::" in name}
    for _ in range(ROUNDS):
        spec = load(path, given)
        asked = [match for part in spec.unread if (match := PROPOSED.search(part.reason))]
        names = {match[3] or match[1]: match[2] for match in asked}
        more = {name: VALUES.get(name, value) for name, value in names.items() if name not in given}
        if not more:
            break
        given |= more
    return spec


def main(folder: Path) -> None:
    """Reads every policy header below the folder."""
    total: Counter[str] = Counter()
    for path in sorted(folder.rglob("*policy*.hpp")):
        spec = read(path)
        results = list(check(spec))
        counts = Counter(f"claims {result.verdict.name}" for result in results)
        counts.update(read=len(spec.items))
        counts.update("refused" if part.refused else "unread" for part in spec.unread)
        total.update(counts, headers=1)
        if spec.items or spec.unread:
            print(f"{path.name}: {_told(counts)}")
        for part in spec.unread:
            print(f"  line {part.line}, {part.name}: {part.reason}")
        for result in results:
            if not result.passed:
                print(f"  {result.item.name}: {result.claim}: {result.verdict}")
    print(_told(total))


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if count)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
