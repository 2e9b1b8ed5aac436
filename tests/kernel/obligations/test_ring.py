"""Boxes copied in a ring of slots: proved in every order, emitted, and each wrong program is refuted or refused."""

from dataclasses import replace
from functools import cache

import pytest

from layoutalg.device import choose_device
from layoutalg.device.codeobject import CodeObject
from layoutalg.device.compile import compile_source
from layoutalg.device.kernels import told_boxes
from layoutalg.device.runtime import BoxOf
from layoutalg.errors import LaunchError
from layoutalg.index import TRUE, as_expr, value
from layoutalg.kernel.access.boxes import box_of, word_copied
from layoutalg.kernel.emit.kernel import emit, preconditions
from layoutalg.kernel.emit.ring import taken_registers
from layoutalg.kernel.library.contraction import contraction, contraction_task
from layoutalg.kernel.library.einsum import merged, parse_einsum
from layoutalg.kernel.library.epilogues import Epilogue, ProductD
from layoutalg.kernel.library.lds_layouts import planes, rows_of_k
from layoutalg.kernel.library.plans import Cut, Plan, ProblemShape, copied, plan_for, tuned
from layoutalg.kernel.obligations import ring as ringed
from layoutalg.kernel.obligations.boxes import box_copy
from layoutalg.kernel.obligations.ring import ring_of
from layoutalg.kernel.program import (
    Await,
    Barrier,
    BoxCopy,
    Commit,
    Load,
    LoadShared,
    Loop,
    MultiplyShared,
    Program,
    StoreShared,
)
from layoutalg.kernel.verify import verify
from layoutalg.layout import LayoutError, make_naive_tensor_descriptor
from layoutalg.prove import Proved, Refuted, prove
from tests.kernel.obligations.test_asynchronous import changed, nth, refuted
from tests.matrix import some

WGMMA = "wgmma.mma_async.sync.aligned.m64n{}k16.f32.{{0}}.{{0}}"
ORDERS = ["ik,jk->ij", "ik,kj->ij", "ki,kj->ij", "ki,jk->ij", "bik,bkj->bij"]


def plan(n: int = 64, groups: int = 2, slots: int = 3, whole: bool = True, through: bool = True) -> Plan:
    cut = Cut((1, 1), (groups, 1), 64, slots, 1, whole, WGMMA.format(n), through, boxes=True)
    return copied(plan_for("sm_90", "f16"), cut)


@cache
def product(einsum: str = "ik,kj->ij", cut: Plan | None = None) -> Program:
    return contraction(merged(parse_einsum(einsum)), "f16", plan=cut or plan(), widths=(8, 8, 8))


@pytest.mark.parametrize("einsum", some(ORDERS, 2))
def test_products_are_proved_however_their_operands_lie(einsum):
    assert verify(product(einsum)).failures == ()


@pytest.mark.slow
@pytest.mark.parametrize("einsum", ORDERS)
@pytest.mark.parametrize(
    ("n", "groups", "slots", "whole", "through"),
    [(256, 2, 4, True, True), (256, 2, 4, False, True), (64, 1, 8, False, True), (128, 1, 2, True, False)],
)
def test_products_of_other_tiles_are_proved(einsum, n, groups, slots, whole, through):
    assert verify(product(einsum, plan(n, groups, slots, whole, through))).failures == ()


# --- the text ---------------------------------------------------------------------------------------------------------


def text(einsum: str = "ik,kj->ij") -> str:
    whole = emit(verify(product(einsum)), "sm_90")
    return whole[whole.index('extern "C" __global__') :]


