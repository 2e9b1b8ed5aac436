"""Certificates: other solvers agree with every verdict, and nothing that was altered passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.builders import Window, conv_to_gemm, gemm_v1_lds, padded_gemm, universal_row_major
from benchmarks.corpus import defective, symbolic
from layoutalg.index import all_of, bitand, eq, negation, symbol, var, xor
from layoutalg.layout import make_naive_tensor_descriptor
from layoutalg.prove import (
    Agree,
    Bijective,
    Claim,
    Contiguous,
    ForAll,
    InBounds,
    Injective,
    InjectiveMap,
    Surjective,
    prove,
)
from layoutalg.prove.certificates import write_certificates
from layoutalg.prove.content import digest
from layoutalg.prove.obligation import points_of
from layoutalg.prove.outcome import Fails, Holds
from layoutalg.prove.recheck import _answers, is_empty, recheck
from layoutalg.prove.replay import replays
from layoutalg.prove.smt import forms
from tests.matrix import some
from tests.optional import needed

needed("cvc5", "recheck")
needed("bitwuzla", "recheck")

TILE = universal_row_major(64, 64)
LDS = gemm_v1_lds(symbol("M"), 64)
LANE, WAVE = var("lane", 64), var("wave", 4)
M, N = symbol("M", max=1 << 60), symbol("N", max=1 << 60)
CLAIMS = {
    "tile in bounds": InBounds(TILE),
    "tile": Bijective(TILE),
    "tile vectors": Contiguous(TILE, 1, 8),
    "all M": Injective(LDS),
    "all M in bounds": InBounds(LDS),
    "padding": Bijective(padded_gemm(13, 9, 3, 7)),
    "first thread": ForAll("one thread", eq(LANE, 0), all_of(eq(LANE + WAVE - bitand(LANE, WAVE), 0), N * M < 1 << 90)),
    "swizzled twice": ForAll("xor undoes itself", xor(xor(var("x", 64), var("y", 64)), var("y", 64)) >= 0),
}


REFUTED: dict[str, Claim] = {entry.name: claim for entry in defective() for claim in entry.claims}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates of claims that hold and of claims that do not."""
    folder = tmp_path_factory.mktemp("certificates")
    write_certificates({**CLAIMS, **REFUTED}, folder)
    return folder


def test_other_solvers_agree_with_every_verdict(written: Path) -> None:
    found = recheck(written, {**CLAIMS, **REFUTED}, seconds=20)
    assert {r.result for r in found} == {"agrees"}, [r for r in found if r.result != "agrees"]
    certificates = [c for r in found for c in r.certificates]
    assert {c.solver for c in certificates} == {"cvc5", "bitwuzla"}
    assert {c.expected for c in certificates} == {"sat", "unsat"}
    assert {r.verdict for r in found} == {"proved", "refuted"}


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


LATER = InjectiveMap(
    "products",
    (var("x", symbol("M")), var("y", symbol("N"))),
    (var("x", symbol("M")) * symbol("N") + var("y", symbol("N")),),
)
WRONG = Injective(make_naive_tensor_descriptor((16, symbol("K", min=8, max=64)), (symbol("K", min=8, max=64) - 4, 1)))
ASKED = {"right": Injective(gemm_v1_lds(32, 32)), "wrong": WRONG, "products": LATER}


def _forged(folder: Path, change: Callable[[dict[str, Any]], None]) -> dict[str, str]:
    """What is said of each claim after a change of the manifest."""
    manifest = write_certificates(ASKED, folder)
    document = json.loads(manifest.read_text())
    change(document)
    manifest.write_text(json.dumps(document))
    return {r.name: r.result for r in recheck(folder, ASKED)}


def _as_proved(document: dict[str, Any]) -> None:
    document["claims"][1]["verdict"] = "proved"


def _of_another_text(document: dict[str, Any]) -> None:
    document["claims"][0]["certificates"][0]["sha256"] = "0" * 64


def _of_another_answer(document: dict[str, Any]) -> None:
    document["claims"][0]["certificates"][0]["expected"] = "sat"


def _without_one(document: dict[str, Any]) -> None:
    document["claims"][0]["certificates"].pop()


def _without_any(document: dict[str, Any]) -> None:
    document["claims"][0].update(certificates=[], uncertified=[{"label": "all", "strategy": "", "why": ""}])


def _of_another_statement(document: dict[str, Any]) -> None:
    document["claims"][0]["statement"] += ", always"


def _of_another_layout(document: dict[str, Any]) -> None:
    document["claims"][0].update(layout="another", layout_sha256=digest("another"))


def _with_more(document: dict[str, Any]) -> None:
    document["claims"][0]["proved"] = True


