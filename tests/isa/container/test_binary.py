"""One kernel that is not modelled does not refuse the others of its code object."""

import functools

import pytest

from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.device.isa import machine_code
from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.binary import read_kernels
from tests.isa.containers import Edited

SOURCE = """
#include "layoutalg_device.h"
extern "C" __global__ void first(float* out) { out[threadIdx.x] = 1; }
extern "C" __global__ void second(float* out) { out[threadIdx.x] = 2; }
"""


@functools.cache
def half_refused():
    """Two kernels, the first of which asks for a trap handler."""
    code = Edited(compile_source(SOURCE, "gfx942").payload)
    code.descriptor_bits(422, 422, 1)
    return code.metadata["amdhsa.kernels"][0][".name"], bytes(code.payload)


def test_the_others_are_read():
    refused, payload = half_refused()
    kernels = read_kernels(payload)
    (other,) = {"first", "second"} - {refused}
    assert list(kernels) == [other]
    assert refused not in kernels
    assert kernels[other].name == other
    assert list(kernels.refused) == [refused]


def test_asking_for_it_gives_the_reason():
    refused, payload = half_refused()
    with pytest.raises(CodeObjectError, match=f"{refused}: its descriptor asks for a trap handler"):
        read_kernels(payload)[refused]
    with pytest.raises(CodeObjectError, match="a trap handler"):
        machine_code(CodeObject.read(payload), refused)
    with pytest.raises(KeyError):
        read_kernels(payload)["third"]


def test_its_resources_are_listed_all_the_same():
    assert sorted(CodeObject.read(half_refused()[1]).kernels) == ["first", "second"]
