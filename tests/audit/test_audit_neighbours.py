"""Right kernels and their wrong neighbours: for each thing that a claim rests on, one change, and it is not proved.

They are in `neighbours.toml`.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import decode_kernel

TARGETS = ("gfx942", "gfx1201")

LAUNCH = """
symbols = { N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = ["N", 128] }
[[descriptor]]
name = "c"
dtype = "i32"
base = { kind = "packed", lengths = ["N", 128] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = ["N", 128] }
[launch]
grid = ["N"]
block = [128]
arguments = ["x", "c", "o", "N"]
writes = ["o"]
assume = [{ of = "c", min = 0, max = 127 }]
"""

SOURCE = """
extern "C" __global__ void __launch_bounds__(128) %s(float* x, const int* c, float* o, int n) {
  __shared__ float s[128]; __shared__ float u[256];
  const unsigned b = blockIdx.x, t = threadIdx.x, i = b * 128 + t;
  (void)s; (void)u; (void)i;
  %s
}
"""


@dataclass(frozen=True)
class Neighbours:
    """What a claim rests on, a kernel where it is so, and one where it is not."""

    claim: str
    rests_on: str
    right: str
    wrong: str
    says: str = ""  # an equation, or a claim to ask for
    only: str = ""  # the target of which it is so: by its waves of 64, or its instructions


FILE = Path(__file__).parent / "neighbours.toml"
ROWS = tuple(Neighbours(**one) for one in tomllib.loads(FILE.read_text())["neighbours"])


@functools.cache
def compiled(target: str) -> Mapping[str, KernelBinary]:
    """All kernels, in one file."""
    bodies = (SOURCE % (f"{kind}_{k}", getattr(one, kind)) for k, one in enumerate(ROWS) for kind in ("right", "wrong"))
    flags = ("-mcumode",) if target.startswith("gfx1") else ()
    return read_kernels(compile_source("#include <hip/hip_runtime.h>\n" + "".join(bodies), target, flags=flags).payload)


def audited(number: int, kind: str, target: str) -> Audit:
    says = ROWS[number].says
    key = "claims" if says.isidentifier() else "computes"
    file = loads(LAUNCH + (f'{key} = ["{says}"]\n' if says else ""))
    return audit(decode_kernel(compiled(target)[f"{kind}_{number}"]), file, 20)


CASES = [
    pytest.param(
        number, target, id=f"{one.claim}: {one.rests_on}, {target}", marks=[pytest.mark.slow][: target != TARGETS[0]]
    )
    for number, one in enumerate(ROWS)
    for target in TARGETS
    if one.only in ("", target)
]


@pytest.mark.parametrize(("number", "target"), CASES)
def test_a_right_kernel_is_proved_and_its_wrong_neighbour_is_not(number: int, target: str) -> None:
    right, wrong = (audited(number, kind, target) for kind in ("right", "wrong"))
    claim = ROWS[number].claim
    assert all(verdict.name == "proved" for _, _, verdict in right.claims), right.failures
    assert any(verdict.name != "proved" for said, _, verdict in wrong.claims if said == claim), claim
