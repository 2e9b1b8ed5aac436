"""`check` and `recheck`: exit codes, one line for each kind of bad input, certificates that are decided again."""

import importlib.util
import json
from importlib import import_module
from pathlib import Path

import pytest

from layoutalg.cli import checked
from layoutalg.prove.verdict import Refuted, Witness
from tests.cli.command import GOOD, refused, run, start, written
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
    document = json.loads(run("check", spec, "--format", "json").stdout)
    assert (document["proved"], document["refuted"], document["unknown"]) == (3, 0, 0)
    facts = document["files"][0]["facts"]["a_lds"]
    assert facts["bijective"] == "refuted"
    assert facts["vector"] == 8


def test_z3_can_be_forced(spec: Path) -> None:
    results = json.loads(run("check", spec, "--strategy", "z3", "--format", "json").stdout)["files"][0]["results"]
    assert [r["verdict"] for r in results] == ["proved"] * 3
    assert "z3 integers" in {r["strategy"] for r in results}


def test_attachments_that_do_not_fit_are_bad_input(tmp_path: Path) -> None:
    refused(run("check", written(tmp_path, UNFIT)), "pass_through", "9", "2")


@pytest.mark.parametrize(
    ("text", "word"),
    [("x = \n", ":1:5: not TOML"), ('[[descriptor]]\nname = "d"\n', "base"), ("x = 1\n", "x")],
)
def test_a_spec_with_an_error_is_one_line(tmp_path: Path, text: str, word: str) -> None:
    refused(run("check", written(tmp_path, text)), word)


def test_a_missing_spec_is_one_line(tmp_path: Path) -> None:
    refused(run("check", tmp_path / "none.toml"), "none.toml")
    refused(run("check", tmp_path), "no spec file")


def test_a_bad_file_does_not_end_the_check_of_a_folder(tmp_path: Path) -> None:
    for name, text in (("a", "x = "), ("b", GOOD), ("c", ""), ("d", OVERLAP)):
        (tmp_path / f"{name}.toml").write_text(text)
    result = run("check", tmp_path)
    assert result.returncode == 3
    assert [line.split(":")[1].rsplit("/", 1)[-1] for line in result.stderr.splitlines()] == ["a.toml", "c.toml"]
    assert result.stdout.count("b.toml") == result.stdout.count("d.toml") == 1
    assert result.stdout.count(" refuted") == 1
    document = json.loads(run("check", tmp_path / "a.toml", tmp_path / "b.toml", "--format", "json").stdout)
    assert (len(document["files"]), len(document["errors"]), document["passed"]) == (1, 1, False)


@pytest.mark.parametrize(
    "claim",
    ["contiguous(0)", "contiguous(4, 7)", "contiguous(4, -5)", "aligned(0)", "aligned(-4)", "fits_index(0)",
     "fits_index(1000000000000)", "nonsense", "injective(3)"],
)  # fmt: skip
def test_a_claim_that_makes_no_sense_is_bad_input(tmp_path: Path, claim: str) -> None:
    text = f'[[descriptor]]\nname = "d"\nbase = {{ kind = "packed", lengths = [4, 4] }}\nclaims = ["{claim}"]\n'
    refused(run("check", written(tmp_path, text)))


def test_what_a_claim_that_makes_no_sense_stands_beside_is_checked_still(tmp_path: Path) -> None:
    text = '[[descriptor]]\nname = "d"\ndtype = "{}"\nbase = {{ kind = "packed", lengths = [4] }}\nclaims = ["{}"]\n'
    claims = [("a", "f6", "aligned_bytes(16)"), ("b", "f8", "own_scale(4, 1)"), ("c", "f8", "injective")]
    for name, kind, claim in claims:
        (tmp_path / f"{name}.toml").write_text(text.format(kind, claim))
    result = run("check", tmp_path)
    first, second = result.stderr.splitlines()
    assert first.endswith("a.toml:5:11: descriptor[0].claims[0]: d: aligned_bytes: 16 bytes are no whole number of f6")
    assert "b.toml:5:11: descriptor[0].claims[0]: d: own_scale: dimension 1 does not exist" in second
    assert (result.returncode, result.stdout.count(" proved")) == (3, 1)


def test_a_file_without_layouts_is_bad_input(tmp_path: Path) -> None:
    refused(run("check", written(tmp_path, "")), "no layout")


def test_a_symbol_without_a_value_is_bad_input(tmp_path: Path) -> None:
    text = "symbols = { M = { min = 9, max = 15, power_of_two = true } }\n" + OVERLAP
    refused(run("check", written(tmp_path, text)), "no power of two")


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


def test_what_is_rechecked_is_what_the_file_says_now(tmp_path: Path, spec: Path) -> None:
    needed("cvc5", "recheck")
    needed("bitwuzla", "recheck")
    folder = tmp_path / "certificates"
    assert run("check", spec, "--certificates", folder).returncode == 0
    assert "3 claims: 3 agree (3 proved)" in run("recheck", folder).stdout
    spec.write_text(GOOD.replace("520", "521"))
    told = run("recheck", folder)
    assert told.returncode == 1
    assert f"{spec}: 0.a_lds.0.in_bounds: altered: layout, layout_sha256, certificates" in told.stdout
    spec.write_text(GOOD + GOOD.replace("a_lds", "b_lds"))
    told = run("recheck", folder)
    assert told.returncode == 1
    assert f"{spec}: 1.b_lds.0.in_bounds: altered: it is left out" in told.stdout
    spec.unlink()
    refused(run("recheck", folder), f"{spec}: cannot be read")


