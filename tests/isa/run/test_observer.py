"""What a run tells its observer adds up, and it changes nothing of the run."""

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.observer import Observer, kind_of
from layoutalg.isa.run.spaces import Buffer
from tests.matrix import each

TARGETS = ("gfx942", "gfx1201")


def observed(program, target, order=None, **traced):
    given = np.arange(100 * 70, dtype=np.float32).reshape(100, 70)
    arguments, code = (
        [given, np.zeros((70, 100), np.float32), 100, 70],
        program("transposes", "transpose_xor_f32", target),
    )
    watch = Observer(**traced)
    run = execute(code, (2, 2), (256,), arguments, order=order, observer=watch)
    assert np.array_equal(run.outputs[1], given.T)
    return code, watch, run


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_bytes_and_segments_are_those_of_the_tensors(program, target):
    code, watch, run = observed(program, target)
    for store in (False, True):
        moved = [one for one in watch.traffic.values() if one.store == store]
        assert sum(one.bytes for one in moved) == 100 * 70 * 4
        assert all(one.least <= one.segments and one.wide_least <= one.wide <= one.segments for one in moved)
    counts = watch.counts(code)
    assert [count for one, count in counts if one.name == "S_ENDPGM"] == [4 * 256 // code.kernel.wave_size]
    assert sum(one.accesses for one in run.lds) == sum(count for one, count in counts if kind_of(one, target) == "lds")


@pytest.mark.slow
def test_counts_do_not_depend_on_whose_turn_it_is(program):
    one, other = (observed(program, "gfx942", order) for order in (None, 5))
    assert one[1].counts(one[0]) == other[1].counts(one[0])
    assert one[1].traffic == other[1].traffic


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_a_trace_holds_what_the_wave_wrote(program, target):
    code, watch, _ = observed(program, target, tracing=True, block=(0, 1, 0), wave=1)
    assert watch.trace[0].where.startswith(f"{code.instructions[0].address:#x} ")
    loads = [one for one in watch.trace if "global_load" in one.where]
    assert loads
    for load in loads:
        (words,) = (words for name, words in load.wrote.items() if name.startswith("v"))
        values = np.array(words, np.uint32).view(np.float32)[: len(load.addresses)]
        assert np.array_equal(np.diff(values), np.diff(load.addresses) / 4)


def test_a_wave_that_is_not_there_has_no_trace(program):
    assert not observed(program, "gfx942", tracing=True, block=(7, 0, 0))[1].trace


def test_an_address_that_is_none_is_a_fault_first(program):
    code = program("transposes", "transpose_xor_f32", "gfx942")
    given = [Buffer(np.zeros((100, 70), np.float32), first=1 << 63), np.zeros((70, 100), np.float32), 100, 70]
    with pytest.raises(Fault, match="in no buffer"):
        execute(code, (2, 2), (256,), given, observer=Observer(tracing=True))


def test_instructions_of_functions_that_are_called_count():
    source = """#include "layoutalg_device.h"
    __device__ __attribute__((noinline)) float twice(float x) { return 2 * x; }
    extern "C" __global__ void calls(float* o) { o[threadIdx.x] = twice(o[threadIdx.x]); }"""
    code = decode_kernel(read_kernels(compile_source(source, "gfx942").payload)["calls"])
    watch = Observer()
    run = execute(code, (1,), (64,), [np.ones(64, np.float32)], observer=watch)
    assert (run.outputs[0] == 2).all()
    counts = watch.counts(code)
    assert sum(count for _, count in counts) == run.steps
    assert any(one.address not in code.by_address for one, _ in counts)
