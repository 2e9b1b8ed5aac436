"""Bad input with --json: one document on stdout and nothing else there, exit code 3."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from layoutalg.cli import arrays
from tests.cli.command import GOOD, refused, run

WRONG = {
    "check: bad TOML": ("check", "bad.toml"),
    "check: bad JSON": ("check", "bad.json"),
    "check: half a character": ("check", "half.json"),
    "check: no file": ("check", "none.toml"),
    "check: no argument": ("check",),
    "check: bad seconds": ("check", "good.toml", "--seconds", "-1"),
    "check: bad strategy": ("check", "good.toml", "--strategy", "luck"),
    "check: bad jobs": ("check", "good.toml", "-j", "many"),
    "check: unknown option": ("check", "good.toml", "--sooner"),
    "offsets: no such descriptor": ("offsets", "good.toml", "--descriptor", "x"),
    "offsets: no descriptor": ("offsets", "good.toml"),
    "explain: bad TOML": ("explain", "bad.toml"),
    "recheck: no certificates": ("recheck", "."),
    "synth: bad tile": ("synth", "--tile", "wide", "--read", "mfma_f32_32x32x8_f16"),
    "synth: nothing": ("synth",),
    "run: no array": ("run", "transpose", "--input", "none.npy", "--output", "out.npy"),
    "run: no folder": ("run", "transpose", "--input", "none.npy", "--output", "none/out.npy"),
    "run: nothing": ("run",),
    "compile: no source": ("compile", "none.hip"),
    "binary: no code object": ("binary", "bad.toml", "--against", "transpose_lds"),
    "binary: nothing": ("binary",),
    "banks: bad target": ("banks", "--target", "gfx0"),
    "bench: no kernel": ("bench", "luck"),
    "no command": ("luck",),
}


@pytest.mark.parametrize("words", WRONG.values(), ids=WRONG)
def test_bad_input_with_json_is_one_document(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.toml").write_text(GOOD)
    Path("bad.toml").write_text("[[descriptor")
    Path("bad.json").write_text('{"descriptor": [')
    Path("half.json").write_text('{"title": "\\ud800"}')
    result = run(*words, "--json")
    assert result.returncode == 3, result
    document = json.loads(result.stdout)
    assert document["exit"] == 3
    assert result.stderr.startswith(f"layoutalg: {document['error']}"[:40])
    assert "Traceback" not in result.stderr


def test_a_file_whose_name_is_no_text_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = b"\xff.toml".decode(errors="surrogateescape")
    Path(name).write_text(GOOD)
    assert json.loads(run("check", name, "--format", "json").stdout)["files"][0]["file"] == name
    assert run("check", name).returncode == 0


@pytest.mark.parametrize("command", [("compile",), ("binary", "--against", "cast")], ids=lambda c: str(c[0]))
def test_what_has_no_end_is_refused(command: tuple[str, ...], tmp_path: Path) -> None:
    endless, large = tmp_path / "endless", tmp_path / "large"
    endless.symlink_to("/dev/zero")
    large.touch()
    os.truncate(large, 10_000_000_000)  # a hole: no disk is taken
    refused(run(command[0], endless, *command[1:]), "endless")
    refused(run(command[0], large, *command[1:]), "more than 256 MiB")


@pytest.mark.parametrize("claims", ["1", "{}", "[1]", "[{}]", '[{"name": "x", "certificates": 5, "uncertified": []}]'])
def test_a_manifest_that_is_none_is_refused(claims: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(f'{{"format": 1, "claims": {claims}}}')
    refused(run("recheck", tmp_path), "not a folder of certificates")


# --- arrays -----------------------------------------------------------------------------------------------------------


def header(shape: object, descr: object = "<f4", fortran: bool = False) -> bytes:
    """The beginning of a .npy file, as numpy's NEP 1 has it."""
    text = repr({"descr": descr, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


HOSTILE = {
    "10 GB": (header((50_000, 50_000)), "10000000000 bytes; at most"),
    "more than memory has": (header((1 << 40, 1 << 40)), "at most"),
    "cut off": (header((8, 8)) + bytes(99), "256 bytes, and the file has 99: it is cut off"),
    "objects": (header((2, 2), "|O") + bytes(99), "Python objects"),
    "fields": (header((2, 2), [("x", "<f4")]) + bytes(99), "fields"),
    "half negative": (header((-2, 2)) + bytes(99), "no elements"),
    "a shape of text": (header("wide") + bytes(99), "not a whole .npy file"),
    "a header that is no header": (b"\x93NUMPY\x01\x00\xff\xff{" + b"(" * 70_000, "not a whole .npy file"),
    "a version to come": (b"\x93NUMPY\x09\x00" + bytes(99), "version 9.0"),
    "a pickle": (b"\x80\x04K\x01.", "not a whole .npy file"),
    "an archive": (b"PK\x03\x04" + bytes(99), "an archive"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_an_array_is_refused_by_its_header(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the array was read")

    content, word = HOSTILE[name]
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    if name == "10 GB":
        with path.open("r+b") as file:
            file.truncate(10_000_000_000 + len(content))  # a hole: no disk is taken
    monkeypatch.setattr(np, "load", never)
    refused(run("run", "transpose", "--input", path, "--output", tmp_path / "b.npy"), "a.npy", word)


def test_an_array_in_fortran_order_is_read_as_it_is(tmp_path: Path) -> None:
    array = np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
    np.save(tmp_path / "a.npy", array)
    found = arrays.read_array(tmp_path / "a.npy", 2)
    assert np.array_equal(found, array)
    assert found.flags["C_CONTIGUOUS"]