def test_the_text_has_a_thread_that_copies_and_threads_that_multiply():
    kernel = text()
    order = ["make_barriers<3, 8>(full, empty);", "if (threadIdx.x >= 256) {", "keep_registers<24>();",
             "if (threadIdx.x == 256) {", "await_phase(&empty[slot], ", "expect_bytes(&full[slot], 24576);",
             "copy_box(a_lds", "copy_box(b_lds", "for (int kt", "return;", "take_registers<240>();",
             "for (int kt", "await_phase(&full[kt % 3], kt / 3);", "begin_products();", "commit_products();",
             "await_products<1>();", "leave(&empty[(kt - 1) % 3]);", "await_products<0>();", "meet<256>();",
             "// sums -> target_lds", "meet<256>();", "// target_rows -> target"]  # fmt: skip
    rest = kernel
    for part in order:
        assert part in rest, part
        rest = rest.partition(part)[2]
    assert "__syncthreads" not in kernel
    assert "publish_lds" not in kernel
    assert "__launch_bounds__(384, 1)" in kernel
    assert "await_phase(&empty[slot], -1);" in kernel  # the phase before a tile is one number less
    assert "await_phase(&empty[slot], (kt + 2) / 3 - 1);" in kernel


def test_it_compiles_to_the_instructions_that_copy_wait_and_multiply():
    code = compile_source(emit(verify(product()), "sm_90"), "sm_90")
    ptx = code.payload.decode()
    for part in ("cp.async.bulk.tensor.3d", "mbarrier.try_wait.parity", "mbarrier.arrive.expect_tx", "setmaxnreg.inc",
                 "setmaxnreg.dec", "wgmma.mma_async", "wgmma.wait_group.sync.aligned \t1", "bar.sync 1"):  # fmt: skip
        assert part.replace("\t", "") in ptx, part
    (kernel,) = CodeObject.read(code.payload).kernels.values()
    assert [(p.kind, p.size) for p in kernel.parameters[-2:]] == [("value", 128)] * 2
    assert kernel.asked_lds_bytes == product().lds_bytes == 3 * (128 + 64) * 64 * 2 + 3 * 16


def test_registers_are_those_of_a_processor():
    for threads in range(256, 897, 128):
        taken, launched = taken_registers(threads), 65536 // (threads + 128) // 8 * 8
        assert taken % 8 == 0
        assert taken >= launched
        assert taken * threads + 24 * 128 <= launched * (threads + 128)  # more would never come
    assert taken_registers(128) == 0  # a launch gives 255 to each


# --- wrong programs ---------------------------------------------------------------------------------------------------


def other(**fields):
    return lambda s: [replace(s, **fields)]


def loaded(**fields):
    return lambda s: [replace(s, load=replace(s.load, **fields))]


def stored(**fields):
    return lambda s: [replace(s, store=replace(s.store, **fields))]


def moved(s: BoxCopy) -> list[BoxCopy]:
    return [replace(s, store=replace(s.store, slot=(s.store.slot + 1) % 3))]


def next_tile(s: BoxCopy) -> list[BoxCopy]:
    *outer, k = s.load.origin
    return [replace(s, load=replace(s.load, origin=(*outer, k + 64)))]


def of_the_ring(program: Program) -> str:
    """What the ring's own obligations say is wrong, whatever the others say."""
    try:
        found = [r.about for r in ringed.ring(program) if isinstance(prove(r.claim), Refuted)]
    except LayoutError as error:
        return str(error)
    return ", ".join(found)


WRONG = {
    "rows along the other way": (BoxCopy, 4, other(along_k=False), ""),
    "another slot": (BoxCopy, 4, moved, "one slot"),
    "another tile": (BoxCopy, 5, next_tile, ""),
    "a tile whatever the count": (BoxCopy, 4, loaded(only=TRUE), "under one condition"),
    "an operand less": (BoxCopy, 5, lambda s: [], "awaits all but 1"),
    "one group more": (Commit, 0, lambda s: [s, s], "one slot"),
    "an iteration's operands in two groups": (BoxCopy, 4, lambda s: [s, Commit()], "one tile, a group"),
    "no group": (Commit, 0, lambda s: [], "one slot"),
    "a tile too early": (Await, 0, lambda s: [replace(s, groups=2)], "awaits all but 1"),
    "no wait": (Await, 0, lambda s: [], "an iteration awaits"),
    "no meeting": (Barrier, 0, lambda s: [], "an iteration awaits"),
    "no meeting before results": (Barrier, 1, lambda s: [], ""),
    "no meeting behind results": (Barrier, 2, lambda s: [], ""),
    "two meetings": (Barrier, 0, lambda s: [s, s], "an iteration awaits"),
    "never the rest": (Await, 1, lambda s: [], ""),
}


