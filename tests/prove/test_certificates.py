"""Certificates: other solvers agree with every verdict, and nothing that was altered passes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.builders import Window, conv_to_gemm, gemm_v1_lds, padded_gemm, universal_row_major
from benchmarks.corpus import defective, symbolic
from layoutalg.index import eq, negation, symbol, var, xor
from layoutalg.prove import Agree, Bijective, Contiguous, FitsIndexType, ForAll, InBounds, Injective, Surjective, prove
from layoutalg.prove.certificates import write_certificates
from layoutalg.prove.content import digest
from layoutalg.prove.recheck import recheck
from layoutalg.prove.smt import smt_text
from tests.optional import needed

needed("cvc5", "recheck")
needed("bitwuzla", "recheck")

TILE = universal_row_major(64, 64)
LDS = gemm_v1_lds(symbol("M"), 64)
CLAIMS = {
    "tile in bounds": InBounds(TILE),
    "tile": Bijective(TILE),
    "tile vectors": Contiguous(TILE, 1, 8),
    "all M": Injective(LDS),
    "all M in bounds": InBounds(LDS),
    "padding": Bijective(padded_gemm(13, 9, 3, 7)),
    "swizzled twice": ForAll("xor undoes itself", xor(xor(var("x", 64), var("y", 64)), var("y", 64)) >= 0),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates of claims that hold and of claims that do not."""
    folder = tmp_path_factory.mktemp("certificates")
    refuted = {entry.name: claim for entry in defective() for claim in entry.claims}
    write_certificates({**CLAIMS, **refuted}, folder)
    return folder


def test_other_solvers_agree_with_every_verdict(written: Path) -> None:
    found = recheck(written, seconds=20)
    assert {r.result for r in found} == {"agrees"}, [r for r in found if r.result != "agrees"]
    assert {r.solver for r in found} == {"cvc5", "bitwuzla"}
    assert {r.expected for r in found} == {"sat", "unsat"}


def test_the_manifest_ties_each_file_to_its_claim_and_layout(written: Path) -> None:
    entries = {e["name"]: e for e in json.loads((written / "manifest.json").read_text())["claims"]}
    assert entries["tile"]["verdict"] == "proved"
    assert "xor((64, 8))" in entries["tile"]["layout"]
    assert entries["all M"]["layout"].endswith("1 <= M")
    assert entries["tile"]["layout_sha256"] != entries["all M"]["layout_sha256"]
    assert len(entries["tile"]["certificates"]) > len(TILE.adaptor.transforms)
    for entry in entries.values():
        assert entry["certificates"] or entry["uncertified"], entry["name"]


def test_a_header_says_what_is_claimed_and_what_is_expected(written: Path) -> None:
    entries = {e["name"]: e for e in json.loads((written / "manifest.json").read_text())["claims"]}
    file = next(c["file"] for c in entries["all M"]["certificates"] if "embed" in c["label"])
    lines = (written / file).read_text().splitlines()
    assert "; sizes: 1 <= M" in lines
    assert "; expected: unsat" in lines
    assert any(line.startswith("; chain: each transform by itself") for line in lines)
    assert any(":named |negation|" in line for line in lines)


def test_what_has_no_such_form_is_listed_as_uncertified(tmp_path: Path) -> None:
    im2col = conv_to_gemm(1, 1, [Window(5, 3, 1, 1, 0, 0)])
    manifest = write_certificates([Surjective(im2col)], tmp_path)
    (entry,) = json.loads(manifest.read_text())["claims"]
    assert entry["verdict"] == "proved"
    assert [u["why"] for u in entry["uncertified"]] == ["an exists below a forall"]


def test_a_vacuous_proof_is_none_in_the_manifest_either(tmp_path: Path) -> None:
    i, j = var("i", 8), var("j", 8)
    vacuous = ForAll("digits", eq((i * 4 + j % 4) // 4, i), eq(i * 2, j * 2 + 1))
    assert prove(vacuous).name == "unknown"
    (entry,) = json.loads(write_certificates([vacuous], tmp_path).read_text())["claims"]
    assert entry["verdict"] == "unknown"


@pytest.mark.parametrize("damage", ["changed", "removed"])
def test_what_is_altered_does_not_pass(tmp_path: Path, damage: str) -> None:
    write_certificates([Injective(gemm_v1_lds(32, 32))], tmp_path)
    file = sorted(tmp_path.glob("*.smt2"))[0]
    if damage == "changed":
        file.write_text(file.read_text().replace("(check-sat)", "(assert false)\n(check-sat)"))
    else:
        file.unlink()
    results = {r.file: r.result for r in recheck(tmp_path)}
    assert results.pop(file.name) == "altered"
    assert set(results.values()) == {"agrees"}


def test_a_wrong_certificate_is_found_out(tmp_path: Path) -> None:
    """As if our own solver had been wrong: what is expected is turned around."""
    manifest = write_certificates([ForAll("x < 9", var("x", 9) * 2 < 17), FitsIndexType(TILE, 8)], tmp_path)
    text = manifest.read_text().replace('"expected": "unsat"', '"expected": "sat"')
    manifest.write_text(text)
    assert "disagrees" in {r.result for r in recheck(tmp_path)}


def test_a_solver_that_needs_longer_leaves_its_file_undecided(tmp_path: Path) -> None:
    p, q = symbol("p", min=2), symbol("q", min=2)
    hard = ForAll("no product", negation(eq(p * q * (p + q), 999_983 * 1_000_003 * 7)))
    write_certificates([Agree(TILE, TILE)], tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    text = smt_text(hard, bits=False)
    (tmp_path / "hard.smt2").write_text(text)
    manifest["claims"][0]["certificates"].append(
        {"file": "hard.smt2", "sha256": digest(text), "label": "hard", "strategy": "", "expected": "unsat",
         "arithmetic": "integers"}
    )  # fmt: skip
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    results = {r.file: r.result for r in recheck(tmp_path, seconds=0.3)}
    assert results.pop("hard.smt2") == "undecided"


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 8])
def test_claims_for_all_sizes_are_decided_again(tmp_path: Path, every: int) -> None:
    families = list(symbolic())[::every]
    claims = {f"{entry.name}.{n}": claim for entry in families for n, claim in enumerate(entry.claims)}
    manifest = json.loads(write_certificates(claims, tmp_path).read_text())
    assert [u for entry in manifest["claims"] for u in entry["uncertified"]] == []
    assert {entry["verdict"] for entry in manifest["claims"]} == {"proved"}
    found = recheck(tmp_path)
    assert {r.result for r in found} == {"agrees"}, [r for r in found if r.result != "agrees"]
    assert any("with steps" in (tmp_path / r.file).read_text() for r in found)
