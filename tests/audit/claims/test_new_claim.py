"""A claim is one module and one row of a table: with them, a launch file may ask for it."""

import pytest

from layoutalg.audit.claims.table import ON_REQUEST
from layoutalg.errors import LaunchError
from tests.audit.auditing import audited, verdicts
from tests.audit.claims import wide

SOURCE = """#include <hip/hip_runtime.h>
extern "C" __global__ void k({type}* x) {{ x[blockIdx.x * 64 + threadIdx.x] = {{}}; }}
"""
LAUNCH = """
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = [1024] }
[launch]
grid = [4]
block = [64]
arguments = ["x"]
writes = ["x"]
claims = ["wide"]
"""


@pytest.mark.parametrize(("kind", "verdict"), [("float4", "proved"), ("float2", "unknown")])
def test_a_claim_is_a_module_and_a_row(monkeypatch: pytest.MonkeyPatch, kind: str, verdict: str) -> None:
    with pytest.raises(LaunchError, match="'wide' is no claim"):
        audited(SOURCE.format(type=kind), LAUNCH)
    monkeypatch.setattr("layoutalg.audit.claims.table.ON_REQUEST", (*ON_REQUEST, wide))
    assert verdicts(audited(SOURCE.format(type=kind), LAUNCH), wide.NAME) == {verdict}
