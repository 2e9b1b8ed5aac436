"""The command line: contracts, exit codes, and one clear line for each kind of bad input."""

import json
from pathlib import Path

import numpy as np
import pytest

from layoutalg import __version__
from layoutalg.cli.app import application
from layoutalg.cli.errors import InputError
from tests.cli.command import GOOD, refused, run, written
from tests.matrix import each, some

# --- offsets ----------------------------------------------------------------------------------------------------------


def test_offsets_are_row_major_with_null_where_invalid(tmp_path: Path) -> None:
    text = """
[[descriptor]]
name = "padded"
base = { kind = "naive", lengths = [3], strides = [2] }
steps = [[{ transform = "pad", length = 3, left = 1, right = 1, lower = [0], upper = [0] }]]
"""
    result = run("offsets", written(tmp_path, text), "--descriptor", "padded", "--json")
    expected = {"lengths": [5], "element_space_size": 5, "offsets": [None, 0, 2, 4, None]}
    assert json.loads(result.stdout) == expected


def test_offsets_of_an_unknown_descriptor_are_refused(spec: Path) -> None:
    refused(run("offsets", spec, "--descriptor", "b", "--json"), "'b'", "a_lds")


# --- run, emit, compile -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", each(["f4", "f2"], "f2"))
@pytest.mark.parametrize(("kernel", "shape"), [("lds", (37, 70)), ("register", (64, 32))])
def test_run_transposes_a_file(tmp_path: Path, kernel: str, shape: tuple[int, int], dtype: str) -> None:
    source = np.random.default_rng(1).standard_normal(shape).astype(dtype)
    np.save(tmp_path / "a.npy", source)
    result = run("run", "transpose", "--input", tmp_path / "a.npy", "--output", tmp_path / "b.npy",
                 "--device", "cpu", "--kernel", kernel)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert np.array_equal(np.load(tmp_path / "b.npy"), source.T)


def test_emit_then_compile_reports_the_code_object(tmp_path: Path) -> None:
    assert run("emit", "transpose", "--target", "gfx942", "-o", tmp_path / "t.hip").returncode == 0
    result = run("compile", tmp_path / "t.hip", "--target", "gfx942", "-o", tmp_path / "t.co", "--json")
    (kernel,) = json.loads(result.stdout)["kernels"].values()
    assert kernel["lds_bytes"] == 16384
    assert kernel["spills"] == 0
    assert (tmp_path / "t.co").read_bytes().startswith(b"\x7fELF")


def test_compile_reports_lds_that_a_launch_asks_for(tmp_path: Path) -> None:
    args = ("--einsum", "ik,jk->ij", "--dtype", "f16", "--vector", "8", "--target", "sm_90", "-o", tmp_path / "c.hip")
    assert run("emit", "contraction", *args).returncode == 0
    result = run("compile", tmp_path / "c.hip", "--target", "sm_90", "-o", tmp_path / "c.ptx", "--json")
    (kernel,) = json.loads(result.stdout)["kernels"].values()
    slots = 4
    assert kernel["lds_bytes"] == slots * ((128 + 128) * 64 * 2 + 16)


BAD_ARRAYS = {
    "missing": None,
    "truncated": b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), }\n1234",
    "no array": b"hello",
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_an_array_that_cannot_be_read_is_one_line(tmp_path: Path, name: str) -> None:
    path, out = tmp_path / "a.npy", tmp_path / "b.npy"
    content = BAD_ARRAYS[name]
    if content is not None:
        path.write_bytes(content)
    refused(run("run", "transpose", "--input", path, "--output", out), "a.npy")
    assert not out.exists()


@pytest.mark.parametrize(
    ("array", "word"),
    [
        (np.zeros(8, np.float32), "1 dimensions"),
        (np.zeros((2, 2, 2), np.float32), "3 dimensions"),
        (np.zeros((2, 2), np.float64), "float64"),
        (np.zeros((2, 2), np.int32), "int32"),
        (np.zeros((2, 2), ">f4"), ">f4"),
        (np.zeros((0, 2), np.float32), "no elements"),
        (np.array([[None]]), "a.npy"),
    ],
)
def test_an_array_that_no_kernel_takes_is_one_line(tmp_path: Path, array: np.ndarray, word: str) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    refused(run("run", "transpose", "--input", tmp_path / "a.npy", "--output", tmp_path / "b.npy"), word)
    assert not (tmp_path / "b.npy").exists()