@pytest.mark.parametrize(
    ("change", "altered"),
    some([
        (_as_proved, "wrong"), (_of_another_text, "right"), (_of_another_answer, "right"), (_without_one, "right"),
        (_without_any, "right"), (_of_another_statement, "right"), (_of_another_layout, "right"),
        (_with_more, "right"),
    ], 4, slow=True),
)  # fmt: skip
def test_a_manifest_that_says_something_else_does_not_pass(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], altered: str
) -> None:
    found = _forged(tmp_path, change)
    assert found.pop(altered) == "altered"
    assert set(found.values()) == {"agrees"}


def test_a_claim_that_is_left_out_or_added_does_not_pass(tmp_path: Path) -> None:
    assert _forged(tmp_path, lambda d: d["claims"].pop(1)) == {
        "right": "agrees",
        "wrong": "altered",
        "products": "agrees",
    }
    added = _forged(tmp_path, lambda d: d["claims"].append({**d["claims"][0], "name": "strange"}))
    assert added == {"right": "agrees", "wrong": "agrees", "products": "agrees", "strange": "altered"}


@pytest.mark.parametrize("damage", some(["assert false", "removed", "reset", "comment"], 1, slow=True))
def test_a_text_that_is_altered_does_not_pass_whatever_hash_is_told(tmp_path: Path, damage: str) -> None:
    manifest = write_certificates(ASKED, tmp_path)
    document = json.loads(manifest.read_text())
    c = document["claims"][0]["certificates"][0]
    file = tmp_path / c["file"]
    if damage == "removed":
        file.unlink()
    else:
        text = file.read_text()
        by = {
            "assert false": text.replace("(check-sat)", "(assert false)\n(check-sat)"),
            "reset": text + "(reset-assertions)\n(assert false)\n(check-sat)\n",
            "comment": text.replace("; claim:", "; claim: another:"),
        }[damage]
        file.write_text(by)
        c["sha256"] = digest(by)
        manifest.write_text(json.dumps(document))
    results = {r.name: r for r in recheck(tmp_path, ASKED)}
    assert results["right"].result == "altered"
    assert results["wrong"].result == "agrees"


@pytest.mark.parametrize(
    "steps",
    some([
        [["product", [[1, []]], [[[1, ["no such"]]]]]],
        [["product", [[-1, []]], []]],
        [["true", [[1, []]], [[[1, []]]]]],
        [["product", [[1.5, []]], [[[1, []]]]]],
        [["product", [[1, ["x| Int)\n(assert false"]]], [[[1, []]]]]],
        [None], [[]], [["product", None, None]], [{}], 3 * [["product", [[1, []]], 7]],
    ], 4, slow=True),
)  # fmt: skip
def test_steps_that_are_none_prove_nothing(tmp_path: Path, steps: list[Any]) -> None:
    def change(document: dict[str, Any]) -> None:
        (c,) = document["claims"][2]["certificates"]
        assert c["steps"]
        c["steps"] = steps

    assert _forged(tmp_path, change)["products"] == "altered"


@pytest.mark.parametrize(
    "points",
    some(
        [[], [[8, 0, 0], [8, 0, 0]], [[0, 0, 0], [1, 1, 1]], [[True, 1, 1]] * 2, [None], [[10**40] * 3] * 2],
        2,
        slow=True,
    ),
)
def test_points_that_are_no_counterexample_refute_nothing(tmp_path: Path, points: list[Any]) -> None:
    def change(document: dict[str, Any]) -> None:
        (c,) = document["claims"][1]["certificates"]
        assert c["points"]
        c["points"] = points

    assert _forged(tmp_path, change)["wrong"] == "altered"


