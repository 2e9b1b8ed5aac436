"""What runs show of a kernel: faults where a claim speaks of them, with the contents that the launch allows."""

import pytest

from layoutalg.audit import runs
from layoutalg.audit.audit import Audit, audit
from layoutalg.audit.claims.claim import Finding
from layoutalg.audit.refute import Refutation
from layoutalg.audit.runs import Runs
from layoutalg.formats.model import SpecFile
from layoutalg.formats.spec import loads
from layoutalg.isa.decode.code import MachineCode
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import Proved, Refuted, Unknown, Witness
from tests.audit.auditing import kernel

LAUNCH = """
symbols = {{ N = {{ min = {least}, max = 5000, multiple_of = 4 }} }}
[[descriptor]]
name = "o"
dtype = "i32"
base = {{ kind = "naive", lengths = ["N"], strides = [1] }}
[launch]
grid = ["(N + 63) // 64"]
block = [64]
arguments = ["o", "N", {{ name = "first", dtype = "i32" }}]
writes = ["o"]
{more}
"""
KERNEL = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* o, int n, int first) {{
    int t = blockIdx.x * 64 + threadIdx.x;
    {}
}}
"""


def code(body: str) -> MachineCode:
    return kernel(KERNEL.format(body))


def launch(least: int = 4, more: str = "") -> SpecFile:
    return loads(LAUNCH.format(least=least, more=more))


def of(body: str, more: str = "") -> Audit:
    return audit(code(body), launch(more=more))


def refuted(made: MachineCode, file: SpecFile, one: Finding) -> list[tuple[str, str]]:
    """What becomes of a finding once the kernel was carried out."""
    assert file.launch is not None
    found = Refutation(Runs(made, KernelLaunch.of(made.kernel, file), file), file.launch, 10).findings([one])
    return [(claim, verdict.name) for claim, _, verdict in found]


def test_a_refutation_names_who_did_it_where_and_at_which_sizes() -> None:
    found = of("if (t <= n) o[t] = t;")
    assert found.name == "refuted"
    ((claim, about), run), *_ = found.shown.items()
    assert claim == "in_bounds"
    assert f"{run.address:#x}" == about.split()[0]
    facts = run.facts
    assert facts["kind"] == "address"
    assert facts["sizes"] == {"N": 4}
    assert (facts["block"], facts["wave"], facts["lane"], facts["tensor"]) == ([0, 0, 0], 0, 4, "o")


def test_where_the_witness_is_too_large_smaller_sizes_are_run() -> None:
    made = code("if (t <= n) o[t] = t;")
    runs = Runs(made, KernelLaunch.of(made.kernel, launch(400)), launch(400))
    assert {run.sizes["N"] for run in runs.faulty()} == {400}
    about = f"{next(runs.faulty()).address:#x} store"
    wrong = Refuted("inside", "z3", 0.0, (), Witness(({"N": 1 << 40},), "a lane leaves o"))
    assert refuted(made, launch(400), Finding("in_bounds", about, wrong)) == [("in_bounds", "refuted")]


def test_a_tensor_that_is_written_has_contents_before() -> None:
    """An update in place loads what the tensor held: nothing of it is undefined."""
    made = code("if (t < n) o[t] += t;")
    assert not [*Runs(made, KernelLaunch.of(made.kernel, launch()), launch()).faulty()]


@pytest.mark.parametrize(("most", "verdict"), [(0, "none"), (1, "address")])
def test_named_values_and_contents_are_within_what_is_assumed(most: int, verdict: str) -> None:
    for of, body in (("first", "if (t < n) o[t + first] = t;"), ("o[i]", "if (t < n) o[t + (o[t] & 0xff)] = t;")):
        file = launch(more=f'assume = ["0 <= {of} <= {most}"]')
        made = code(body)
        kinds = {run.fault.kind for run in Runs(made, KernelLaunch.of(made.kernel, file), file).faulty()}
        assert (verdict in kinds) == (verdict != "none"), of


def test_named_values_of_eight_bytes_are_drawn() -> None:
    file = loads(LAUNCH.format(least=4, more="").replace('"i32" }}'.replace("}}", "}"), '"u64" }'))
    source = KERNEL.replace("int first", "unsigned long first").format("if (t <= n) o[t] = first;")
    made = kernel(source)
    assert [*Runs(made, KernelLaunch.of(made.kernel, file), file).faulty()]


def test_a_run_that_does_not_end_shows_nothing(monkeypatch) -> None:
    monkeypatch.setattr("layoutalg.audit.runs.STEPS", 200)
    made = code("volatile int* p = o; for (int i = 0; p[0] != 7 + i; ++i) {} if (t < n) o[t] = t;")
    assert not [*Runs(made, KernelLaunch.of(made.kernel, launch()), launch()).faulty()]


def test_a_run_that_never_ends_shows_it_with_the_loop() -> None:
    made = code("volatile int* p = o; while (p[0] != 7) {} if (t < n) o[t] = t;")
    runs = [*Runs(made, KernelLaunch.of(made.kernel, launch()), launch()).faulty()]
    assert {run.fault.kind for run in runs} == {"livelock"}
    (head,) = runs[0].addresses
    assert head == runs[0].address
    assert made.by_address[head].name.startswith(("GLOBAL_LOAD", "FLAT_LOAD"))


def test_what_runs_show_of_no_claim_is_a_claim_of_its_own() -> None:
    made = code("if (t <= n) o[t] = t;")
    unknown, proved = Unknown("followed", "", 0.0), Proved("followed", "", 0.0)
    found = refuted(made, launch(), Finding("followed", "", unknown))
    assert found == [("followed", "unknown"), ("runs", "refuted")]
    assert refuted(made, launch(), Finding("followed", "", proved)) == [("followed", "proved")]


def test_what_is_refuted_and_seen_in_no_run_is_unknown() -> None:
    made, file = code("if (t < n) o[t] = t;"), launch()
    wrong = Refuted("inside", "z3", 0.0, (), Witness(({"N": 4},), "lane 5 leaves o"))
    assert file.launch is not None
    runs = Runs(made, KernelLaunch.of(made.kernel, file), file)
    ((_, _, verdict),) = Refutation(runs, file.launch, 10).findings([Finding("in_bounds", "0x0 store", wrong)])
    assert verdict.name == "unknown"
    assert verdict.reason == "no run shows it (runs at 8 sizes do no wrong): lane 5 leaves o"


def test_named_values_are_tried_at_the_ends_of_what_is_assumed_of_them() -> None:
    """Only the greatest of 10⁶ values is one too many."""
    more = 'assume = ["0 <= first <= 999999"]'
    found = of("if (t < n) o[first == 999999 ? n : t] = t;", more=more)
    assert found.name == "refuted", found.failures
    found = of("if (t < n) o[first == 1000000 ? n : t] = t;", more=more)
    assert found.name != "refuted", found.failures


def test_of_a_safe_kernel_no_faults_are_sought(monkeypatch) -> None:
    """A wrong equation takes the run that refutes it; where safety is open, all sizes are tried, long runs once."""
    made, found = list[object](), runs.execute_checked
    monkeypatch.setattr(runs, "execute_checked", lambda *args, **given: made.append(args[3]) or found(*args, **given))
    assert refuted(code("if (t < n) o[t] = t;"), launch(), Finding("followed", "", Unknown("followed", "", 0.0)))
    assert len(made) > 8
    made.clear()
    wrong = of("if (t < n) o[t] = t;", 'computes = ["o[i] = i + 1"]')
    assert [claim for claim, _, verdict in wrong.claims if not verdict] == ["computes"]
    assert wrong.name == "refuted"
    assert len(made) == 1


def test_a_fault_that_a_run_for_results_meets_is_told_without_another(monkeypatch) -> None:
    made, file = code("if (t <= n) o[t] = t;"), launch(more='computes = ["o[i] = i"]')
    assert file.launch is not None
    monkeypatch.setattr(runs.Runs, "faulty", lambda *_, **__: iter(()))
    monkeypatch.setattr("layoutalg.audit.alone.ALL_STEPS", 0)
    refutation = Refutation(Runs(made, KernelLaunch.of(made.kernel, file), file), file.launch, 10)
    (text,) = (one.text for one in file.launch.computes)
    found = refutation.findings([Finding("computes", text, Unknown("computes", "", 0.0))])
    assert [(claim, verdict.name) for claim, _, verdict in found] == [("computes", "unknown"), ("runs", "refuted")]
