"""Copies straight to LDS: which maps can be written so; the library's kernel and its machine code, and wrong ones."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault
from layoutalg.index import TRUE, extent_of, var
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.plans import Plan
from layoutalg.kernel.library.staging import swizzled
from layoutalg.kernel.library.transpose import straight_transpose, transpose_for
from layoutalg.kernel.obligations.held import MissingValueError
from layoutalg.kernel.program import AsyncCopy, Await, Barrier, Loop, StraightCopy
from layoutalg.kernel.program.fragments import FMA, encoded
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.prove import Proved, Refuted
from layoutalg.refine.refinement import prove_binary

PROGRAM = straight_transpose()
NOP = bytes.fromhex("000080bf")


def with_layout(descriptor, elements=64 * 65):
    """The program with another map of its tile to LDS."""

    def other(s):
        if isinstance(s, StraightCopy):
            return replace(s, store=replace(other(s.store), descriptor=descriptor))
        if isinstance(s, Await):
            return replace(s, buffers=tuple(replace(one, elements=elements) for one in s.buffers))
        if hasattr(s, "shared"):
            s = replace(s, shared=replace(s.shared, elements=elements))
            return replace(s, descriptor=descriptor)
        return s

    return replace(PROGRAM, body=tuple(map(other, PROGRAM.body)))


def straight(program):
    """The verdict on the claim that it can be written straight."""
    return next(verdict for about, verdict in verify(program).verdicts if "straight" in about)


def test_the_library_s_program_is_proved():
    assert verify(PROGRAM).proved


@pytest.mark.parametrize(
    ("descriptor", "claim"),
    [
        (make_naive_tensor_descriptor((64, 64), (64, 1)), Proved),
        (make_naive_tensor_descriptor((64, 64), (65, 1)), Proved),  # a gap between waves
        (make_naive_tensor_descriptor((64, 64), (1, 64)), Refuted),  # lanes lie a row apart
        (make_naive_tensor_descriptor((64, 64), (1, 65)), Refuted),
        (swizzled((64, 64), 1, 1), Refuted),  # another order within a wave
    ],
)
def test_which_maps_a_wave_can_write(descriptor, claim):
    assert isinstance(straight(with_layout(descriptor)), claim)


def without(kind):
    return replace(PROGRAM, body=tuple(s for s in PROGRAM.body if not isinstance(s, kind)))


def test_one_thing_wrong_and_it_is_not_proved():
    assert not verify(without(Barrier)).proved
    with pytest.raises(LayoutError):
        verify(without(Await))
    body = [s for s in PROGRAM.body if not isinstance(s, Barrier)]
    at = next(n for n, s in enumerate(body) if isinstance(s, Await))
    early = replace(PROGRAM, body=(*body[:at], Barrier(), *body[at:]))  # all meet, and then each waits for its own
    assert not verify(early).proved
    twice = replace(PROGRAM, body=(PROGRAM.body[0], *PROGRAM.body))  # two copies of one tile at once
    assert not verify(twice).proved


def test_lanes_that_may_be_off_are_refused():
    def guarded(s):
        return replace(s, load=replace(s.load, guarded=True)) if isinstance(s, StraightCopy) else s

    with pytest.raises(LayoutError, match="make its tiles whole"):
        verify(replace(PROGRAM, body=tuple(map(guarded, PROGRAM.body))))
    with pytest.raises(LayoutError, match="is no multiple of 64 x 64"):
        transpose_for(100, 64, "f32", "straight")
    with pytest.raises(LayoutError, match="lanes load 4"):
        straight_transpose("f16")


@cache
def binary(target):
    return decode_kernel(read_kernels(compile_source(emit_unverified(PROGRAM), target).payload)[PROGRAM.name])


@pytest.mark.parametrize(
    ("target", "loads"),
    [
        ("gfx1250", 16),
        pytest.param("gfx942", 16, marks=pytest.mark.slow),
        pytest.param("gfx950", 16, marks=pytest.mark.slow),
        pytest.param("gfx1100", 0, marks=pytest.mark.slow),
    ],
)
def test_the_machine_code_is_the_program(target, loads):
    code = binary(target)
    assert sum(i.name.startswith(("GLOBAL_LOAD_LDS", "GLOBAL_LOAD_ASYNC")) for i in code.instructions) == loads
    verdict = prove_binary(code, PROGRAM)
    assert verdict.proved, verdict.failures[:2]


def test_the_machine_code_transposes():
    x = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    done = execute(binary("gfx942"), (2,), (256,), [x, np.zeros((64, 128), np.float32), 128, 64])
    assert (done.outputs[1] == x.T).all()


def patched(edits, target):
    """The code with some instructions replaced."""
    whole = binary(target)
    code = bytearray(whole.kernel.code)
    for place, replacement in edits(whole.instructions):
        start = place.address - whole.kernel.entry
        code[start : start + place.size] = replacement * (place.size // len(replacement))
    return decode_kernel(replace(whole.kernel, code=bytes(code)))


def no_waits(instructions):
    last = max(n for n, i in enumerate(instructions) if i.name.startswith("GLOBAL_LOAD_LDS"))
    end = next(n for n, i in enumerate(instructions) if i.name == "S_BARRIER")
    return [(i, NOP) for i in instructions[last:end] if i.name == "S_WAITCNT"]


def no_barrier(instructions):
    return [(i, NOP) for i in instructions if i.name.startswith("S_BARRIER")]


def no_wait_for_copies(instructions):
    return [(i, NOP) for i in instructions if i.name == "S_WAIT_ASYNCCNT"]


def a_start_less(instructions):
    """One load goes where the one before it went."""
    found = [i for i in instructions if i.operands.get("d") and i.operands["d"].kind == "m0"]
    return [(found[3], NOP)]


@pytest.mark.parametrize(("edits", "target"), [
    (no_waits, "gfx942"), pytest.param(no_barrier, "gfx942", marks=pytest.mark.slow), (a_start_less, "gfx942"),
    (no_wait_for_copies, "gfx1250"), pytest.param(no_barrier, "gfx1250", marks=pytest.mark.slow),
])  # fmt: skip
def test_wrong_machine_code_is_not_proved(edits, target):
    mutant = patched(edits, target)
    assert not prove_binary(mutant, PROGRAM).proved
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    with pytest.raises(Fault):
        execute(mutant, (1,), (256,), [x, np.zeros((64, 64), np.float32), 64, 64])


def two_tiles():
    """A tile comes as two of 32 rows, in two groups; the first is stored while the second is on its way."""
    copy, commit, wait, barrier, read, store = PROGRAM.body
    row, column = copy.load.origin
    half = encoded([], [[8, 4], [64]], [[(1, 1), (2, 0)]], [(1, 0)])
    by_column = encoded([], [[32], [8, 8]], [[(2, 1), (1, 0)]], [(2, 0)])

    def tile(number):
        shared = replace(copy.store.shared, name=f"lds_{number}", elements=32 * 65)
        layout, at = make_naive_tensor_descriptor((32, 64), (65, 1)), (row + 32 * number, column)
        loaded = replace(copy.load.registers, name=f"by_row_{number}", distribution=half)
        registers = replace(read.registers, name=f"by_column_{number}", distribution=by_column)
        brought = replace(
            copy, load=replace(copy.load, origin=at, registers=loaded),
            store=replace(copy.store, shared=shared, descriptor=layout, registers=loaded),
        )  # fmt: skip
        held = replace(read, shared=shared, descriptor=layout, registers=registers)
        return brought, shared, (held, replace(store, registers=registers, origin=at))

    (first, lds, taken), (second, other, last) = tile(0), tile(1)
    waits = replace(wait, groups=1, buffers=(lds,)), replace(wait, buffers=(other,))
    body = first, commit, second, commit, waits[0], barrier, *taken, waits[1], barrier, *last
    return replace(PROGRAM, name="two_tiles", body=body)


def test_a_wait_leaves_the_loads_of_later_groups_under_way():
    program = two_tiles()
    text = emit_unverified(program)
    assert re.findall(r"await_copies<(\d+)>\(\)", text) == ["8", "0"]  # a thread's 8 of 32 × 64 elements
    code = compiled(text, program.name)
    assert waits(code)[0] == 8
    assert prove_binary(code, program).proved
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    assert (execute(code, (1,), (256,), [x, np.zeros((64, 64), np.float32), 64, 64]).outputs[1] == x.T).all()


def twice(*waits):
    """A tile comes twice, to two buffers, each of which is read after its wait."""
    copy, commit, _, barrier, read, store = PROGRAM.body
    second = replace(copy, store=replace(copy.store, shared=OTHER))
    reads = read, replace(read, shared=OTHER)
    body = copy, commit, second, commit, waits[0], barrier, reads[0], waits[1], barrier, reads[1], store
    return replace(PROGRAM, body=body)


OTHER = replace(PROGRAM.body[0].store.shared, name="other")
FIRST, ALL = replace(PROGRAM.body[2], groups=1), replace(PROGRAM.body[2], buffers=(OTHER,))


def waiting(program):
    """The waits and barriers of the kernel's text."""
    return re.findall(r"^ +(await_copies<\d+>|meet_under_way|__syncthreads)\(\);$", emit_unverified(program), re.M)