def test_what_another_search_found_is_as_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which steps and which counterexample are found hangs on the machine and on what was asked before."""
    write_certificates(ASKED, tmp_path)
    monkeypatch.setattr("layoutalg.prove.smt.search", lambda part: None)
    monkeypatch.setattr("layoutalg.prove.smt.forms", forms.__wrapped__)
    assert {r.result for r in recheck(tmp_path, ASKED)} == {"agrees"}
    document = json.loads((tmp_path / "manifest.json").read_text())
    (c,) = document["claims"][1]["certificates"]
    offsets = [[0, 12, 16], [1, 0, 16]]
    assert c["points"] != offsets
    other = replace(WRONG)
    (obligation,) = other.obligations()
    found = Fails("another", points_of(obligation, offsets))
    assert replays(obligation, found)
    monkeypatch.setattr("layoutalg.prove.portfolio.decide", lambda *args: found)
    write_certificates({"wrong": WRONG}, tmp_path / "other")
    monkeypatch.undo()
    assert [r.result for r in recheck(tmp_path / "other", {"wrong": WRONG})] == ["agrees"]


def test_a_manifest_is_one_of_this_format_or_none(tmp_path: Path) -> None:
    manifest = write_certificates(ASKED, tmp_path)
    text = manifest.read_text()
    for wrong in (
        text.replace('"format": 2', '"format": 99'), text.replace('"format": 2', '"other": 2'),
        text.replace('"right"', "null"), text.replace('"right"', '"wrong"'), text.replace('"right"', '["right"]'),
        text.replace('"claims": [', '"claims": [3, '), text.replace('"claims": [', '"claims": [], "claims": ['),
        text.replace('"integers"', "[]"), text.replace('"integers"', '"reals"'), "[" * 200_000, "[]", "", "\xff",
    ):  # fmt: skip
        assert wrong != text
        manifest.write_text(wrong)
        with pytest.raises(ValueError, match=r"."):
            recheck(tmp_path, ASKED)


def test_nothing_to_check_is_said(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"claims": []}')
    assert is_empty(tmp_path)
    manifest = write_certificates(ASKED, tmp_path)
    assert not is_empty(manifest.parent)


def test_a_solver_that_was_wrong_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if our own solver had been wrong, when it was written and when it is made anew."""
    wrong = ForAll("x < 8", var("x", 9) < 8)
    monkeypatch.setattr("layoutalg.prove.portfolio.decide", lambda *args: Holds("z3 integers"))
    write_certificates([wrong], tmp_path)
    (claim,) = recheck(tmp_path, [wrong])
    assert (claim.verdict, claim.result) == ("proved", "disagrees")


def test_a_solver_that_needs_longer_leaves_its_file_undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    p, q = symbol("p", min=2), symbol("q", min=2)
    hard = ForAll("no product", negation(eq(p * q * (p + q), 999_983 * 1_000_003 * 7)))
    monkeypatch.setattr("layoutalg.prove.portfolio.decide", lambda *args: Holds("z3 integers"))
    monkeypatch.setattr("layoutalg.prove.portfolio.vacuous", lambda condition: "")
    write_certificates({"hard": hard, "easy": Agree(TILE, TILE)}, tmp_path)
    found = {r.name: r.result for r in recheck(tmp_path, {"hard": hard, "easy": Agree(TILE, TILE)}, seconds=0.3)}
    assert found == {"hard": "undecided", "easy": "agrees"}


def test_a_verdict_that_is_open_when_it_is_made_anew_is_no_pass(tmp_path: Path) -> None:
    vacuous = ForAll("digits", eq(var("i", 8), 0), eq(var("i", 8) * 2, var("j", 8) * 2 + 1))
    manifest = write_certificates([vacuous], tmp_path)
    manifest.write_text(manifest.read_text().replace('"unknown"', '"proved"'))
    assert [r.result for r in recheck(tmp_path, [vacuous])] == ["undecided"]


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.matrix(0)), 16])
def test_claims_for_all_sizes_are_decided_again(tmp_path: Path, every: int) -> None:
    families = list(symbolic())[::every]
    claims = {f"{entry.name}.{n}": claim for entry in families for n, claim in enumerate(entry.claims)}
    manifest = json.loads(write_certificates(claims, tmp_path).read_text())
    assert [u for entry in manifest["claims"] for u in entry["uncertified"]] == []
    assert {entry["verdict"] for entry in manifest["claims"]} == {"proved"}
    found = recheck(tmp_path, claims)
    assert {r.result for r in found} == {"agrees"}, [r for r in found if r.result != "agrees"]
    assert any("with steps" in (tmp_path / c.file).read_text() for r in found for c in r.certificates)


CUBES = """(set-logic QF_NIA) (declare-const x Int) (declare-const y Int) (declare-const z Int)
(assert (> x 100)) (assert (> y 100)) (assert (> z 100)) (assert (= (+ (* x x x) (* y y y)) (* z z z))) (check-sat)"""
"""No solver decides it soon."""


def test_a_text_that_takes_all_its_seconds_is_lost_and_those_beside_it_are_not() -> None:
    easy = "(set-logic QF_LIA) (declare-const x Int) (assert (> x 3)) (assert (< x 2)) (check-sat)"
    found = _answers([(CUBES, "integers", 0.2), (easy, "integers", 0.2)], 2, 0.2)
    assert [answer for answer, _ in found] == ["lost", "unsat"]


def test_a_text_before_one_that_takes_all_its_seconds_is_decided() -> None:
    """It is being read when the other's process is ended, and their pool with it."""
    long = "(set-logic QF_LIA)\n" + "(assert true)\n" * 50_000 + "(assert false)\n(check-sat)\n"
    found = _answers([(long, "integers", 20.0), (CUBES, "integers", 0.1)], 2, 20.0)
    assert [answer for answer, _ in found] == ["unsat", "lost"]
