"""The theorem families in proofs/: every file is read, and every claim is decided as the file expects."""

import re
from pathlib import Path

import pytest

from layoutalg.formats import load
from layoutalg.formats.check import check
from layoutalg.layout import TRANSFORMS

PROOFS = Path(__file__).parents[1] / "proofs"
FILES = sorted(PROOFS.rglob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PROOFS)))
def test_every_claim_is_as_expected(path: Path) -> None:
    results = list(check(load(path)))
    assert results
    assert [f"{r.item.name}: {r.claim}: {r.verdict}" for r in results if not r.passed] == []


def test_the_corpus_has_its_sixteen_families() -> None:
    numbers = {part for path in (PROOFS / "corpus").glob("*.toml") for part in path.stem.split("-") if part.isdigit()}
    assert {f"{n:02}" for n in range(1, 17)} <= numbers


def test_every_transform_has_its_theorems() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (PROOFS / "transforms").glob("*.toml"))
    assert set(re.findall(r'transform = "(\w+)"', text)) == set(TRANSFORMS)
