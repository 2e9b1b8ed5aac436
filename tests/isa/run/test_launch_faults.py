"""What no correct kernel does is a fault, or is reported: each kind on a kernel that does just that."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, StepLimit, UnsupportedInstructionError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.isa.run.spaces import Buffer
from layoutalg.isa.semantics.table import ALU
from tests.matrix import each

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
SOURCE = """
#include "layoutalg_device.h"
typedef float f2 __attribute__((ext_vector_type(2)));
typedef float f4 __attribute__((ext_vector_type(4)));

// out[t] = in[t + shift], through LDS: written at `to`, read at `from`, with a barrier between
extern "C" __global__ void through(const float* in, float* out, int shift, int to, int from, int written) {
  __shared__ float lds[128];
  if ((int)threadIdx.x < written) lds[threadIdx.x + to] = in[threadIdx.x + shift];
  __syncthreads();
  out[threadIdx.x] = lds[threadIdx.x + from];
}

// two floats at once from any byte
extern "C" __global__ void pairs(const char* in, f2* out, int at) {
  out[threadIdx.x] = *(const f2*)(in + 8 * threadIdx.x + at);
}

// four floats of LDS from any byte, two where `few`
extern "C" __global__ void quads(f4* out, int at, int few) {
  __shared__ float lds[272];
  int t = threadIdx.x;
  lds[t] = t, lds[t + 64] = t + 64, lds[t + 128] = t + 128, lds[t + 192] = t + 192;
  if (t < 16) lds[t + 256] = t + 256;
  __syncthreads();
  const char* from = (const char*)lds + 16 * threadIdx.x + at;
  if (few) *(f2*)&out[threadIdx.x] = *(const f2*)from;
  else out[threadIdx.x] = *(const f4*)from;
}

// every thread writes one place
extern "C" __global__ void together(int* out, int same) { out[0] = same ? 7 : (int)threadIdx.x; }

// a block reads, or writes, what another writes
extern "C" __global__ void neighbours(int* data, int* out, int shift) {
  data[(blockIdx.x * 64 + threadIdx.x + shift) % 512] = (int)blockIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = data[blockIdx.x * 64 + threadIdx.x];
}
extern "C" __global__ void one_place(int* data, int same) { data[threadIdx.x] = same ? 7 : (int)blockIdx.x; }

