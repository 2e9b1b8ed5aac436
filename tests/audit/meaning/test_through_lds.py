"""What is read of LDS is what its writer stored: in transpositions that Triton compiled; more are in `cases`."""

import re

import pytest

from layoutalg.audit.audit import audit
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.prove import Proved
from tests.foreign.corpus import HERE

TRANSPOSED = "o[j, i] = x[i, j]"


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
def test_tritons_transposition_is_proved(target: str) -> None:
    stem = HERE / "triton" / "builds" / f"transpose-{target}"
    code = decode_kernel(read_kernels(stem.with_suffix(".co").read_bytes())["transpose"])
    text = re.sub(r"computes = .*\n", "", stem.with_suffix(".toml").read_text())
    for said, right in ((TRANSPOSED, True), ("o[j, i] = x[i, 0]", False), ("o[j, i] = x[0, j]", False)):
        found = audit(code, loads(f"{text}computes = ['{said}']\n"), 30)
        proved = [isinstance(one, Proved) for claim, _, one in found.claims if claim == "computes"]
        assert all(proved) if right else not any(proved)
