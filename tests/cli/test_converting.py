"""`convert`: what is printed and written, exit codes, bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layoutalg.formats import loads
from tests.cli.command import run, written

PADDED = """
[[descriptor]]
name = "padded"
base = { kind = "packed", lengths = [6] }
steps = [[{ transform = "right_pad", length = 6, right = 2, lower = [0], upper = [0] }]]
"""
SIZES = """
symbols = { M = { min = 1, max = 64 } }
[[descriptor]]
name = "d"
base = { kind = "naive", lengths = ["M", 64], strides = [64, 1] }
"""


def test_a_layout_is_shown_with_its_proof(spec: Path) -> None:
    done = run("convert", spec, "--to", "cute")
    assert done.returncode == 0
    shape, proof = done.stdout.splitlines()
    assert shape == "a_lds: (64,(8,8)):(8,(1,520))"
    assert proof.startswith("  ✓ a_lds: the same map, proved (")
    assert done.stderr == ""


def test_the_document_has_text_and_verdict(spec: Path) -> None:
    document = json.loads(run("convert", spec, "--to", "cute", "--json").stdout)
    assert (document["in"], document["to"]) == (str(spec), "cute")
    (entry,) = document["layouts"]
    assert (entry["text"], entry["verdict"]) == ("(64,(8,8)):(8,(1,520))", "proved")


def test_what_has_no_such_form_is_told_and_ends_with_one(spec: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.toml"
    both.write_text(spec.read_text() + PADDED)
    done = run("convert", both, "--to", "cute")
    assert done.returncode == 1
    assert "✗ padded is no such layout: index (6) is padding" in done.stdout
    assert "a_lds: (64,(8,8))" in done.stdout
    (_, entry) = json.loads(run("convert", both, "--to", "cute", "--json").stdout)["layouts"]
    assert (entry["text"], entry["verdict"]) == (None, None)


def test_a_file_holds_the_texts_alone(spec: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.toml"
    assert run("convert", spec, "--to", "spec", "-o", out).stdout.startswith("  ✓ a_lds: the same map")
    assert (
        loads(out.read_text()).descriptor("a_lds").descriptor == loads(spec.read_text()).descriptor("a_lds").descriptor
    )
    assert run("convert", spec, "--to", "cute", "-o", out).returncode == 0
    assert out.read_text() == "(64,(8,8)):(8,(1,520))\n"


def test_ck_is_read_and_written(spec: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.hpp"
    assert run("convert", spec, "--to", "ck", "-o", policy).returncode == 0
    done = run("convert", policy, "--to", "cute")
    assert done.stdout.splitlines()[0] == "make_a_lds: (64,(8,8)):(8,(1,520))"


def test_a_text_is_converted_as_it_stands() -> None:
    swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    done = run("convert", "--from", "triton", swizzled, "--shape", "64,64", "--to", "cute")
    assert done.stdout.splitlines()[0] == "layout: Sw<3,3,3> o 0 o (64,64):(64,1)"
    back = run("convert", "--from", "cute", "Sw<3,3,3> o 0 o (64,64):(64,1)", "--to", "triton")
    assert back.stdout.startswith("layout: #ttg.shared_linear<{offset = [[0, 1], [0, 2],")


def test_sizes_take_their_values_from_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, SIZES)
    assert run("convert", path, "--to", "triton").returncode == 1
    done = run("convert", path, "--to", "triton", "-D", "M=32")
    assert done.returncode == 0
    assert done.stdout.startswith("d: #ttg.shared_linear<{")


BAD = {
    ("spec", "--to", "mlir"): "--to mlir: give one of cute, triton, ck, spec, cpp",
    ("spec", "--to", "cute", "--descriptor", "b"): "no layout 'b'; it has a_lds",
    ("nowhere.toml", "--to", "cute"): "nowhere.toml: cannot be read",
    ("spec", "--to", "cute", "-o", "nowhere/x"): "there is no folder nowhere",
    ("spec", "--to", "cute", "-D", "M=4"): "has no symbol 'M'",
    ("--from", "cute", "(4,8:(1,4)", "--to", "ck"): "'(4,8:(1,4)', column 5: ',' or ')' is wanted here",
    ("--from", "cute", "(M,8):(8,1)", "--to", "ck"): "column 2: no symbol 'M'",
    ("--from", "triton", "#ttg.bad<{}>", "--shape", "4", "--to", "ck"): "bad: no register layout of that name",
    ("--from", "triton", "#ttg.bad<{}>", "--to", "ck"): "--shape 64,64",
    ("--from", "triton", "#ttg.bad<{}>", "--shape", "4,x", "--to", "ck"): "--shape 4,x: lengths with commas",
    ("--from", "cute", "4:1", "--shape", "4", "--to", "ck"): "--shape is for --from triton",
    ("--from", "mlir", "4:1", "--to", "ck"): "--from mlir: give cute or triton",
}


@pytest.mark.parametrize("words", BAD, ids=" ".join)
def test_bad_input_is_one_line(
    words: tuple[str, ...], spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("convert", *(spec if word == "spec" and n == 0 else word for n, word in enumerate(words)))
    assert done.returncode == 3
    assert BAD[words] in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
