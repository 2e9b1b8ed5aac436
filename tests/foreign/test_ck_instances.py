"""AMD's own kernels, compiled by us: they do what numpy says, are proved, and not without a barrier."""

from dataclasses import replace

import pytest

from benchmarks.ck import instances, runs
from benchmarks.ck.table import INSTANCES
from benchmarks.foreign.proved_mutants import S_NOP
from layoutalg.audit.audit import audit
from layoutalg.ck.kernels import kernel_source
from layoutalg.formats import loads
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
    assert runs.run(one, file, code, one.sizes) == "exact"
    found = audit(code, file, 60)
    assert found.proved, found.failures
    first = code.instructions[0].address
    barriers = [one.address - first for one in code.instructions if one.name == "S_BARRIER"]
    for barrier in barriers[:1]:  # behind the last one of layer normalisation no LDS is used: it is not needed
        without = kernel.code[:barrier] + S_NOP + kernel.code[barrier + 4 :]
        assert audit(decode_kernel(replace(kernel, code=without)), file, 60).name != "proved"


def test_sizes_of_runs_are_the_least_each_edge_and_drawn_ones_of_several_blocks():
    (text,) = kernel_source("topk_softmax_8").launches.values()
    file = loads(text)
    found = runs.several(file, 5, "topk_softmax_8")
    assert len(found) >= 5
    assert {"M": 1, "E": 1, "T": 1} in found
    assert all(one["T"] <= one["E"] for one in found), "what the file is given holds"
    assert [max(one[name] for one in found) for name in "MET"] == [32768, 8, 8], "rows are too many to run them all"
    assert all(one["M"] > 64 for one in found[-2:]), "of several blocks"
    assert runs.several(file, 9, "topk_softmax_8")[: len(found)] == found, "asked for more, the same come first"