def test_groups_that_arrive_one_after_the_other_are_proved_and_nothing_less():
    assert verify(twice(FIRST, ALL)).proved
    with pytest.raises(MissingValueError):
        verify(twice(replace(FIRST, groups=2), ALL))
    with pytest.raises(MissingValueError):
        verify(twice(FIRST, replace(ALL, groups=1)))
    copied = twice(FIRST, ALL)
    with pytest.raises(LayoutError, match="await all"):
        verify(replace(copied, body=(*copied.body, *copied.body[:2])))


def test_a_barrier_waits_for_loads_where_none_may_stay_under_way():
    found = waiting(twice(FIRST, ALL))
    assert found == ["await_copies<16>", "meet_under_way", "await_copies<0>", "__syncthreads"]


def test_in_a_loop_the_loads_of_earlier_iterations_are_counted():
    copy, commit, second, _, _, barrier, read, *_, store = twice(FIRST, ALL).body
    turns = Loop(var("k", 3), (second, commit, FIRST, barrier, read, barrier))
    program = replace(PROGRAM, body=(copy, commit, turns, ALL, barrier, read, store))
    assert waiting(program)[:3] == ["await_copies<16>", "meet_under_way", "meet_under_way"]


def test_reads_of_lds_have_come_before_copies_begin_and_stay_behind_those_that_are_begun():
    """Clang counts loads to LDS among the reads, and would wait for too few of these."""
    copy, commit, second, _, _, barrier, read, *_, store = twice(FIRST, ALL).body
    wait = replace(PROGRAM.body[2], buffers=(PROGRAM.body[0].store.shared,))
    beside = replace(PROGRAM, body=(copy, commit, wait, barrier, read, second, commit, ALL, barrier, store))
    ordered = r"lgkmcnt|<- lds|<- source|memory.\);\n +// by_column"
    assert found_in(beside, ordered) == ["<- source", "<- lds", "lgkmcnt", "<- source"]
    between = replace(beside, body=(copy, commit, wait, barrier, second, read, commit, ALL, barrier, store))
    assert found_in(between, r"memory.\);\n +// by_column <- lds") == ['memory");\n    // by_column <- lds']
    turns = Loop(var("k", 3), (second, commit, FIRST, barrier, read))
    program = replace(PROGRAM, body=(copy, commit, turns, ALL, barrier, read, store))
    assert found_in(program, ordered) == ["<- source", "lgkmcnt", "<- source", "<- lds", "<- lds"]


