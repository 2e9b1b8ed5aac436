"""LDS beyond the allocation: what the immediate alone says."""

from layoutalg.hazards import lds
from tests.hazards.assembly import flow


def found(body, target="gfx942", size=1024):
    return [(one.what, one.undecided) for one in lds.find(flow(body, target, lds=size))]


def test_an_immediate_that_leads_out_of_the_allocation():
    assert found("ds_read_b32 v1, v0 offset:1020") == []
    assert found("ds_read_b32 v1, v0 offset:1024") == [
        ("is at 1028 bytes of LDS at least, of 1024 that the kernel asks for", True)
    ]
    assert found("ds_write2st64_b64 v0, v[2:3], v[4:5] offset0:0 offset1:2", size=1024) == [
        ("is at 1032 bytes of LDS at least, of 1024 that the kernel asks for", True)
    ]
    assert found("ds_read_b32 v1, v0 offset:4096", size=0) == []  # all of its LDS is the launch's


def test_an_immediate_that_leads_out_of_what_the_processor_has():
    assert found("ds_read_b128 v[4:7], v0 offset:65528", size=0) == [
        ("is at 65544 bytes of LDS at least, of 65536 that gfx942 has", False)
    ]
    assert found("ds_read_b128 v[4:7], v0 offset:65528", "gfx950", size=0) == []