// some waves never come to the barrier; a loop that need not end
extern "C" __global__ void apart(int* out, int waves) {
  if ((int)threadIdx.x / 64 < waves) __syncthreads();
  out[threadIdx.x] = 1;
}
// waves past the first so many end before the barrier, behind which the others read what all wrote
extern "C" __global__ void early(const int* in, int* out, int waves, int from, int fence) {
  __shared__ int lds[128];
  lds[threadIdx.x] = in[threadIdx.x];
  if (fence) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  if ((int)threadIdx.x / 64 >= waves) return;
  __syncthreads();
  out[threadIdx.x] = lds[threadIdx.x + from];
}
extern "C" __global__ void forever(int* out, int step) {
  for (volatile int i = 1; i != 0; i = i + step) {}
  out[threadIdx.x] = 1;
}
// one of two numbers, by a condition code that nothing wrote
extern "C" __global__ void chosen(int* out) {
  int one;
  asm volatile("s_cselect_b32 %0, 1, 2" : "=s"(one));
  out[64 * blockIdx.x + threadIdx.x] = one;
}
"""


@functools.cache
def kernels(target):
    return dict(read_kernels(compile_source(SOURCE, target).payload))


def program(target, name):
    return decode_kernel(kernels(target)[name])


def through(target, threads=128, **given):
    source, out = np.arange(1, 129, dtype=np.float32), np.zeros(threads, np.float32)
    values = {"shift": 0, "to": 0, "from": 0, "written": 128} | given
    return execute(program(target, "through"), (1,), (threads,), [source, out, *values.values()])


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_the_kernel_without_a_fault(target):
    assert np.array_equal(through(target).outputs[1], np.arange(1, 129))


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"shift": 1}, "address", r"4 bytes at 0x[0-9a-f]+, 0 bytes past the end of buffer, .* thread 127"),
        ({"shift": -1}, "address", r"17179868668 bytes past the end of buffer, block \(0, 0, 0\) thread 0"),
        ({"to": 1}, "address", r"4 bytes at 0x200 of an LDS allocation of 512, .* thread 127"),
        ({"from": 4}, "address", r"4 bytes at 0x200 of an LDS allocation of 512, .* thread 124"),
        ({"to": -1}, "address", r"of an LDS allocation of 512, .* thread 0"),
        ({"written": 100}, "uninitialised", r"a stored value depends on an undefined value, block \(0, 0, 0\)"),
    ],
)  # fmt: skip
def test_an_access_that_is_wrong_is_a_fault(target, given, kind, message):
    with pytest.raises(Fault, match=message) as caught:
        through(target, **given)
    assert caught.value.kind == kind
    assert caught.value.facts["thread"].block == (0, 0, 0)


@pytest.mark.parametrize("target", each(TARGETS, "gfx90a"))
def test_an_unaligned_access_is_a_fault(target):
    """A multiple of a dword will do; where the machine is set up as amdhsa has it any byte, and it is told."""
    source = np.arange(8 * 64 + 8, dtype=np.uint32).astype(np.uint8)
    out, pairs = np.zeros((64, 2), np.float32), program(target, "pairs")
    for at in (0, 4, 8):
        run = execute(pairs, (1,), (64,), [source, out, at])
        assert run.outputs[1].tobytes() == source[at : at + 512].tobytes()
        assert run.unaligned == ()
    for at in (2, 3):
        with pytest.raises(
            Fault,
            match=rf"8 bytes at 0x[0-9a-f]+{at}, byte {at} of buffer, which is no multiple of 4, .* thread 0, at",
        ) as caught:
            execute(pairs, (1,), (64,), [source, out, at])
        assert caught.value.kind == "alignment"
        run = execute(pairs, (1,), (64,), [source, out, at], strict=False)
        assert run.outputs[1].tobytes() == source[at : at + 512].tobytes()
        assert [text.split()[1].startswith("global_load") for text in run.unaligned] == [True]
        assert run.unaligned[0] == caught.value.where


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
def test_a_fault_says_which_thread_and_which_byte_of_which_tensor(target):
    x, o = Buffer(np.ones(128, np.float32), "x", writable=False), Buffer(np.zeros(128, np.float32), "o")
    with pytest.raises(Fault, match=r"0 bytes past the end of x, block \(0, 0, 0\) thread 125") as caught:
        execute(program(target, "through"), (1,), (128,), [x, o, 3, 0, 0, 128])
    facts = caught.value.facts
    assert (facts["tensor"], facts["byte"], facts["thread"]) == ("x", 512, ((0, 0, 0), 125))


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
def test_a_store_where_it_is_only_read_is_a_fault(target):
    x, o = Buffer(np.ones(128, np.float32), "x"), Buffer(np.zeros(128, np.float32), "o", writable=False)
    with pytest.raises(Fault, match=r"byte 0 of o, which is only read, block \(0, 0, 0\) thread 0, at") as caught:
        execute(program(target, "through"), (1,), (128,), [x, o, 0, 0, 0, 128])
    assert caught.value.kind == "read_only"


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
def test_memory_that_nothing_wrote_is_undefined(target):
    """Copied it stays so, and is no fault until it is stored."""
    given, none = np.arange(128, dtype=np.float32), Buffer(np.zeros(256, np.float32), "o", defined=False)
    run = execute(program(target, "through"), (1,), (128,), [given, none, 0, 0, 0, 128])
    assert np.array_equal(run.outputs[1][:128], given)
    assert run.undefined[1].reshape(256, 4).all(axis=1).tolist() == [False] * 128 + [True] * 128
    assert not run.undefined[0].any()
    with pytest.raises(Fault, match="a stored value depends on an undefined value"):
        execute(program(target, "through"), (1,), (128,), [none, np.zeros(128, np.float32), 0, 0, 0, 128])


def test_one_buffer_in_two_places_is_one_memory():
    both = Buffer(np.arange(256, dtype=np.float32), "both", first=256)
    run = execute(program("gfx942", "through"), (1,), (64,), [both, both, 64, 0, 0, 64])
    assert np.array_equal(run.outputs[0], np.r_[:64, 128:192, 128:256])
    assert np.array_equal(run.outputs[0], run.outputs[1])


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
@pytest.mark.parametrize(("few", "size", "wrong", "right"), [(0, 16, (2, 1), (4, 8, 16)), (1, 8, (6, 2), (4, 8))])
def test_an_unaligned_access_of_lds_is_a_fault(target, few, size, wrong, right):
    quads = program(target, "quads")
    shown = np.s_[:, : size // 4]
    for at in (0, *right):
        run = execute(quads, (1,), (64,), [np.zeros((64, 4), np.float32), at, few])
        assert np.array_equal(run.outputs[0][shown], (np.arange(256).reshape(64, 4) + at // 4)[shown])
    for at in wrong:
        given = [np.zeros((64, 4), np.float32), at, few]
        with pytest.raises(Fault, match=rf"{size} bytes at {at:#x}, which is no multiple of 4, .* thread 0, at"):
            execute(quads, (1,), (64,), given)
        (told,) = execute(quads, (1,), (64,), given, strict=False).unaligned
        assert told.split()[1].startswith("ds_")


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_a_scalar_load_whose_address_would_be_cut_is_a_fault(target):
    """Its lowest two bits are dropped in every mode: base + 2 is loaded from the base."""
    whole = program(target, "through")
    first = next(i for i in whole.instructions if i.name.startswith("S_LOAD"))
    code, start = bytearray(whole.kernel.code), first.address - whole.kernel.entry
    code[start + 4] |= 2  # the offset is in bits 32–52 (CDNA 3 and RDNA 3 ISA, SMEM)
    mutant = decode_kernel(replace(whole.kernel, code=bytes(code)))
    given = [np.ones(128, np.float32), np.zeros(128, np.float32), 0, 0, 0, 128]
    for strict in (True, False):
        with pytest.raises(
            Fault, match=r"a scalar address has the part 0x[0-9a-f]*2, which is no multiple of 4"
        ) as caught:
            execute(mutant, (1,), (128,), given, strict=strict)
        assert caught.value.kind == "alignment"


@pytest.mark.parametrize("target", each(TARGETS, "gfx1100"))
def test_lanes_that_store_different_values_to_one_place_are_a_fault(target):
    out = np.zeros(1, np.int32)
    assert execute(program(target, "together"), (1,), (64,), [out, 1]).outputs[0][0] == 7
    with pytest.raises(Fault, match="two lanes store different values") as caught:
        execute(program(target, "together"), (1,), (64,), [out, 0])
    assert caught.value.kind == "collision"
    assert "to one address, block (0, 0, 0) thread 0 and thread 1" in caught.value.what


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
@pytest.mark.parametrize("name", ["apart", "early"])
def test_a_barrier_that_waves_pass_without_others_that_ended_is_told(target, name):
    """No fault: AMD's ISA lets them pass, and HIP forbids it."""
    given = (
        [np.zeros(128, np.int32)] if name == "apart" else [np.arange(1, 129, dtype=np.int32), np.zeros(128, np.int32)]
    )
    rest = [] if name == "apart" else [0, 0]
    whole = execute(program(target, name), (1,), (128,), [*given, 2, *rest])
    assert whole.outputs[-1].all()
    assert whole.ended == ()
    run = execute(program(target, name), (1,), (128,), [*given, 1, *rest])
    assert np.count_nonzero(run.outputs[-1]) == (128 if name == "apart" else 64)
    (told,) = run.ended
    assert "barrier" in told.split()[1]


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_what_a_wave_wrote_before_it_ended_is_seen_behind_the_barrier(target):
    """Where it waited for its stores; else nothing says that they are there."""
    x, early = np.arange(1, 129, dtype=np.int32), program(target, "early")
    run = execute(early, (1,), (128,), [x, np.zeros(128, np.int32), 1, 64, 1])
    assert np.array_equal(run.outputs[1][:64], x[64:])
    with pytest.raises(Fault, match="thread 0 reads LDS byte 0x100, written by another wave with no barrier between"):
        execute(early, (1,), (128,), [x, np.zeros(128, np.int32), 1, 64, 0])


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx1201"))
def test_a_kernel_that_hangs_is_a_fault(target):
    with pytest.raises(StepLimit, match="the kernel ran for 3000 instructions") as caught:
        execute(program(target, "forever"), (1,), (64,), [np.zeros(64, np.int32), 2], step_limit=3000)
    assert caught.value.kind == "control"


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_a_register_that_nothing_wrote_is_a_fault_once_it_matters(target):
    """The instructions that fetch the arguments are left out, one at a time."""
    whole = program(target, "through")
    kinds = []
    for instruction in whole.instructions:
        if not instruction.name.startswith("S_LOAD"):
            continue
        code, start = bytearray(whole.kernel.code), instruction.address - whole.kernel.entry
        code[start : start + instruction.size] = bytes.fromhex("000080bf") * (instruction.size // 4)
        mutant = decode_kernel(replace(whole.kernel, code=bytes(code)))
        with pytest.raises(Fault) as caught:
            execute(mutant, (1,), (128,), [np.ones(128, np.float32), np.zeros(128, np.float32), 0, 0, 0, 128])
        kinds.append(caught.value.kind)
    assert kinds
    assert set(kinds) == {"uninitialised"}


@pytest.mark.parametrize("blocks", [1, 2, 3, 4])
def test_a_condition_code_that_nothing_wrote_is_a_fault_in_each_wave(blocks):
    """A bit of noise in each copy would be the same half the time."""
    with pytest.raises(Fault, match="a stored value depends on an undefined value"):
        execute(program("gfx942", "chosen"), (blocks,), (64,), [np.zeros(256, np.int32)])


def test_an_instruction_without_an_entry_stops_with_its_name(monkeypatch):
    """V_CVT_OFF_F32_I4 is decoded; without its entry nothing is skipped."""
    monkeypatch.delitem(ALU, "V_CVT_OFF_F32_I4")
    whole = program("gfx942", "together")
    first = next(i for i in whole.instructions if i.form == "VOP1" and i.size == 4)
    offset = (0x7E000000 | 0x0E << 9 | 0x100).to_bytes(4, "little")  # v_cvt_off_f32_i4 v0, v0: VOP1 opcode 14
    code, start = bytearray(whole.kernel.code), first.address - whole.kernel.entry
    code[start : start + 4] = offset
    mutant = decode_kernel(replace(whole.kernel, code=bytes(code)))
    with pytest.raises(UnsupportedInstructionError, match=r"V_CVT_OFF_F32_I4 \(VOP1\) at 0x[0-9a-f]+ has no entry"):
        execute(mutant, (1,), (64,), [np.zeros(1, np.int32), 1])


@pytest.mark.parametrize("target", each(TARGETS, "gfx950"))
def test_a_block_that_touches_what_another_writes_is_a_race(target):
    """Blocks are carried out one after the other, but run in any order."""
    data, out = np.zeros(512, np.int32), np.zeros(512, np.int32)
    neighbours, one_place = (program(target, name) for name in ("neighbours", "one_place"))
    run = execute(neighbours, (8,), (64,), [data, out, 0])
    assert np.array_equal(run.outputs[1], np.arange(512) // 64)
    for shift in (64, 1):
        with pytest.raises(Fault, match=r"global memory where another block (read|wrote), at") as caught:
            execute(neighbours, (8,), (64,), [data, out, shift])
        assert caught.value.kind == "race"
    assert (execute(one_place, (300,), (64,), [data, 1]).outputs[0][:64] == 7).all()
    with pytest.raises(Fault, match=r"another block wrote something else|two lanes store different"):
        execute(one_place, (300,), (64,), [data, 0])