def found_in(program, pattern):
    """What is found in the text of a kernel."""
    return re.findall(pattern, emit_unverified(program).split('extern "C"')[-1])


@cache
def in_turns(always):
    """A product of tiles of k in two slots: the next one is copied where it is there, or always, the first behind it.

    Fragments of one are read, and the copies of the other begin before they are used.
    """
    plan = Plan(FMA, (4, 4), (16, 16), 16, 1, direct=True, stages=2, whole=True)
    program = contraction(merged(parse_einsum("ki,kj->ij")), "f32", plan=plan, widths=(4, 4, 4))
    packed = make_naive_tensor_descriptor((1, 64, 16), (1024, 1, 64))
    k = next(s.index for s in program.body if isinstance(s, Loop))

    def other(s):
        if isinstance(s, Loop):
            return replace(s, body=tuple(map(other, s.body)))
        if isinstance(s, AsyncCopy):
            load = s.load
            if always and load.only is not TRUE:
                load = replace(load, only=TRUE, origin=(*load.origin[:2], (k + 1) % extent_of(k) * 16))
            return StraightCopy(load, replace(s.store, descriptor=packed))
        return replace(s, descriptor=packed) if hasattr(s, "shared") else s

    return replace(program, body=tuple(map(other, program.body)))


def test_copies_that_have_a_condition_are_made_under_it():
    """The tile behind the last one lies outside of the tensor."""
    test = r"if \(kt \+ 1 < \(N_k \+ 15\) >> 4\) {\n(?: .*\n)*? +copy_straight<16>"
    assert len(found_in(in_turns(False), test)) == 2
    assert found_in(in_turns(True), test) == []


@pytest.mark.slow
@pytest.mark.parametrize("always", [True, False])
def test_a_product_reads_lds_beside_copies(always):
    program = in_turns(always)
    assert verify(program).proved
    code = decode_kernel(read_kernels(compile_source(emit_unverified(program), "gfx950").payload)[program.name])
    a, b = (np.arange(48 * 64, dtype=np.float32).reshape(48, 64) % n for n in (5, 7))
    at = {"N_k": 48, "N_i": 64, "N_j": 64}
    done = execute(
        code, (1,), (256,), [a, b, np.zeros((64, 64), np.float32), *(at[n.value.name] for n in program.sizes)]
    )
    assert (done.outputs[2] == a.T @ b).all()


@pytest.mark.parametrize("left", [9, pytest.param(16, marks=pytest.mark.slow)])
def test_a_wait_that_leaves_a_load_too_many_is_not_proved(left):
    program = two_tiles()
    text = emit_unverified(program)
    code = compiled(text.replace("await_copies<8>()", f"await_copies<{left}>()"), program.name)
    assert not prove_binary(code, program).proved
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    with pytest.raises(Fault):
        execute(code, (1,), (256,), [x, np.zeros((64, 64), np.float32), 64, 64])


def compiled(text, name):
    return decode_kernel(read_kernels(compile_source(text, "gfx942").payload)[name])


def waits(code):
    """How many loads each wait leaves, from the last load to LDS that stands before a barrier on."""
    found = [i for i in code.instructions if i.name == "S_WAITCNT"]
    counts = [i.fields["simm16"] for i in found]
    return [n & 15 | n >> 14 << 4 for n in counts if n & 15 | n >> 14 << 4 != 63]