@pytest.mark.parametrize("what", some(WRONG, 8, slow=True))
def test_one_wrong_statement_is_refuted_or_refused(what):
    kind, number, change, about = WRONG[what]
    program = replace(product(), body=changed(product().body, nth(kind, number, change)))
    assert program.body != product().body
    assert about in of_the_ring(program)
    if what != "two meetings":  # right, and not emitted
        assert refuted(program) != ""


def in_both(change) -> Program:
    """The program with both copies of a group changed alike, in the loop."""
    body = product().body
    for number in (4, 5):
        body = changed(body, nth(BoxCopy, number, change))
    assert body != product().body
    return replace(product(), body=body)


@pytest.mark.parametrize(
    ("change", "about"),
    [(moved, "goes to its slot"), (loaded(only=TRUE), "is copied if it is one"), (next_tile, "")],
)
def test_groups_that_are_wrong_as_a_whole_are_refuted(change, about):
    assert about in of_the_ring(in_both(change))
    assert refuted(in_both(change)) != ""


def test_an_iteration_multiplies_its_own_slot():
    def later(s):
        return [replace(s, a=replace(s.a, slot=(s.a.slot + 1) % 3), b=replace(s.b, slot=(s.b.slot + 1) % 3))]

    body = changed(product().body, nth(MultiplyShared, 0, later))
    told = [r.about for r in ringed.ring(replace(product(), body=body)) if isinstance(prove(r.claim), Refuted)]
    assert told == ["ring: an iteration multiplies its tile"]


def test_a_map_that_the_hardware_does_not_write_is_refuted_though_it_is_read_alike():
    twisted = rows_of_k(128, 64, 8, 2, (1, 0))

    def change(s):
        if isinstance(s, BoxCopy) and s.store.shared.name == "a_lds":
            return stored(descriptor=twisted)(s)
        return [replace(s, a=replace(s.a, descriptor=twisted))] if isinstance(s, MultiplyShared) else None

    wrong = replace(product(), body=changed(product().body, change))
    told = [about for about, v in verify(wrong).verdicts if isinstance(v, Refuted)]
    assert any("boxes of a to a_lds: it lies where the map says" in about for about in told)


def test_boxes_outside_a_ring_are_refused():
    copies = tuple(s for s in product().body if isinstance(s, BoxCopy))
    with pytest.raises(LayoutError, match="boxes are copied in a ring of slots"):
        ring_of(replace(product(), body=copies))


def test_only_boxes_are_copied_in_an_iteration():
    d = ProductD(("i", "j"), "f16", "d0")
    whole = contraction(parse_einsum("ik,kj->ij"), "f16", plan=plan(), widths=(8, 8, 8), epilogue=Epilogue("Add", (d,)))
    (load,) = (s for s in whole.body if isinstance(s, Load))
    assert ring_of(whole) is not None

    def later(s):
        return [] if s is load else [replace(s, body=(*s.body, load))] if isinstance(s, Loop) else None

    with pytest.raises(LayoutError, match="the copies of one tile, a group, and nothing else"):
        verify(replace(whole, body=changed(whole.body, later)))


@pytest.mark.parametrize("kind", [BoxCopy, MultiplyShared])
def test_nothing_is_copied_or_multiplied_behind_the_ring(kind):
    (*_, s) = product().of(kind)
    with pytest.raises(LayoutError, match=f"{kind.__name__} stands behind the ring"):
        ring_of(replace(product(), body=(*product().body, s)))


