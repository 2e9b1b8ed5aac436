"""Where the grid or a tensor is too large to run, the witness's blocks alone show what is wrong."""

import re

import pytest

from layoutalg.audit import alone
from layoutalg.audit.alone import Alone
from layoutalg.audit.audit import Audit, audit
from layoutalg.audit.runs import Runs
from layoutalg.formats.spec import loads
from layoutalg.launch.symbolic import KernelLaunch
from tests.audit.auditing import HIP, audited, kernel

#: A row is chosen by an index; its first element may lie behind 2³¹ bytes.
PICK = (
    HIP
    + """extern "C" __global__ void pick(const float* x, const int* index, float* o) {
    int at = index[blockIdx.y] * 131072 + blockIdx.x * 256 + threadIdx.x;
    o[(long)blockIdx.y * 131072 + blockIdx.x * 256 + threadIdx.x] = x[at];
}"""
)
PICK_LAUNCH = """symbols = {{ V = {{ min = 1, max = {rows} }}, R = {{ min = 1, max = 64 }} }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "packed", lengths = ["V", 131072] }}
[[descriptor]]
name = "index"
dtype = "i32"
base = {{ kind = "packed", lengths = ["R"] }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "packed", lengths = ["R", 131072] }}
[launch]
grid = [512, "R"]
block = [256]
arguments = ["x", "index", "o"]
writes = ["o"]
assume = ["0 <= index[i] <= V - 1"{more}]
"""

FIXED = """[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "packed", lengths = [{length}] }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "packed", lengths = [{length}] }}
[launch]
grid = [{blocks}]
block = [256]
arguments = ["x", "o"]
writes = ["o"]
"""


def shown(found: Audit, claim: str) -> list[str]:
    """The runs that refute a claim, in words."""
    return [str(run) for (name, _), run in found.shown.items() if name == claim]


def test_an_index_that_wraps_at_two_gib_is_shown_by_its_block() -> None:
    found = audited(PICK, PICK_LAUNCH.format(rows=24901, more=""))
    (run,) = shown(found, "in_bounds")
    assert int(re.search(r"alone at V = (\d+)", run)[1]) > 16384  # rows of 2¹⁷ elements
    assert "bytes before x" in run


def test_below_that_nothing_is_shown() -> None:
    found = audited(PICK, PICK_LAUNCH.format(rows=16384, more=""))
    assert not found.shown
    assert found.name == "proved"


def test_contents_of_which_more_is_assumed_are_drawn_and_none_of_the_witness() -> None:
    """That two elements differ is not looked at where one of them is put in."""
    found = audited(PICK, PICK_LAUNCH.format(rows=24901, more=', "index[i] != index[j] for i != j"'))
    assert found.name in ("refuted", "unknown")
    assert not [run for run in found.shown.values() if run.fault.kind != "address"]


@pytest.mark.parametrize(("index", "verdict"), [("i - 1", "refuted"), ("i ? i - 1 : 0", "proved")])
def test_the_first_block_of_a_large_fixed_grid(index: str, verdict: str) -> None:
    body = f"int i = blockIdx.x * 256 + threadIdx.x; o[i] = x[i] - x[{index}];"
    source = f'{HIP}extern "C" __global__ void k(const float* x, float* o) {{ {body} }}'
    found = audited(source, FIXED.format(length=1 << 22, blocks=1 << 14))
    assert found.name == verdict
    if verdict == "refuted":
        (run,) = shown(found, "in_bounds")
        assert run.startswith("a run of block (0, 0, 0) alone: address: 8 bytes at ")
        assert "4 bytes before x" in run