def test_nothing_to_check_is_no_pass(tmp_path: Path, spec: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"claims": []}')
    told = run("recheck", tmp_path)
    assert told.returncode == 2
    assert told.stdout.startswith("0 certificates: nothing to check\n0 claims: 0 agree\n")
    assert run("check", spec, "--certificates", tmp_path).returncode == 0
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"certificates": [', '"certificates": [], "more": ['))
    assert run("recheck", tmp_path).returncode == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {}, {"source": None}, {"source": {"files": ["a.toml"]}}, {"source": []},
        {"source": {"files": "a", "define": {}, "include": [], "target": [], "strategy": None}},
        {"source": {"files": [3], "define": {}, "include": [], "target": [], "strategy": None}},
        {"source": {"files": [], "define": {}, "include": [], "target": [], "strategy": 5}},
        {"source": {"files": [], "define": {"M": 5}, "include": [], "target": [], "strategy": None}},
    ],
)  # fmt: skip
def test_a_manifest_without_a_source_is_one_line(tmp_path: Path, wrong: dict[str, object]) -> None:
    claim = {"name": "a", "certificates": []}
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 2, "claims": [claim], **wrong}))
    refused(run("recheck", tmp_path), "does not say what the claims were made from")


def test_how_the_files_are_read_is_told_and_a_strategy_is_one_that_there_is(tmp_path: Path, spec: Path) -> None:
    needed("cvc5", "recheck")
    needed("bitwuzla", "recheck")
    assert run("check", spec, "--strategy", "z3", "--certificates", tmp_path).returncode == 0
    told = run("recheck", tmp_path)
    assert told.returncode == 0
    assert told.stdout.endswith(f"made anew from {spec} --strategy z3\n")
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"strategy": "z3"\n', '"strategy": "magic"\n'))
    refused(run("recheck", tmp_path), "forces the strategy 'magic'")


def test_a_claim_without_a_name_is_one_line(tmp_path: Path, spec: Path) -> None:
    assert run("check", spec, "--certificates", tmp_path).returncode == 0
    manifest = tmp_path / "manifest.json"
    document = json.loads(manifest.read_text())
    document["claims"][0]["name"] = None
    manifest.write_text(json.dumps(document))
    refused(run("recheck", tmp_path), "each claim has a name, its own")


@pytest.mark.parametrize("command", ["check", "recheck", "diff", "audit", "explain", "binary"])
@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0"])
def test_a_limit_of_time_is_a_number_of_seconds(command: str, seconds: str, spec: Path) -> None:
    files = [spec, spec] if command == "diff" else [spec]
    refused(run(command, *files, "--seconds", seconds), "--seconds")


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
    monkeypatch.setattr(import_module("layoutalg.prove.parallel"), "prove", lambda *_, **__: refuted)
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


def test_tritons_ir_is_checked_for_the_targets_that_are_named() -> None:
    path = Path(__file__).parent.parent / "interop" / "triton" / "modules" / "product-gfx942.ttgir"
    assert run("check", path).returncode == 0
    result = run("check", path, "--target", "gfx950")
    assert result.returncode == 1
    assert "lanes 0 and 16 of phase 0 want dwords 0 and 512 of bank 0" in result.stdout
    refused(run("check", path, "--target", "gfx1"), "unknown target 'gfx1'")


def test_a_target_is_of_tritons_ir(spec: Path) -> None:
    refused(run("check", spec, "--target", "gfx950"), "--target is of Triton's IR")


def test_an_executor_that_is_none_is_refused(spec: Path) -> None:
    refused(run("check", spec, "--executor", "ray"), "--executor ray: give dask, or dask:ADDRESS")


@pytest.mark.slow
def test_a_dask_cluster_of_this_machine_decides_what_one_process_decides(tmp_path: Path) -> None:
    needed("distributed", "dask")
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text(OVERLAP)
    alone, done = (start("check", tmp_path, "--no-cache", *how) for how in ((), ("--executor", "dask", "-j", "2")))
    assert done.returncode == 1, done.stderr
    marks = [[line.split("(")[0] for line in one.stdout.splitlines()] for one in (alone, done)]
    assert marks[0] == marks[1]


def test_a_document_passes_where_the_command_does() -> None:
    part = {"name": "f", "line": 1, "reason": "nobody reads it", "refused": False}
    for left, code in (({"unread": [part]}, 2), ({"unchecked": [part]}, 2), ({}, 0)):
        files = [checked.CheckedFile("a.hpp", (), (), **left)]
        assert (checked.exit_code(files), checked.document(files, ())["passed"]) == (code, code == 0)


def test_a_claim_of_one_item_stands_in_place_of_the_file_s(tmp_path: Path) -> None:
    text = GOOD.replace("520", "500") + 'claims = [{ claim = "in_bounds", expect = "refuted" }]\n'
    file = written(tmp_path, text)
    assert run("check", file, "--item", "a_lds", "--claim", "injective", "--no-cache").returncode == 1
    assert run("check", file, "--item", "a_lds", "--claim", "contiguous(4)", "--claim", "equals a_lds").returncode == 0
    refused(run("check", file, "--item", "a_lds"), "--item and --claim go together")
    refused(run("check", file, "--item", "x", "--claim", "injective"), "no item 'x'", "it has a_lds")
    refused(run("check", file, "--item", "a_lds", "--claim", "digits"), "digits")
