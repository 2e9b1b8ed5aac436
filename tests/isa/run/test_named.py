"""Named barriers of gfx1250: some waves of a block wait for each other, in every order of waves."""

import functools
import subprocess
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device.compile import compile_to_assembly
from layoutalg.device.compilers import choose_compiler, output_name
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute

SOURCE = r"""#include "layoutalg_device.h"
extern "C" __global__ void __launch_bounds__(96) k(int* out) {
  __shared__ int box[32];
  int wave = __builtin_amdgcn_readfirstlane(threadIdx.x / 32), lane = threadIdx.x % 32;
  if (wave == 0) asm volatile("; INIT" ::: "memory");
  __syncthreads();
  if (wave == 0) {
    box[lane] = 3 * lane + 1;
    asm volatile("s_wait_dscnt 0\n; PRODUCED" ::: "memory");
  } else if (wave == 1) {
    asm volatile("; CONSUMED" ::: "memory");
    out[lane] = box[lane];
  }
}
"""
INIT, PRODUCED, CONSUMED = (
    "s_mov_b32 m0, 0x20001\ns_barrier_init m0", "s_barrier_signal 1",
    "s_barrier_join 1\ns_barrier_signal 1\ns_barrier_wait 1",
)  # fmt: skip


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """The kernel with these lines in the places of its marks."""
    text = compile_to_assembly(SOURCE, "gfx1250")

    @functools.cache
    def made(init=INIT, produced=PRODUCED, consumed=CONSUMED, count=1):
        folder = Path(tmp_path_factory.mktemp("named"))
        edited = text.replace("; INIT", init).replace("; PRODUCED", produced).replace("; CONSUMED", consumed)
        edited = edited.replace("named_barrier_count 0", f"named_barrier_count {count}")
        (folder / "kernel.s").write_text(edited)
        for step in choose_compiler("gfx1250").steps("gfx1250", 3)[1:]:
            subprocess.run(step, cwd=folder, check=True)
        return decode_kernel(read_kernels((folder / output_name("gfx1250")).read_bytes())["k"])

    return made


def run(program, ahead=(), **options):
    return execute(program, (2,), (96,), [np.zeros(32, np.int32)], ahead=ahead, step_limit=5000, **options)


def outcomes(program):
    """What happens in each order of waves: what a `Fault` is, or whether the result is right."""
    found = set()
    for ahead in permutations(range(3)):
        try:
            found.add(bool(np.array_equal(run(program, ahead).outputs[0], 3 * np.arange(32) + 1)))
        except Fault as fault:
            found.add(fault.kind)
    return found


def test_who_waits_reads_what_was_stored_before_the_signal_in_every_order(build):
    program = build()
    assert outcomes(program) == {True}
    for order in range(4):
        assert np.array_equal(run(program, order=order).outputs[0], 3 * np.arange(32) + 1)
    assert run(program).unjudged  # what a named barrier orders is not followed


def test_a_barrier_by_m0_is_the_same(build):
    by_m0 = CONSUMED.replace("s_barrier_signal 1", "s_mov_b32 m0, 0x20001\ns_barrier_signal m0")
    assert outcomes(build(consumed=by_m0.replace("s_barrier_join 1", "s_mov_b32 m0, 1\ns_barrier_join m0"))) == {True}


def test_a_barrier_serves_again_and_again(build):
    """The second time: wave 0 waits, too, so that neither is ahead by two."""
    twice = "s_barrier_signal 1\ns_barrier_wait 1\ns_barrier_signal 1"
    produced = f"s_barrier_join 1\n{twice}\ns_barrier_wait 1"
    assert outcomes(build(produced=produced, consumed=f"s_barrier_join 1\n{twice}\ns_barrier_wait 1")) == {True}


def test_the_barrier_of_nobody_orders_nothing(build):
    found = outcomes(build(consumed=CONSUMED.replace("join 1", "join 0")))
    assert found != {True}


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"init": INIT.replace("0x2", "0x3")}, "barrier"),  # three are expected, two come
        ({"produced": ""}, "barrier"),  # one of two never signals
        ({"init": "s_nop 0"}, "barrier"),  # nobody initialises it
        ({"consumed": CONSUMED.replace("s_barrier_join 1\n", "")}, "barrier"),  # who waits has not joined
    ],
)  # fmt: skip
def test_a_wave_that_waits_for_nobody_is_told(build, change, found):
    assert outcomes(build(**change)) == {found}


@pytest.mark.parametrize(
    "change",
    [
        {"init": INIT.replace("0x2", "0x1")},  # one is expected: who waits has come itself
        {"consumed": CONSUMED.replace("s_barrier_signal 1", "s_barrier_signal 1\ns_barrier_signal 1")},
        {"consumed": CONSUMED.replace("\ns_barrier_wait 1", "")},
    ],
)  # fmt: skip
def test_a_wave_that_does_not_wait_for_the_other_reads_too_early_in_some_order(build, change):
    found = set()
    for ahead in permutations(range(3)):
        try:
            found.add(bool(np.array_equal(run(build(**change), ahead).outputs[0], 3 * np.arange(32) + 1)))
        except (Fault, UnsupportedInstructionError) as why:
            found.add(type(why).__name__)
    assert found - {True}


def test_a_barrier_that_the_kernel_did_not_ask_for_is_refused(build):
    """They come by four."""
    with pytest.raises(UnsupportedInstructionError, match="barrier 5, where the kernel has 4 named ones"):
        run(build(consumed=CONSUMED.replace("1", "5"), init=INIT.replace("0001", "0005")))
    moved = {"init": INIT.replace("0001", "0005"), "produced": PRODUCED.replace("1", "5")}
    for count in (2, 4):
        assert outcomes(build(consumed=CONSUMED.replace("1", "5"), **moved, count=count)) == {True}


def test_a_wait_behind_two_completions_is_refused(build):
    alone = "s_mov_b32 m0, 0x10001\ns_barrier_init m0\ns_barrier_join 1\ns_barrier_signal 1\ns_barrier_signal 1"
    with pytest.raises(UnsupportedInstructionError, match="complete twice before"):
        run(build(init=f"{alone}\ns_barrier_wait 1"))


@pytest.mark.parametrize("line", ["s_barrier_leave", "s_barrier_signal_isfirst 1", "s_get_barrier_state s4, 1"])
def test_what_has_no_two_sources_is_refused(build, line):
    with pytest.raises(UnsupportedInstructionError, match="has no entry"):
        run(build(consumed=f"{CONSUMED}\n{line}"))
