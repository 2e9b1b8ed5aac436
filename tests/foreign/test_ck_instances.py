"""AMD's own kernels, compiled by us: they do what numpy says, are proved, and not without a barrier."""

from dataclasses import replace

import pytest

from benchmarks.ck import instances
from benchmarks.ck.table import INSTANCES
from benchmarks.foreign.proved_mutants import S_NOP
from layoutalg.audit.audit import audit
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.composable_kernel import composable_kernel
from tests.matrix import turns

CK = composable_kernel()


@pytest.mark.parametrize(
    "name", turns(["batched_transpose_unpadded", "layernorm2d_1x2048", "gemm_v3_64x64x32_one_row"])
)
def test_an_instance_is_exact_and_proved_and_needs_its_first_barrier(name, tmp_path, monkeypatch):
    monkeypatch.setattr(instances, "BUILD", tmp_path)
    one = next(one for one in INSTANCES if one.name == name)
    payload, file, _ = instances.compiled(one, "gfx942", CK)
    kernel = read_kernels(payload)[file.launch.kernel]
    code = decode_kernel(kernel)
    assert instances.run(one, file, code) == "exact"
    found = audit(code, file, 60)
    assert found.proved, found.failures
    first = code.instructions[0].address
    barriers = [one.address - first for one in code.instructions if one.name == "S_BARRIER"]
    for barrier in barriers[:1]:  # behind the last one of layer normalisation no LDS is used: it is not needed
        without = kernel.code[:barrier] + S_NOP + kernel.code[barrier + 4 :]
        assert audit(decode_kernel(replace(kernel, code=without)), file, 60).name != "proved"