def test_bytes_that_arrive_are_those_of_boxes_where_slots_are_longer():
    def longer(s):
        if isinstance(s, BoxCopy):
            return stored(shared=twice(s.store.shared))(s)
        if isinstance(s, MultiplyShared):
            a, b = (replace(one, shared=twice(one.shared)) for one, *_ in s.sides)
            return [replace(s, a=a, b=b)]
        return [replace(s, buffers=tuple(map(twice, s.buffers)))] if isinstance(s, Await) else None

    def twice(shared):
        return replace(shared, elements=shared.elements * 2)

    program = replace(product(), body=changed(product().body, longer))
    found, usual = ring_of(program), ring_of(product())
    assert verify(program).failures == ()
    assert {group.bytes for group in (*found.before, found.group)} == {(128 + 64) * 64 * 2} == {usual.group.bytes}


def test_a_tensor_is_copied_by_boxes_of_one_shape():
    def more(s):
        if isinstance(s, BoxCopy) and s.load.tensor.name == "b":
            own = replace(s.load, tensor=product("ik,jk->ij").source)
            return [s, replace(s, load=own, store=replace(s.store, shared=other_lds))]
        return [replace(s, buffers=(*s.buffers, other_lds))] if isinstance(s, Await) else None

    program = product("ik,jk->ij")
    other_lds = next(replace(s.store.shared, name="c_lds") for s in program.of(BoxCopy) if s.load.tensor.name == "b")
    with pytest.raises(LayoutError, match="two for a_box"):
        ring_of(replace(program, body=changed(program.body, more)))


def test_one_slot_is_no_ring():
    assert "at least 0 are" in refuted(product(cut=plan(slots=1)))


# --- tensors ----------------------------------------------------------------------------------------------------------


def of_tensor(lengths, strides) -> list[str]:
    """What is wrong with the boxes of a tensor of 16-bit elements, of a program that copies it."""
    (first, *_) = product().of(BoxCopy)
    tensor = replace(first.load.tensor, descriptor=make_naive_tensor_descriptor(lengths, strides))
    copy = replace(first, load=replace(first.load, tensor=tensor))
    told = box_copy(replace(product(), sizes=()), 0, copy)
    return [r.about.partition(": ")[2] for r in told if not isinstance(prove(r.claim), Proved)]


@pytest.mark.parametrize(
    ("lengths", "strides", "wrong"),
    [
        ((1, 100, 96), (9600, 96, 1), False),
        ((2, 100, 96), (9600, 96, 1), False),
        ((1, 100, 96), (0, 100, 1), True),  # rows 200 bytes apart
        ((1, 100, 96), (0, 96, 2), True),  # every other element
        ((2, 100, 96), (4, 96, 1), True),  # planes 8 bytes apart
        ((1, 100, 96), (0, 1 << 40, 1), True),
        ((2, 100, 96), (0, 96, 1), True),  # one plane twice: a stride of 0 is none that the driver takes
    ],
)
def test_strides_are_such_as_the_driver_takes(lengths, strides, wrong):
    assert any("the driver takes its strides" in about for about in of_tensor(lengths, strides)) == wrong


def test_merged_coordinates_have_no_stride():
    program = contraction(merged(parse_einsum("ijk,kjm->im")), "f16", plan=plan(), widths=(8, 8, 8))
    told = [about for about, v in verify(program).verdicts if isinstance(v, Refuted)]
    assert any("its strides are the map's" in about for about in told)


def test_the_library_copies_boxes_of_what_can_be_walked_only():
    sizes = ProblemShape((4096,) * 3, (4096,) * 3)
    assert tuned("contraction", "sm_90", "f16", (8, 8), sizes, walked=True).boxes
    assert not tuned("contraction", "sm_90", "f16", (8, 8), sizes).boxes
    task = contraction_task("ijk,kjm->im", (128, 64, 64), (64, 64, 128), "f16", target="sm_90")
    assert not any(task.program.of(BoxCopy))


