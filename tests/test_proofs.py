"""The theorem families in proofs/: every file is read, and every claim is decided as the file expects."""

import re
import time
from functools import cache
from pathlib import Path

import pytest

from layoutalg.formats import load
from layoutalg.formats.check import Result, check
from layoutalg.layout import TRANSFORMS

PROOFS = Path(__file__).parents[1] / "proofs"
FILES = sorted(PROOFS.rglob("*.toml"))


@cache
def decided(path: Path) -> tuple[list[Result], float]:
    """What is known of a file's claims, and the seconds that it took."""
    start = time.process_time()
    results = list(check(load(path)))
    return results, time.process_time() - start


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PROOFS)))
def test_every_claim_is_as_expected(path: Path) -> None:
    results, _ = decided(path)
    assert results
    assert [f"{r.item.name}: {r.claim}: {r.verdict}" for r in results if not r.passed] == []


def test_the_corpus_has_its_sixteen_families() -> None:
    numbers = {part for path in (PROOFS / "corpus").glob("*.toml") for part in path.stem.split("-") if part.isdigit()}
    assert {f"{n:02}" for n in range(1, 17)} <= numbers


def test_every_transform_has_its_theorems() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (PROOFS / "transforms").glob("*.toml"))
    assert set(re.findall(r'transform = "(\w+)"', text)) == set(TRANSFORMS)


def test_all_proofs_take_under_thirty_seconds() -> None:
    assert sum(seconds for _, seconds in map(decided, FILES)) < 30