def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((4, 4), np.float32))
    (tmp_path / "file").write_text("")
    refused(run("run", "transpose", "--input", tmp_path / "a.npy", "--output", tmp_path / "file" / "b.npy"), "file")


def test_unknown_names_are_one_line(tmp_path: Path, spec: Path) -> None:
    refused(run("emit", "transpose", "--target", "gfx000"), "gfx000", "gfx942")
    refused(run("emit", "nothing"), "nothing", "transpose")
    refused(run("emit", "transpose", "--kernel", "magic"), "magic", "lds")
    refused(run("emit", "transpose", "--dtype", "f8"), "f8", "f32")
    refused(run("check", spec, "--strategy", "luck"), "luck", "z3")
    refused(run("frobnicate"), "frobnicate")
    refused(run("run", "transpose"), "--input")


def test_a_device_that_is_absent_says_why(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((4, 4), np.float32))
    result = run("run", "transpose", "--input", tmp_path / "a.npy", "--output", tmp_path / "b.npy", "--device", "amd")
    if result.returncode:
        refused(result, "no amd device")


def test_a_source_that_does_not_compile_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.hip").write_text("this is no C++\n")
    refused(
        run("compile", tmp_path / "bad.hip", "--target", "gfx942", "-o", tmp_path / "bad.co"),
        "bad.hip:1:1: error",
        shown=True,
    )
    assert not (tmp_path / "bad.co").exists()
    refused(run("compile", tmp_path / "none.hip"), "none.hip")


# --- pictures, banks, synthesis, machine code ------------------------------------------------------------------------


def test_a_picture_of_symbolic_sizes_takes_their_values(tmp_path: Path) -> None:
    path, picture = tmp_path / "t.toml", tmp_path / "t.svg"
    base = 'base = { kind = "packed", lengths = ["M", 8] }'
    path.write_text(f'symbols = {{ M = {{ min = 8, max = 64 }} }}\n[[descriptor]]\nname = "t"\n{base}')
    refused(run("draw", path, "--by", "bank", "-o", picture), "its sizes are symbols; give them values (-D NAME=VALUE)")
    refused(run("draw", path, "--by", "bank"), "give -o picture.svg")
    refused(run("draw", path, "-D", "M=7", "-o", picture), "M = 7")
    assert run("draw", path, "-D", "M=16", "--by", "bank", "-o", picture).returncode == 0
    assert picture.read_text().startswith("<svg")
    assert "unmerge (16, 8)" in run("draw", path, "-D", "M=16").stdout


def test_draw_writes_a_page_a_picture_or_text(tmp_path: Path, spec: Path) -> None:
    assert "merge" in run("draw", spec).stdout
    for name, head in (("page.html", "<!doctype html>"), ("picture.svg", "<svg")):
        assert run("draw", spec, "-o", tmp_path / name).returncode == 0
        assert (tmp_path / name).read_text().startswith(head)
    refused(run("draw", spec, "-o", tmp_path / "x.bmp"), "x.bmp", ".html")


def test_draw_and_explain_speak_of_the_files_own_access(tmp_path: Path) -> None:
    tails = "proofs/lds/tails.toml"
    drawn = run("draw", tails, "--access", "one_lane_of_each_phase")
    assert drawn.returncode == 0
    assert drawn.stdout.count("takes no part") == 31
    half = tmp_path / "half.svg"
    assert run("draw", tails, "--access", "column_of_half_a_wave", "-o", half).returncode == 0
    assert "32 of 64 lanes take part" in half.read_text()
    refused(run("draw", tails, "--access", "nobody"), "no access 'nobody'", "reduction_step")
    refused(run("draw", tails, "--access", "guarded"), "names no such pair")
    told = run("explain", tails, "--descriptor", "tile").stdout
    assert "column by ds_read_b32 on gfx942: bank conflicts" in told
    assert "A of mfma" not in told


@pytest.mark.parametrize(("stride", "code"), [(16, 0), (128, 1)])
def test_banks_tells_conflict_free_from_not(tmp_path: Path, stride: int, code: int) -> None:
    path = tmp_path / "addresses.json"
    path.write_text(json.dumps([lane * stride for lane in range(64)]))
    result = run("banks", "--target", "gfx942", "--instruction", "ds_read_b128", "--addresses", path, "--json")
    assert result.returncode == code
    found = json.loads(result.stdout)
    assert len(found["phases"]) == found["ideal"] == 8
    assert found["conflicts"] == found["cycles"] - found["ideal"]