@pytest.mark.parametrize("along_k", [True, False])
def test_words_are_rows_of_128_bytes_swizzled(along_k):
    (s, *_) = (s for s in product().of(BoxCopy) if s.along_k == along_k)
    _, length, k = (int(n.hi) for n in s.store.descriptor.lengths)
    rows = box_of(s).rows
    assert rows == (length if along_k else k)
    for m in range(0, length, 3):
        for at in range(0, k, 5):
            row, column = (m, at) if along_k else (at, m)
            byte = column // 64 * rows * 128 + row * 128 + column % 64 * 2
            wanted = (byte ^ (byte >> 7 & 7) << 4) // 2
            assert value(word_copied(s, tuple(map(as_expr, (0, m, at)))), {}) == wanted
            assert value(planes(length, k, along_k).offset(tuple(map(as_expr, (0, m, at)))), {}) == wanted


def test_the_device_is_told_lengths_strides_in_bytes_and_extents():
    program = product("bik,bkj->bij")
    at = {size: {"N_b": 3, "N_i": 256, "N_k": 192, "N_j": 128}[size.value.name] for size in program.sizes}
    assert told_boxes(program, at) == [
        (0, ((192, 256, 3), (2 * 192, 2 * 192 * 256), (64, 128, 1), (), (), ())),
        (1, ((128, 192, 3), (2 * 128, 2 * 128 * 192), (64, 64, 1), (), (), ())),
    ]
    alone = told_boxes(product(), dict.fromkeys(product().sizes, 512))
    assert [told[1] for _, told in alone] == [(1024, 16)] * 2  # a plane alone may have any stride


def test_tensors_of_boxes_begin_at_16_bytes_however_their_loads_are_cut():
    def one_by_one(s):
        return loaded(vector=None)(stored(vector=None)(s)[0]) if isinstance(s, BoxCopy) else None

    program = replace(product(), body=changed(product().body, one_by_one))
    assert preconditions(program).startswith("a, b, target begin at multiples of 16 bytes")


def test_a_device_without_such_copies_says_so():
    cpu = choose_device("cpu")
    array = cpu.empty((64, 64), "f2")
    with pytest.raises(LaunchError, match="copies no boxes"):
        cpu.box(array, BoxOf(array, (64, 64, 1), (128, 16), (64, 64, 1)))


# --- a buffer over others ---------------------------------------------------------------------------------------------


def test_results_lie_over_the_tiles_that_are_done_with():
    program = product(cut=plan(256, slots=4))
    assert program.lds_bytes == 4 * (128 + 256) * 64 * 2 + program.barrier_bytes
    assert {s.name: place for s, place in program.places.items()} == {"a_lds": 0, "b_lds": 65536, "target_lds": 0}


def test_what_lies_under_results_is_not_touched_again():
    store = next(s for s in product().body if isinstance(s, StoreShared))
    again = next(s for s in product().of(MultiplyShared))
    read = LoadShared(again.a.registers, again.a.shared, again.a.descriptor, None, as_expr(0))
    assert store.shared.again
    assert "touched after it" in refuted(replace(product(), body=(*product().body, Barrier(), read)))


def test_two_buffers_over_the_others_are_refused():
    def more(s):
        if isinstance(s, MultiplyShared):
            return [replace(s, a=replace(s.a, shared=replace(s.a.shared, again=True)))]
        return stored(shared=replace(s.store.shared, again=True))(s) if is_a(s) else _waits(s)

    def is_a(s):
        return isinstance(s, BoxCopy) and s.store.shared.name == "a_lds"

    def _waits(s):
        if not isinstance(s, Await):
            return None
        return [replace(s, buffers=tuple(replace(b, again=b.name == "a_lds") for b in s.buffers))]

    assert "one may" in refuted(replace(product(), body=changed(product().body, more)))
