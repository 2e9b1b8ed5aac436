"""Claims on equations of a kernel that stores nothing, and where the time is up."""

from layoutalg.audit.audit import audit
from layoutalg.index import budget
from layoutalg.isa.decode.code import decode_kernel
from tests.foreign.kernelbench.table import KERNELS
from tests.foreign.running import binary


def test_a_kernel_without_stores_computes_nothing() -> None:
    kernel = KERNELS["relu"]
    (nothing,) = (one for one in kernel.broken if one.name == "nothing")
    claims = audit(decode_kernel(binary(kernel, "gfx942", source=kernel.edited(nothing))), kernel.launch).claims
    assert {verdict.name for claim, _, verdict in claims if claim != "computes"} == {"proved"}
    assert {verdict.name for claim, _, verdict in claims if claim == "computes"} <= {"refuted", "unknown"}
    assert any(claim == "computes" for claim, _, _ in claims)


def test_an_equation_for_which_there_was_no_time_is_a_claim_too() -> None:
    kernel = KERNELS["relu"]
    claims = audit(decode_kernel(binary(kernel, "gfx942")), kernel.launch, seconds=0).claims
    ((about, verdict),) = ((about, verdict) for claim, about, verdict in claims if claim == "computes")
    assert (about, verdict.name) == (kernel.launch.launch.computes[0].text, "unknown")
    assert "time" in verdict.reason


def test_a_run_refutes_what_there_was_no_time_to_prove(monkeypatch) -> None:
    def late(*_: object) -> None:
        raise budget.OutOfTimeError

    monkeypatch.setattr("layoutalg.audit.claims.launchable.decided", late)
    kernel = KERNELS["relu"]
    (nothing,) = (one for one in kernel.broken if one.name == "nothing")
    for source, name in (("", "unknown"), (kernel.edited(nothing), "refuted")):
        claims = audit(decode_kernel(binary(kernel, "gfx942", source=source)), kernel.launch).claims
        assert [verdict.name for claim, _, verdict in claims if claim == "computes"] == [name]
