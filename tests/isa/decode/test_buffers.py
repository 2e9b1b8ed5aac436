"""Buffer instructions of RDNA, which the wheel's decoder does not look for, are read as the assembler writes them."""

import pytest

from layoutalg.isa.decode.instructions import decode
from tests.isa.decode.test_allowed import encoded, kernel

MUBUF = {
    "buffer_load_b32 v5, v1, s[8:11], s3 offen offset:4095": "d=v5, addr=v1, resource=s8, soffset=s3",
    "buffer_load_b128 v[4:7], off, s[12:15], 0 glc slc dlc": "d=v4, addr=v0, resource=s12, soffset=0",
    "buffer_load_d16_hi_b16 v5, v1, s[96:99], s3 idxen": "d=v5, addr=v1, resource=s96, soffset=s3",
    "buffer_store_b8 v9, v1, s[8:11], m0 offen": "data=v9, addr=v1, resource=s8, soffset=m0",
    "buffer_atomic_cmpswap_b64 v[4:7], v1, s[8:11], 64 offen glc": "data=v4, addr=v1, resource=s8, soffset=64",
    "buffer_load_format_x v[4:5], v[2:3], s[8:11], s3 idxen offen tfe": "d=v4, addr=v2, resource=s8, soffset=s3",
}
VBUFFER = {
    "buffer_load_b32 v5, v1, s[8:11], s3 offen offset:4095": "d=v5, addr=v1, resource=s8, soffset=s3",
    "buffer_load_b128 v[4:7], off, s[12:15], null th:TH_LOAD_NT scope:SCOPE_DEV":
        "d=v4, addr=v0, resource=s12, soffset=null",
    "buffer_load_d16_hi_b16 v5, v1, s[96:99], s3 idxen": "d=v5, addr=v1, resource=s96, soffset=s3",
    "buffer_store_b8 v9, v1, s[8:11], m0 offen": "data=v9, addr=v1, resource=s8, soffset=m0",
    "buffer_atomic_cmpswap_b64 v[4:7], v1, s[8:11], s3 offen th:TH_ATOMIC_RETURN":
        "data=v4, addr=v1, resource=s8, soffset=s3",
    "tbuffer_load_format_x v5, v1, s[8:11], s3 format:[BUF_FMT_8_UINT] offen": "d=v5, addr=v1, resource=s8, soffset=s3",
}  # fmt: skip
CASES = [("gfx1100", *case) for case in MUBUF.items()] + [("gfx1201", *case) for case in VBUFFER.items()]
FIELDS = {"offen", "idxen", "glc", "slc", "dlc", "tfe", "offset", "th", "scope", "format"}


@pytest.mark.parametrize(("target", "line", "operands"), CASES)
def test_it_is_what_the_assembler_wrote(target, line, operands):
    found = next(decode(encoded(target, line), 0, kernel(target).architecture, target))
    assert found.name == line.split()[0].upper()
    assert {f"{role}={operand}" for role, operand in found.operands.items()} == set(operands.split(", "))
    assert found.size == (8 if target == "gfx1100" else 12)
    words = {word.split(":")[0] for word in line.replace(",", " ").split()}
    assert found.fields.keys() == words & FIELDS
    assert found.fields.get("offset", 4095) == 4095
