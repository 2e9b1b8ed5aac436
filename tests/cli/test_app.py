"""The command line: contracts, exit codes, and one clear line for each kind of bad input."""

import importlib.util
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from layoutalg.cli.app import application
from layoutalg.cli.errors import InputError
from layoutalg.prove.verdict import Refuted, Witness
from tests.cli.command import GOOD, refused, run
from tests.optional import needed

OVERLAP = '[[descriptor]]\nname = "d"\nbase = { kind = "naive", lengths = [4, 4], strides = [2, 1] }\n'
UNFIT = """
[[descriptor]]
name = "d"
base = { kind = "packed", lengths = [2, 6] }
steps = [[
  { transform = "pass_through", length = 9, lower = [0], upper = [0] },
  { transform = "unmerge", lengths = [7, 5], lower = [1], upper = [1, 2] },
]]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text)
    return path


# --- check ------------------------------------------------------------------------------------------------------------


def test_check_proves_the_default_claims(spec: Path) -> None:
    result = run("check", spec)
    assert result.returncode == 0
    assert result.stdout.count("proved") == 3


def test_a_refuted_claim_exits_with_1_and_shows_its_witness(tmp_path: Path) -> None:
    result = run("check", written(tmp_path, OVERLAP))
    assert result.returncode == 1
    assert "index (0, 2), offset 2 and index (1, 0), offset 2" in result.stdout


def test_an_undecided_claim_exits_with_2(tmp_path: Path) -> None:
    text = 'symbols = { N = {} }\n[[lemma]]\nname = "goldbach"\nvariables = { i = "N" }\n'
    text += 'goal = "i * i * i + 3 * i != N * N * N * 2 + 7"\n'
    result = run("check", written(tmp_path, text), "--strategy", "normal-form")
    assert result.returncode == 2, result
    assert "unknown" in result.stdout


def test_check_prints_one_json_document(spec: Path) -> None:
    document = json.loads(run("check", spec, "--json").stdout)
    assert (document["proved"], document["refuted"], document["unknown"]) == (3, 0, 0)
    facts = document["files"][0]["facts"]["a_lds"]
    assert facts["bijective"] == "refuted"
    assert facts["vector"] == 8


def test_z3_can_be_forced(spec: Path) -> None:
    results = json.loads(run("check", spec, "--strategy", "z3", "--json").stdout)["files"][0]["results"]
    assert [r["verdict"] for r in results] == ["proved"] * 3
    assert "z3 integers" in {r["strategy"] for r in results}


def test_attachments_that_do_not_fit_are_bad_input(tmp_path: Path) -> None:
    refused(run("check", written(tmp_path, UNFIT)), "pass_through", "9", "2")


@pytest.mark.parametrize(
    ("text", "word"),
    [("x = \n", "line 1"), ('[[descriptor]]\nname = "d"\n', "base"), ("x = 1\n", "x")],
)
def test_a_spec_with_an_error_is_one_line(tmp_path: Path, text: str, word: str) -> None:
    refused(run("check", written(tmp_path, text)), word)


def test_a_missing_spec_is_one_line(tmp_path: Path) -> None:
    refused(run("check", tmp_path / "none.toml"), "none.toml")
    refused(run("check", tmp_path), "no spec file")


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


@pytest.mark.parametrize("dtype", ["f4", "f2"])
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
        "error",
    )
    assert not (tmp_path / "bad.co").exists()
    refused(run("compile", tmp_path / "none.hip"), "none.hip")


# --- C++, certificates, pictures, banks, synthesis --------------------------------------------------------------------

POLICY = """
template <typename Problem>
constexpr auto MakeALdsBlockDescriptor()
{
    constexpr index_t M = Problem::kM;
    constexpr auto below = make_naive_tensor_descriptor(
        make_tuple(number<8>{}, number<M>{}, number<8>{}), make_tuple(number<(M + 1) * 8>{}, number<8>{}, number<1>{}));
    return transform_tensor_descriptor(
        below,
        make_tuple(make_pass_through_transform(number<M>{}),
                   make_merge_transform(make_tuple(number<8>{}, number<8>{}))),
        make_tuple(sequence<1>{}, sequence<0, 2>{}),
        make_tuple(sequence<0>{}, sequence<1>{}));
}
"""


def test_cpp_is_checked_with_its_parameters_given(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY)
    result = run("check", path, "-D", "kM=64")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("proved") == 3
    offsets = json.loads(
        run("offsets", path, "--descriptor", "MakeALdsBlockDescriptor", "-D", "kM=64", "--json").stdout
    )
    assert offsets["offsets"][64:128:8] == [8, 528, 1048, 1568, 2088, 2608, 3128, 3648]


def test_cpp_that_is_not_read_is_no_pass(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY)
    result = run("check", path)
    assert result.returncode == 2
    assert "not read" in result.stdout


def test_explain_says_what_cpp_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(POLICY)
    refused(run("explain", path), "no descriptor to explain", "kM is not known here", "in all it asks for -D kM=64")
    result = run("explain", path, "--descriptor", "MakeALdsBlockDescriptor")
    refused(result, "MakeALdsBlockDescriptor is not read", "kM is not known here")


def test_a_misspelt_name_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "policy.hpp", tmp_path / "other.hpp"
    path.write_text(POLICY)
    other.write_text("auto d = make_naive_tensor_descriptor_packed(make_tuple(kOther));")
    for command in (("check",), ("explain",), ("offsets", "--descriptor", "MakeALdsBlockDescriptor")):
        refused(run(command[0], path, *command[1:], "-D", "kM=64", "-D", "kTypo=7"), "-D kTypo: nothing in")
    assert run("check", path, other, "-D", "kM=64", "-D", "kOther=7").returncode == 0


def test_a_name_that_is_there_and_not_asked_for_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text("constexpr int K = 2;\nauto d = make_naive_tensor_descriptor_packed(make_tuple(K));")
    result = run("check", path, "-D", "K=7")
    assert (result.returncode, result.stderr.count("asked for -D K")) == (0, 1)


def test_a_bad_file_does_not_end_the_check_of_a_folder(tmp_path: Path) -> None:
    for name, text in (("a", "x = "), ("b", GOOD), ("c", ""), ("d", OVERLAP)):
        (tmp_path / f"{name}.toml").write_text(text)
    result = run("check", tmp_path)
    assert result.returncode == 3
    assert [line.split(":")[1].rsplit("/", 1)[-1] for line in result.stderr.splitlines()] == ["a.toml", "c.toml"]
    assert result.stdout.count("b.toml") == result.stdout.count("d.toml") == 1
    assert result.stdout.count(" refuted") == 1
    document = json.loads(run("check", tmp_path / "a.toml", tmp_path / "b.toml", "--json").stdout)
    assert (len(document["files"]), len(document["errors"]), document["passed"]) == (1, 1, False)


def test_a_descriptor_as_cpp_reads_back_the_same(tmp_path: Path, spec: Path) -> None:
    path = tmp_path / "out.hpp"
    assert run("emit", spec, "--ck", "-o", path).returncode == 0
    assert run("emit", "--ck", spec).stdout == path.read_text()
    here = json.loads(run("offsets", spec, "--descriptor", "a_lds", "--json").stdout)
    assert json.loads(run("offsets", path, "--descriptor", "make_a_lds", "--json").stdout) == here


def test_certificates_are_decided_again_by_other_solvers(tmp_path: Path, spec: Path) -> None:
    needed("cvc5", "recheck")
    needed("bitwuzla", "recheck")
    folder = tmp_path / "certificates"
    assert run("check", spec, "--certificates", folder).returncode == 0
    counts = json.loads(run("recheck", folder, "--json").stdout)
    assert counts["agrees"] == len(counts["certificates"]) > 0
    assert counts["uncertified"] == [f"{spec}: 0.a_lds.2.fits_index"]
    assert f"not by certificates alone: {spec}: 0.a_lds.2.fits_index" in run("recheck", folder).stdout
    refused(run("recheck", tmp_path), "not a folder of certificates")


def test_recheck_says_once_what_to_install(tmp_path: Path, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("check", spec, "--certificates", tmp_path).returncode == 0
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    told = run("recheck", tmp_path)
    assert told.returncode == 3
    assert told.stderr == "layoutalg: cvc5 cannot be imported: pip install cvc5\n"


def test_a_verdict_that_its_certificates_contradict_is_a_defect(
    tmp_path: Path, spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuted = Refuted("", "", 0.0, witness=Witness((), ""))
    monkeypatch.setattr(import_module("layoutalg.formats.check"), "prove", lambda *_, **__: refuted)
    result = run("check", spec, "--certificates", tmp_path / "certificates")
    assert result.returncode == 70
    assert "good.toml: 0.a_lds.0.in_bounds is refuted, and proved by its certificates" in result.stderr


def test_files_of_one_name_keep_their_own_certificates(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "spec.toml").write_text(GOOD)
    assert run("check", tmp_path, "--certificates", tmp_path / "certificates").returncode == 0
    manifest = json.loads((tmp_path / "certificates" / "manifest.json").read_text())
    assert len(manifest["claims"]) == len({entry["name"] for entry in manifest["claims"]}) == 6


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


def test_check_says_all_that_cpp_asks_for_at_once(tmp_path: Path) -> None:
    source = "template <typename P> auto f() { return make_naive_tensor_descriptor_packed(make_tuple(P::kM, P::kK)); }"
    path = tmp_path / "f.hpp"
    path.write_text(source)
    result = run("check", path)
    assert result.returncode == 2
    assert "0 claims: nothing was checked; 1 part not read" in result.stdout
    assert "in all it asks for -D kM=64 -D kK=64" in result.stderr


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
    for addresses, word in (([0] * 63, "63"), ([4] * 64, "multiple of 16"), ([1 << 20] * 64, "LDS"), ("x", "list")):
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
    "claim",
    ["contiguous(0)", "contiguous(4, 7)", "contiguous(4, -5)", "aligned(0)", "aligned(-4)", "fits_index(0)",
     "fits_index(1000000000000)", "nonsense", "injective(3)"],
)  # fmt: skip
def test_a_claim_that_makes_no_sense_is_bad_input(tmp_path: Path, claim: str) -> None:
    text = f'[[descriptor]]\nname = "d"\nbase = {{ kind = "packed", lengths = [4, 4] }}\nclaims = ["{claim}"]\n'
    refused(run("check", written(tmp_path, text)))


def test_a_file_without_layouts_is_bad_input(tmp_path: Path) -> None:
    refused(run("check", written(tmp_path, "")), "no layout")


def test_a_symbol_without_a_value_is_bad_input(tmp_path: Path) -> None:
    text = "symbols = { M = { min = 9, max = 15, power_of_two = true } }\n" + OVERLAP
    refused(run("check", written(tmp_path, text)), "no power of two")


def test_cpp_whose_transforms_do_not_fit_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "policy.hpp"
    path.write_text(
        POLICY.replace("make_tuple(number<8>{}, number<8>{}))),", "make_tuple(number<8>{}, number<5>{}))),")
    )
    result = run("check", path, "-D", "kM=64")
    assert result.returncode == 3
    assert "5" in result.stdout


def test_an_assumption_never_refutes_a_claim_where_it_does_not_hold(tmp_path: Path) -> None:
    text = """
symbols = { M = { max = 64 } }
[[descriptor]]
name = "d"
given = ["M == 4"]
base = { kind = "naive", lengths = [4, "M"], strides = [4, 1] }
claims = ["bijective"]
"""
    assert run("check", written(tmp_path, text)).returncode in (0, 2)


@pytest.mark.parametrize(
    ("options", "against"),
    [
        (("--vector", "4"), "kernels/transpose_lds"),
        (("--vector", "4"), "transpose_lds"),
        ((), "transpose_lds_xor_f32"),
        (("--dtype", "f16", "--swizzle", "pad"), "transpose_lds_pad_f16"),
    ],
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


@pytest.mark.parametrize("target", ["gfx942", "gfx1201"])
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