def test_a_run_shows_what_a_claim_on_a_loop_leads_to() -> None:
    """The index wraps where the loop is to end; what it then loads is far before the tensor."""
    source = f"""{HIP}extern "C" __global__ void k(const char* x, char* o, int n) {{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) o[i] = x[i];
}}"""
    text = FIXED.replace('"f32"', '"i8"').replace('"o"]\nwrites', '"o", "N"]\nwrites')
    text = "symbols = {{ N = {{ min = 1, max = 2147483647 }} }}\n" + text
    found = audited(source, text.format(length='"N"', blocks=1 << 20))
    assert found.name == "refuted"
    assert [run for run in shown(found, "runs") if "alone at N = " in run if "bytes before x" in run]


def test_a_tensor_of_two_to_the_forty_bytes_costs_what_is_touched() -> None:
    """The last block stores behind the end, 2⁴⁰ bytes from the start."""
    body = "long i = blockIdx.x * 256l + threadIdx.x; o[i] = x[i]; if (blockIdx.x == gridDim.x - 1) o[i + 1] = 0;"
    source = f'{HIP}extern "C" __global__ void k(const float* x, float* o) {{ {body} }}'
    text = FIXED.replace("[{blocks}]", "[16777215, 64]").replace("256]", "256]", 1)
    body = body.replace("blockIdx.x * 256l", "(blockIdx.x + 16777215l * blockIdx.y) * 256l")
    body = body.replace("gridDim.x - 1)", "gridDim.x - 1 && blockIdx.y == gridDim.y - 1)")
    source = f'{HIP}extern "C" __global__ void k(const float* x, float* o) {{ {body} }}'
    found = audited(source, text.format(length=16777215 * 64 * 256))
    (run,) = shown(found, "in_bounds")
    assert "block (16777214, 63, 0) alone" in run
    assert "past the end of o" in run


def test_two_blocks_that_race_run_alone() -> None:
    """Each block's last thread stores where the next one's first does; the least grid is too large to run."""
    source = f"""{HIP}extern "C" __global__ void k(const float* x, float* o) {{
    int i = blockIdx.x * 256 + threadIdx.x; o[i] = x[i]; if (i + 1 < 4194304) o[i + 1] = x[i];
}}"""
    found = audited(source, FIXED.format(length=1 << 22, blocks=1 << 14))
    runs = shown(found, "race_free")
    assert runs
    assert all("race" in run for run in runs), found.claims


def test_what_is_not_shown_says_which_runs_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "STEPS", 3)
    monkeypatch.setattr(alone, "OF_ENDS", 3)
    body = "int i = blockIdx.x * 256 + threadIdx.x; o[i] = x[i] - x[i - 1];"
    source = f'{HIP}extern "C" __global__ void k(const float* x, float* o) {{ {body} }}'
    found = audit(kernel(source), loads(FIXED.format(length=1 << 22, blocks=1 << 14)), 30)
    (reason,) = (one.reason for claim, _, one in found.claims if claim == "in_bounds" and not one)
    assert "no whole grid could be run; a run of block (0, 0, 0) alone takes more than 3 instructions" in reason


@pytest.mark.parametrize(("kind", "kinds"), [("int", {"address"}), ("long", set())])
def test_sizes_at_which_an_index_of_32_bits_is_negative_are_tried(kind: str, kinds: set[str]) -> None:
    """The greatest sizes wrap to some element of the tensor, so that nothing faults there."""
    source = f"""{HIP}extern "C" __global__ void k(const float* x, float* o, int n) {{
    int c = blockIdx.x * 256 + threadIdx.x; if (c < n) o[({kind})blockIdx.y * n + c] = x[({kind})blockIdx.y * n + c];
}}"""
    text = FIXED.replace('"o"]\nwrites', '"o", "N"]\nwrites').replace("[{blocks}]", '["(N + 255) // 256", "M"]')
    sizes = "symbols = {{ M = {{ min = 1, max = 65536 }}, N = {{ min = 1, max = 65536 }} }}\n"
    made, file = kernel(source), loads((sizes + text).format(length='"M", "N"'))
    runs = Runs(made, KernelLaunch.of(made.kernel, file), file)
    assert {run.fault.kind for run in Alone(runs, 10).ends()} == kinds
