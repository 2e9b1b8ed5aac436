"""benchmarks/executors: what is dispatched, and how an executor's answer is judged, by executors of a few lines."""

import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.executors.cases import foreign_cases
from benchmarks.executors.dispatch import ARGUMENTS, AROUND, dispatch
from benchmarks.executors.executors import EXECUTORS, WORKERS, Executor, Worker
from benchmarks.executors.results import CAUSES
from benchmarks.executors.run import judged
from layoutalg.isa.run.arguments import LaunchSizes, as_buffers

#: An executor that knows one kernel: it copies as many words as the arguments say.
COPY = """
import ctypes, sys
sys.path.insert(0, {workers!r})
from wire import UnknownError, serve
def carry_out(asked):
    x, o = (ctypes.c_uint64 * 2).from_address(asked["arguments"])
    ctypes.memmove(o, x, 4 * ctypes.c_int.from_address(asked["arguments"] + 16).value)
    {then}
serve(carry_out)
"""


@pytest.mark.parametrize(
    ("then", "outcome", "why"),
    [
        ("pass", "exact", ""),
        ("ctypes.c_ubyte.from_address(o).value ^= 1", "differs", ""),
        (f"ctypes.c_ubyte.from_address(o + 255 * 4).value = {AROUND}", "exact", ""),
        ("ctypes.c_ubyte.from_address(o + 255 * 4).value = 0", "differs", ""),
        ("ctypes.c_ubyte.from_address(asked['arguments']).value ^= 1", "differs", ""),
        ("raise UnknownError('v_mad_mix_f32')", "unknown", "v_mad_mix_f32"),
        ("sys.exit('no opcode 7')", "unknown", "opcode 7"),
        ("ctypes.string_at(1 << 32)", "died", "exit -11"),
    ],
)
def test_an_answer_is_judged_by_all_memory(tmp_path: Path, then: str, outcome: str, why: str) -> None:
    (tmp_path / "worker.py").write_text(COPY.format(workers=str(WORKERS), then=then))
    command = (sys.executable, str(tmp_path / "worker.py"))
    worker = Worker(Executor("copy", command, ("gfx942",), r"no (opcode \d+)"), ())
    case = next(case for case in foreign_cases("gfx942", 3, ["copy_plain"]) if case.sizes["N"] == 255)
    found = judged(case, worker)
    worker.close()
    assert (found["ours"], found["outcome"]) == ("right", outcome)
    assert why in found.get("why", "")


def test_a_dispatch_is_what_a_runtime_makes() -> None:
    case = next(case for case in foreign_cases("gfx1100", 3, ["transpose_padded"]) if case.sizes["M"] > 1)
    args = as_buffers(case.arguments)
    sent = dispatch(case.binary, case.code.instructions, LaunchSizes((1, 2, 1), (32, 8, 1)), args)
    x, o = (region.address for region in sent.buffers)
    assert struct.unpack_from("<QQ", sent.arguments.data) == (x, o)
    assert all((region.address + len(region.data) // 2) % (1 << 32) < 4096 for region in sent.buffers)
    assert sent.user_sgprs()[:2] == [ARGUMENTS & 0xFFFFFFFF, ARGUMENTS >> 32]
    assert sent.substituted == ("BUFFER_GL0_INV",)
    at = next(one.address for one in case.code.instructions if one.name == "BUFFER_GL0_INV")
    assert np.frombuffer(sent.image.data, np.uint32)[at // 4 :][:2].tolist() == [0xBF800000] * 2


def test_causes_name_executors_and_reports() -> None:
    for cause in CAUSES:
        assert cause.executor in EXECUTORS
        assert not cause.report or (WORKERS.parent / "reports" / f"{cause.report}.md").is_file()
    assert {path.stem for path in (WORKERS.parent / "reports").iterdir()} == {one.report for one in CAUSES} - {""}
