"""The commands that carry machine code out: `run … --device TARGET-isa`, `binary … --execute --listing`."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from layoutalg.cli.app import application
from layoutalg.cli.errors import InputError
from layoutalg.cli.programs import program_of
from layoutalg.device.compile import compile_source
from layoutalg.formats import SpecError
from layoutalg.kernel import library
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose
from layoutalg.kernel.verify import verify
from layoutalg.prove import Unknown
from tests.matrix import each, some

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def command(capsys, *arguments: Sequence[str]):
    """What a command prints, and its exit code."""
    code = application()([str(a) for a in arguments], standalone_mode=False)
    return code, capsys.readouterr().out


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
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


def test_binary_says_what_its_verdict_assumes(code_object, capsys):
    _, text = command(capsys, "binary", code_object, "--against", "transpose_lds")
    _, document = command(capsys, "binary", code_object, "--against", "transpose_lds", "--json")
    assumed = json.loads(document)["assumptions"]
    assert assumed == [line.removeprefix("  assumed: ") for line in text.splitlines() if "  assumed: " in line]
    assert assumed[0].startswith("4 <= M <= ")
    assert "multiples of 16 below 2^47, do not overlap" in assumed[1]
    assert "AMD's pseudocode" in assumed[2]


def refused(code_object, against, message, *more):
    with pytest.raises(InputError, match=message):
        application()(["binary", str(code_object), "--against", str(against), *more], standalone_mode=False)


def test_what_a_binary_is_proved_against_must_be_there(code_object, tmp_path):
    refused(code_object, "/no/such/place/transpose_lds", "no such folder or file")
    refused(code_object, tmp_path, "no spec.toml in this folder")
    refused(code_object, "nothing", "no kernel 'nothing' to prove against; there are .*transpose_lds")
    refused(
        code_object, "kernels/transpose_lds", "no kernel 'other'; it has transpose_lds_xor_f32_v4$", "--kernel", "other"
    )
    refused(
        code_object,
        "kernels/gemm_f16",
        "no kernel 'gemm_bias_relu_f16_mfma_v8x8x8'; .*--against transpose_lds_xor_f32_v4",
    )
    refused(code_object, "gemm_bias_relu_f16_wmma_v8x8x8", "no program for gfx942; it has gfx1100, gfx1201")


def test_the_spec_that_a_binary_is_proved_against_is_read(code_object, tmp_path):
    spec = tmp_path / "transpose_lds" / "spec.toml"
    spec.parent.mkdir()
    text = Path("kernels/transpose_lds/spec.toml").read_text()
    for changed, message in (
        ("= garbage", "spec.toml"),
        (text.replace('strides = [1, "M"]', 'strides = [1, "M + 4"]'), "it differs in target$"),
        (text.replace("min = 4", "min = 8"), "it differs in M, N$"),
        (text.replace("_v4: ", "_v2: "), "not what transpose_lds_xor_f32_v2 is: it differs in M, N, lds"),
        (text.replace("transpose_lds_xor_f32_v4: ", "other: "), "no kernel 'other'"),
        (text.replace("transpose_lds_xor_f32_v4: ", ""), "its title names no kernel"),
    ):
        spec.write_text(changed)
        with pytest.raises((InputError, SpecError), match=message):
            application()(["binary", str(code_object), "--against", str(spec.parent)], standalone_mode=False)


@pytest.mark.parametrize("folder", some(library.folders(), 4))
def test_every_folder_of_kernels_names_its_programs(folder):
    for target, program in library.folder(folder).items():
        assert program_of(f"kernels/{folder}", target or "gfx942") == program
        assert program_of(f"kernels/{folder}/spec.toml", target or "gfx90a") == program


def test_a_program_that_is_not_proved_is_no_success(code_object, capsys, monkeypatch):
    def half(program):
        return replace(verify(program), verdicts=(("bounds", Unknown("bounds", "z3", 1.0, why="time")),))

    monkeypatch.setattr("layoutalg.kernel.verify.verify", half)
    code, text = command(capsys, "binary", code_object, "--against", "transpose_lds")
    assert code == 2
    assert "machine code proved" in text
    assert "of the program itself, bounds: unknown: time" in text


def test_a_binary_with_another_shift_fails(code_object, capsys, tmp_path):
    """Every byte of the code is kept but one instruction's operand; the run and the proof both say no."""
    from layoutalg.isa.container.binary import read_kernels
    from layoutalg.isa.decode.code import decode_kernel

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
    assert report["replayed"]["confirmed"]
    found, text = command(capsys, "binary", tmp_path / "bad.co", "--against", "kernels/transpose_lds")
    assert found == 1
    assert f"\n  {report['replayed']['text']}\n" in text
    assert re.search(r"\n  replayed at [A-Z] = \d+, [A-Z] = \d+: a (fault|wrong result), ", text)