def test_banks_refuses_what_no_lane_map_is(tmp_path: Path) -> None:
    path = tmp_path / "addresses.json"
    for addresses, word in (([0] * 63, "63"), ([2] * 64, "multiple of 4"), ([1 << 20] * 64, "LDS"), ("x", "list")):
        path.write_text(json.dumps(addresses))
        refused(run("banks", "--target", "gfx942", "--instruction", "ds_read_b128", "--addresses", path), word)


def test_synth_finds_one_layout_for_two_gpus(tmp_path: Path) -> None:
    path = tmp_path / "tile.toml"
    result = run(
        "synth", "--tile", "128x64", "--read", "mfma_f32_32x32x16_f16", "--target", "gfx942,gfx950", "-o", path
    )
    assert result.returncode == 0, result.stderr
    assert "as many as packed" in result.stdout
    assert run("check", path).returncode == 0
    refused(run("synth", "--tile", "12", "--read", "mfma_f32_32x32x16_f16"), "128x64")
    refused(run("synth"), "--tile")


@pytest.mark.parametrize(
    ("options", "against"),
    some(
        [
            (("--vector", "4"), "kernels/transpose_lds"),
            (("--vector", "4"), "transpose_lds"),
            ((), "transpose_lds_xor_f32"),
            (("--dtype", "f16", "--swizzle", "pad"), "transpose_lds_pad_f16"),
        ],
        2,
    ),
)
def test_machine_code_is_proved_against_its_program(tmp_path: Path, options: tuple[str, ...], against: str) -> None:
    source, code = tmp_path / "t.hip", tmp_path / "t.co"
    run("emit", "transpose", "--target", "gfx942", *options, "-o", source)
    run("compile", source, "--target", "gfx942", "-o", code)
    result = run("binary", code, "--against", against, "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(result.stdout)
    assert (found["verdict"], found["program_proved"]) == ("proved", True)
    assert found["program"] == found["kernel"]


@pytest.mark.slow
def test_machine_code_of_another_layout_is_refuted(tmp_path: Path) -> None:
    source, code = tmp_path / "t.hip", tmp_path / "t.co"
    run("emit", "transpose", "--target", "gfx942", "--vector", "4", "-o", source)
    text = source.read_text()
    assert "M * column + row" in text
    source.write_text(text.replace("target + (M * column + row)", "target + (M * column + (row ^ 4))"))
    run("compile", source, "--target", "gfx942", "-o", code)
    result = run("binary", code, "--against", "kernels/transpose_lds")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "refuted" in result.stdout


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
def test_run_on_the_machine_code_of_a_target(tmp_path: Path, target: str) -> None:
    source = np.random.default_rng(3).standard_normal((130, 70)).astype(np.float32)
    np.save(tmp_path / "a.npy", source)
    result = run("run", "transpose", "--input", tmp_path / "a.npy", "--output", tmp_path / "b.npy",
                 "--device", f"{target}-isa")  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert np.array_equal(np.load(tmp_path / "b.npy"), source.T)


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "transpose", "--input", "a.npy", "--device", "cpu", "--output"),
        ("emit", "transpose", "-o"),
        ("emit", "--ck", "a_lds.toml", "-o"),
        ("compile", "t.hip", "-o"),
        ("draw", "a_lds.toml", "-o"),
        ("synth", "--tile", "32x64", "--read", "mfma_f32_32x32x8_f16", "-o"),
        ("bench", "transpose", "--json"),
        ("check", "a_lds.toml", "--certificates"),
    ],
    ids=lambda words: words[0],
)
def test_no_command_makes_the_folder_of_its_output(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a_lds.toml").write_text(GOOD)
    with pytest.raises(InputError, match="there is no folder mistyped; make it"):
        application()([*arguments, "mistyped/out.svg"], standalone_mode=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a_lds.toml"]


def test_without_a_command_the_commands_are_listed_and_the_version_is_the_package_s():
    assert "check" in run().stdout
    assert run("--version").stdout == f"layoutalg {__version__}\n"


def test_an_editor_s_word_for_the_schema_says_nothing(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"$schema": "spec.schema.json", "title": "t", "note": "n"}))
    refused(run("check", file), "describes no layout")


def test_colours_are_where_they_are_asked_for(spec, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check", spec).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check", spec).stdout
