"""The matrix transposition of AMD's programming guide, through CK's descriptors: proved, and refuted where wrong."""

from pathlib import Path

import pytest

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import load
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.audit.auditing import verdicts
from tests.composable_kernel import composable_kernel

GUIDE = Path(__file__).parent / "guide"
STORE = "to.CalculateOffset(ck::make_tuple(y + i, x))"


def audited(old: str = "", new: str = "") -> Audit:
    source = (GUIDE / "transpose.hip").read_text(encoding="utf-8")
    assert old in source
    built = compile_source(source.replace(old, new), "gfx942", include=[composable_kernel() / "include"])
    (kernel,) = read_kernels(built.payload).values()
    return audit(decode_kernel(kernel), load(GUIDE / "transpose.toml"))


@pytest.mark.slow
def test_the_guides_transposition_is_proved_as_written() -> None:
    found = audited()
    assert found.proved, found.failures
    assert verdicts(found, "computes") == {"proved"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "claim"),
    [
        (STORE, f"{STORE} + 1", "in_bounds"),
        ("= columns[i]", "= columns[3 - i]", "computes"),
        ("make_tuple(y + i, x)", "make_tuple(y + (i + 1) % 4, x)", "computes"),
    ],
    ids=["a store one element on", "rows in the wrong order", "rows one on"],
)
def test_a_wrong_store_is_refuted(old: str, new: str, claim: str) -> None:
    assert "refuted" in verdicts(audited(old, new), claim)
