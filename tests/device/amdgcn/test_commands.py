"""The commands that carry machine code out: `run … --device TARGET-isa`, `binary … --execute --listing`."""

import json
import re
from collections.abc import Sequence

import numpy as np
import pytest

from layoutalg.cli.app import app
from layoutalg.device.compile import compile_source
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def command(capsys, *arguments: Sequence[str]):
    """What a command prints, and its exit code."""
    code = app([str(a) for a in arguments], standalone_mode=False)
    return code, capsys.readouterr().out


@pytest.mark.parametrize("target", TARGETS)
def test_run_tells_lds_cycles_beside_the_claim(target, tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.arange(128 * 64, dtype=np.float32).reshape(128, 64))
    given = (
        "run",
        "transpose",
        "--input",
        tmp_path / "a.npy",
        "--output",
        tmp_path / "b.npy",
        "--device",
        f"{target}-isa",
    )
    code, text = command(capsys, *given)
    assert code == 0
    assert "exact against numpy" in text
    cycles, claimed = map(int, re.search(r"LDS: (\d+) cycles, claimed (\d+) \(the program's accesses\)", text).groups())
    assert cycles == claimed > 0
    code, text = command(capsys, *given, "--json")
    (lds,) = json.loads(text)["lds"]
    assert lds["equal"]
    assert sum(one["cycles"] for one in lds["instructions"]) == lds["cycles"]


def test_a_device_that_is_no_machine_code_has_no_lds_cycles(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.zeros((64, 64), np.float32))
    code, text = command(
        capsys, "run", "transpose", "--input", tmp_path / "a.npy", "--output", tmp_path / "b.npy", "--device", "cpu"
    )
    assert code == 0
    assert "LDS" not in text


@pytest.fixture(scope="module")
def code_object(tmp_path_factory):
    path = tmp_path_factory.mktemp("binary") / "t.co"
    path.write_bytes(compile_source(emit_unverified(lds_transpose(vector=4)), "gfx942").payload)
    return path


def test_binary_executes_and_lists(code_object, capsys):
    code, text = command(capsys, "binary", code_object, "--against", "kernels/transpose_lds", "--execute", "--listing")
    assert code == 0
    assert "executed at M = " in text
    assert re.search(r"LDS: \d+ cycles, claimed \d+", text)
    assert re.search(r" accesses +cycles +lost +instruction", text)
    assert re.search(r"ds_write_b128 .*; stores to lds: [a-z, ]+ proved  \| source 1: \d+ proved", text)


def test_a_binary_with_another_shift_fails(code_object, capsys, tmp_path):
    """Every byte of the code is kept but one instruction's operand; the run and the proof both say no."""
    from layoutalg.device.amdgcn.binary import read_kernels
    from layoutalg.device.amdgcn.program import decode_kernel

    payload = code_object.read_bytes()
    (kernel,) = read_kernels(payload).values()
    place = next(i for i in decode_kernel(kernel).instructions if i.name == "V_LSHL_ADD_U64")
    code = kernel.code[place.address - kernel.entry :][:8]
    changed = (int.from_bytes(code, "little") ^ 1 << 41).to_bytes(8, "little")  # the amount: 2 becomes 3
    assert payload.count(code) >= 1
    (tmp_path / "bad.co").write_bytes(payload.replace(code, changed))
    found, text = command(
        capsys, "binary", tmp_path / "bad.co", "--against", "kernels/transpose_lds", "--execute", "--json"
    )
    report = json.loads(text)
    assert found == 1
    assert report["verdict"] == "refuted"
    assert not report["executed"]["exact"]
