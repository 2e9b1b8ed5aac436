"""A kernel that leaves what was there computes nothing, though it is safe."""

from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.audit.audit import audit
from tests.foreign.kernelbench.table import KERNELS
from tests.foreign.running import binary


def test_a_kernel_without_stores_computes_nothing() -> None:
    kernel = KERNELS["relu"]
    (nothing,) = (one for one in kernel.broken if one.name == "nothing")
    claims = audit(decode_kernel(binary(kernel, "gfx942", source=kernel.edited(nothing))), kernel.launch).claims
    assert {verdict.name for claim, _, verdict in claims if claim != "computes"} == {"proved"}
    assert {verdict.name for claim, _, verdict in claims if claim == "computes"} <= {"refuted", "unknown"}
    assert any(claim == "computes" for claim, _, _ in claims)
