"""The table of proofs of builds: kept as data, merged, each proof with its limit, reasons told by their shape."""

import time
from dataclasses import replace

from benchmarks.binary import proofs
from benchmarks.binary.builds import built, compilers, kernels
from benchmarks.binary.results import shape
from benchmarks.binary.state import State

BUILD = ("compiler", "3", "transpose_register", "gfx942")


def test_a_later_row_replaces_an_earlier_one_and_merging_takes_the_other_files_rows(tmp_path):
    mine, other = State(tmp_path / "mine.jsonl"), State(tmp_path / "other.jsonl")
    for result in ("unknown", "proved"):
        mine.put(BUILD, {"result": result})
    mine.put(("older", *BUILD[1:]), {"result": "unknown"})
    other.put(("older", *BUILD[1:]), {"result": "proved"})
    assert mine.merge([other.path]) == 2
    assert [row["result"] for row in State(mine.path).rows.values()] == ["proved", "proved"]
    assert len(mine.path.read_text().splitlines()) == 2


def _binary():
    _, compiler = next(compilers([]))
    return built("transpose_register", "gfx942", "3", compiler), kernels()["transpose_register"]["gfx942"]


def test_a_proof_is_told_with_its_seconds():
    row = proofs.limited(*_binary(), seconds=30)
    assert row["result"] == "proved"
    assert row["why"] == ""
    assert 0 < row["seconds"] < 30


def test_a_proof_beyond_its_limit_is_ended(monkeypatch):
    monkeypatch.setattr(proofs, "proved", lambda *given: time.sleep(60))
    assert proofs.limited(*_binary(), seconds=0.1)["result"] == "unknown"


def test_what_is_known_is_not_proved_again_unless_its_result_is_named(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(proofs, "limited", lambda *given: asked.append(given) or {"result": "unknown", "why": "time"})
    portion = proofs.Portion(kernels=("transpose_register",), targets=("gfx942",))
    state = State(tmp_path / "proofs.jsonl")
    for again, times in ((), 1), ((), 1), (("refuted",), 1), (("unknown",), 2):
        assert proofs.run_proofs(replace(portion, again=frozenset(again)), state)
        assert len(asked) == times
    for code, times in (proofs.code(), 2), ("other", 3), ("other", 3):
        monkeypatch.setattr(proofs, "code", lambda code=code: code)
        assert proofs.run_proofs(replace(portion, fresh=True), state)
        assert len(asked) == times


def test_reasons_that_differ_in_addresses_numbers_and_witnesses_have_one_shape():
    one = "0x1828 global_store_dwordx2 stores to target: value: it: not at block 0 (for want_0_0_0 = 0); 0x17 more"
    other = "0x17cc global_store_dwordx2 stores to target: value: it: not at block 3 (for want_1_2_0 = 7)"
    assert shape(one) == shape(other)
    assert shape(one) != shape("V_PERM_B32 at 0x1a44 is not followed")
