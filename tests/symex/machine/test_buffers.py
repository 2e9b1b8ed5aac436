"""The range of a described buffer, as one lane sees it, is that of the run on numbers, and guards its accesses."""

import random

import numpy as np
import pytest

from layoutalg.audit.audit import Audit
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.index import FALSE, Expr, select, value, var
from layoutalg.isa.run.buffers import in_range
from layoutalg.isa.semantics.accesses import ACCESSES
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.machine.buffers import DescribedBuffer
from layoutalg.symex.values.word import NotReadable
from tests.audit import auditing
from tests.fuzzing import FIRST, KNOWN, count
from tests.matrix import each, some

TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
FLAGS = {target: 0x31004000 if target.startswith("gfx1") else 0x00020000 for target in TARGETS}  # CK Tile's
RDNA = [0x31004000, 0x31027000, 0x21004000]
LANES = 8
LANE = var("lane", LANES)


def by_enumeration(goal: Expr, given: Expr) -> bool:
    return all(value(goal, {LANE: k}) for k in range(LANES) if value(given, {LANE: k}))


# --- one range, read twice --------------------------------------------------------------------------------------------


def drawn(draw: random.Random, architecture: str) -> tuple[list[int], Expr, int]:
    """A descriptor's fields (`BufferFields`) and a scalar offset; each lane's offset; bytes of the element."""
    count = draw.choice([0, 1, 16, 20, 24, 32, 40, 41, 100, 0x7FFFFFFE, 1 << 31, (1 << 32) - 1])
    flags = draw.choice({"cdna": [0x00020000, 0x00027000], "cdna5": [0]}.get(architecture, RDNA))
    if draw.random() < 0.1:
        flags ^= 1 << draw.randrange(6 if architecture == "cdna5" else 0, 32)
    upper = draw.choice([0] * 9 + [16, 1 << 14]) if architecture != "cdna5" else 0
    offset = LANE * draw.choice([1, 2, 4, 8, 16]) + draw.choice([0, 0, 0, 4, 12, 4095])
    if draw.random() < 0.5:
        offset = select(draw.randrange(LANES + 1) > LANE, offset, draw.choice([1 << 31, (1 << 32) - 4, (1 << 32) + 8]))
    scalar = draw.choice([0, 0, 0, 4, 16])
    return [1 << 20, count, upper, flags, scalar], offset, draw.choice([1, 2, 4, 8, 12, 16])


@pytest.mark.fuzz
@pytest.mark.parametrize("architecture", ["cdna", "rdna3", "rdna4", "cdna5"])
def test_the_range_is_that_of_the_run_on_numbers(architecture: str) -> None:
    met = set()
    for seed in range(FIRST, FIRST + count(60)):
        words, offset, size = drawn(draw := random.Random(seed), architecture)
        index = LANE * draw.choice([1, 3]) if architecture == "cdna" and draw.random() < 0.3 else None
        offset += 0 if index is None else index * (words[2] & 0x3FFF)
        name = {1: "UBYTE", 2: "USHORT", 4: "DWORD", 8: "DWORDX2", 12: "DWORDX3", 16: "DWORDX4"}[size]
        w, access = IndexValues(by_enumeration), ACCESSES[f"BUFFER_LOAD_{name}"]
        offsets, indices = (
            np.array([value(e, {LANE: k}) for k in range(LANES)], np.uint64)
            for e in (offset, LANE if index is None else index)
        )
        which = {} if index is None else {"index": indices}
        asked = w.word(words[4]), w.word(offset, 64), None if index is None else w.word(index)
        numbers = [np.full(LANES, word, np.uint64) for word in words]
        try:
            address, inside = in_range(
                architecture, [*numbers, offsets], size, False, np.ones(LANES, np.bool_), "here", **which
            )
        except UnsupportedInstructionError:
            met.add("refused")
            with pytest.raises(NotReadable, match=r"not modelled|sources differ"):
                described(w, architecture, words).parts(access, *asked)
            continue
        parts = described(w, architecture, words).parts(access, *asked)
        met.add(f"{len(parts)} parts")
        for number, part in enumerate(parts):
            for k in range(LANES):
                there = value(part.inside, {LANE: k})
                assert [there] * max(1, part.size // 4) == [
                    dword[k] for dword in inside[number : number + max(1, part.size // 4)]
                ], (seed, k)
                assert value(part.address.expr, {LANE: k}) == address[k] + 4 * number
    if KNOWN:
        assert {"refused", "1 parts"} <= met, met


def described(w: IndexValues, architecture: str, fields: list[int]) -> DescribedBuffer:
    base, count, upper, flags, _ = fields
    packed = base | upper << 48 | count << (57 if architecture == "cdna5" else 64) | flags << 96
    low, third, last = packed % (1 << 64), packed >> 64 & 0xFFFFFFFF, packed >> 96
    return DescribedBuffer(w, architecture, (w.word(low, 64), w.word(third), w.word(last)), "here")


def never(goal: Expr, given: Expr) -> bool:
    raise AssertionError(f"{goal} is asked")


@pytest.mark.fuzz
@pytest.mark.parametrize("count", [48, 64, 100])
def test_whole_elements_of_whole_ranges_are_in_or_out_by_their_multiples(count: int) -> None:
    """However many choices make the offset; where the range ends within an element it matters."""
    offset: Expr = LANE * 16
    for k in range(1, LANES):
        offset = select(k > LANE, offset, LANE * 16 % 112 + 16 * k)
    w = IndexValues(by_enumeration if count % 16 else never)
    words = [1 << 20, count, 0, 0x20000, 0]
    parts = described(w, "cdna", words).parts(ACCESSES["BUFFER_LOAD_DWORDX4"], w.const(0, 32), w.word(offset, 64))
    assert len(parts) == (1 if count % 16 == 0 else 4)
    for k in range(LANES):
        at = value(offset, {LANE: k})
        assert [value(part.inside, {LANE: k}) for part in parts] == [
            at + 16 // len(parts) * (n + 1) <= count for n in range(len(parts))
        ]


# --- kernels: the range guards ----------------------------------------------------------------------------------------

SOURCE = """
#include "layoutalg_device.h"
typedef int i4 __attribute__((ext_vector_type(4)));
typedef float f4 __attribute__((ext_vector_type(4)));
#define RAW(name) __asm("llvm.amdgcn.raw.buffer." name)
#define KERNEL extern "C" __global__ void
extern "C" __device__ float load_1(i4, int, int, int) RAW("load.f32");
extern "C" __device__ f4 load_4(i4, int, int, int) RAW("load.v4f32");
extern "C" __device__ void store_1(float, i4, int, int, int) RAW("store.f32");
extern "C" __device__ void store_4(f4, i4, int, int, int) RAW("store.v4f32");
#define FLAGS {flags:#x}
#define I (int)(blockIdx.x * 64 + threadIdx.x)

__device__ i4 whole(const void* data, int bytes, int flags) {{  // as CK Tile makes one
  unsigned long long at = (unsigned long long)data;
  return i4{{(int)at, (int)(at >> 32), bytes, flags}};
}}
__device__ i4 buffer(const void* data, int bytes, int flags) {{  // as LLVM makes one
  unsigned long long at = (unsigned long long)data;
  return i4{{(int)at, (int)(at >> 32 & 0xffff), bytes, flags}};
}}
"""
LAUNCH = """
symbols = {{ n = {{ min = 1, max = {most} }}, m = {{ min = 1, max = {most} }} }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "packed", lengths = {x} }}
[[descriptor]]
name = "y"
dtype = "f32"
base = {{ kind = "packed", lengths = {y} }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "packed", lengths = {o} }}
[launch]
grid = ["(n + 63) // 64"]
block = [64]
arguments = ["x", "y", "o", "n", "m"]
writes = ["o"]
computes = {computes}
"""


def audited(target: str, body: str, *, x="['n']", y="['n']", o="['n']", most=100_000, computes="[]") -> Audit:
    kernel = f"KERNEL k(const float* x, const float* y, float* o, int n, int m) {{ {body} }}"
    source = SOURCE.format(flags=FLAGS[target]) + kernel
    return auditing.audited(source, LAUNCH.format(x=x, y=y, o=o, most=most, computes=computes), target)


def said(found: Audit) -> set[tuple[str, str]]:
    """What is not proved, and what is known of that."""
    return {(claim, verdict.name) for claim, _, verdict in found.claims if not verdict}


def why(found: Audit) -> str:
    return " ".join(str(verdict.reason) for _, _, verdict in found.claims if not verdict)


EVERYWHERE = each(TARGETS, "gfx942")
COPY = "store_1(load_1(whole(x, {0}, FLAGS), {1}, 0, 0), buffer(o, {0}, FLAGS), {1}, 0, 0);"
FROM_BLOCK = "load_1(whole(x, {0}, FLAGS), threadIdx.x * 4, blockIdx.x * 256, 0)"
BLOCK = f"if (I < n) store_1({FROM_BLOCK}, buffer(o, 4 * n, FLAGS), I * 4, 0, 0);"
FOURS = "store_4(load_4(whole(x, {0}, FLAGS), {1}, 0, 0), buffer(o, {0}, FLAGS), {1}, 0, 0);"
MASKED = "I < n ? I * 4 : 1 << 31"
SAME = '["o[i] = x[i]"]'


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize("body", some([
    COPY.format("4 * n", "I * 4"),
    COPY.format("0x7ffffffe", MASKED),  # Triton's
    COPY.format("1 << 31", MASKED),
    COPY.format("n * 4 + 15 & ~15", "I < n ? I * 4 : ~15"),
    COPY.format("4 * (n - blockIdx.x * 64)", "threadIdx.x * 4")
    .replace("(x,", "(x + blockIdx.x * 64,").replace("(o,", "(o + blockIdx.x * 64,"),
    BLOCK.format("1 << 31"),
], 3))  # fmt: skip
def test_what_the_range_guards_is_proved(target: str, body: str) -> None:
    found = audited(target, body, computes=SAME)
    assert found.proved, why(found)


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize(("body", "claims", "reason"), some([
    (COPY.format("4 * n + 4", "I * 4"), {("in_bounds", "refuted")}, "past the end of x"),
    (COPY.format("0x7ffffffe", MASKED.replace("<", "<=", 1)), {("in_bounds", "refuted")}, "past the end of x"),
    (COPY.format("-1", MASKED), {("in_bounds", "refuted")}, "past the end of x"),  # 2³¹ is in range
    (COPY.format("4 * n", "I * 4").replace("(o, 4", "(o, 8"), {("in_bounds", "refuted")}, "past the end of o"),
    (COPY.format("n * 3", "I * 4"), set(), "sources differ in whether it is in the range"),
    (COPY.format("4 * n", "I * 4 + 4"), set(), ""),
    (COPY.format("4 * (n + 16)", "I * 4 + 64").replace("(x,", "(x - 16,").replace("(o,", "(o - 16,"), set(), "stride"),
    (BLOCK.format("4 * n - 4"), set(), "sources differ"),
], 3, slow=True))  # fmt: skip
def test_what_it_does_not_guard_is_not(target: str, body: str, claims: set[tuple[str, str]], reason: str) -> None:
    found = audited(target, body, computes=SAME)
    assert not found.proved
    refuted = {(claim, "refuted") for claim, _, _ in found.claims if claim != "computes"}
    assert said(found) & refuted == claims, said(found)
    assert reason in why(found), why(found)


SHIFTED = (
    "if (I < n) store_1(load_1(whole(x, 4 * n, FLAGS), I + 1 < n ? I * 4 : {0}, 4, 0), buffer(o, 4 * n, FLAGS), I * 4,"
    " 0, 0);"
)
NEXT = '["o[i] = where(i < n - 1, x[i + 1], 0.0)"]'


@pytest.mark.parametrize("target", EVERYWHERE)
def test_what_a_scalar_offset_may_carry_back_is_in_doubt(target: str) -> None:
    found = audited(target, SHIFTED.format("1 << 31"), computes=NEXT)
    assert found.proved, why(found)
    contested = audited(target, SHIFTED.format("-1"), computes=NEXT)
    assert not contested.proved
    assert "#10928" in why(contested)
    assert "#10673" in why(contested)
    kept = audited(target, SHIFTED.format("-5"), computes=NEXT)  # as Triton does since: the sum is 2³² - 1
    assert kept.proved, why(kept)


@pytest.mark.parametrize("target", EVERYWHERE)
def test_each_dword_is_in_range_or_not_where_the_machine_looks_at_each(target: str) -> None:
    body = FOURS.format("4 * n", "I * 16")
    found = audited(target, body, computes=SAME)
    if target.startswith("gfx1"):
        assert "sources differ in whether it is in the range" in why(found)
    else:
        assert found.proved, why(found)
        assert ("in_bounds", "refuted") in said(audited(target, body.replace("(o, 4 * n", "(o, 4 * n + 4")))
        assert not audited(target, body.replace("(o, 4 * n", "(o, 4 * n - 4"), computes=SAME).proved


@pytest.mark.parametrize("target", EVERYWHERE)
def test_an_offset_that_wraps_into_the_range_is_the_programs_fault(target: str) -> None:
    body = "o[I] = load_1(buffer(x, 4 * n, FLAGS), I * {} * 4, 0, 0);"
    small, large = (audited(target, body.format(k), o="['(n + 63) // 64 * 64']") for k in (10_000, 15_001))
    assert small.proved, why(small)
    assert said(large) == {("no_overflow", "refuted")}


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize(("buffer", "reason"), [
    ("i4 b = buffer(x, 4 * n, FLAGS | n >> 20);", "flags are not constant"),
    ("i4 b = buffer(x, 4 * n, FLAGS | 1 << 23);", "a buffer that is not modelled: its last word has the bits 0x800000"),
    ("i4 b = buffer(x, n, FLAGS); b[1] |= 1 << 31;", "a buffer that is not modelled: its stride or swizzle is 0x8000"),
])  # fmt: skip
def test_a_buffer_that_is_not_modelled_is_refused(target: str, buffer: str, reason: str) -> None:
    assert reason in why(audited(target, f"{buffer} o[I] = load_1(b, I * 4, 0, 0);", most=1 << 28))


# --- addresses that are chosen ----------------------------------------------------------------------------------------

CHOSEN = "const float* p = {}; if (I < {}) o[I] = p[{}];"


@pytest.mark.parametrize("target", EVERYWHERE)
@pytest.mark.parametrize(("pointer", "index", "proved"), some([
    ("m < n ? x : y", "m < n ? I : 0", True),
    ("m < n ? x : y", "I", True),  # where m is not less, y has n elements at least
    ("n < m ? x : y", "I", False),
    ("m < n ? y : x", "m < n ? I : 0", False),
    ("I % 2 ? x : y", "I % 2 ? I : 0", True),
    ("I % 2 ? x + I : y + m - 1", "0", True),
    ("I % 2 ? x + I : y + m", "0", False),
    ("I % 2 ? x : x + n - 1", "0", True),
    ("I % 2 ? x : x + n", "0", False),
], 3, slow=True))  # fmt: skip
def test_an_access_by_a_chosen_pointer_is_one_of_each(target: str, pointer: str, index: str, proved: bool) -> None:
    found = audited(target, CHOSEN.format(pointer, "n", index), y="['m']")
    assert found.proved == proved, why(found)
    assert ("in_bounds", "refuted") in said(found) or proved


@pytest.mark.parametrize("target", EVERYWHERE)
def test_what_comes_by_a_chosen_pointer_is_what_is_there(target: str) -> None:
    body = CHOSEN.format("I % 2 ? x : y", "n", "I")
    right, wrong = '["o[i] = where(i % 2 == 1, x[i], y[i])"]', '["o[i] = where(i % 2 == 0, x[i], y[i])"]'
    assert audited(target, body, computes=right).proved
    assert ("computes", "refuted") in said(audited(target, body, computes=wrong))


@pytest.mark.parametrize("target", EVERYWHERE)
def test_halves_of_two_pointers_are_no_pointer(target: str) -> None:
    body = """unsigned long long a = (unsigned long long)x, b = (unsigned long long)y;
    const float* p = (const float*)(a & 0xffffffff | b >> 32 << 32); if (I < n) o[I] = p[I];"""
    assert "it is not seen to be the address of y or the address of x and an offset" in why(audited(target, body))


@pytest.mark.parametrize(("offset", "known"), [(0xFFFFFFF0, True), (0xFFFFFFF8, False), (1 << 31, True)])
def test_an_element_that_begins_below_2_32_and_ends_above_is_refused(offset: int, known: bool) -> None:
    """Its last dwords may be the buffer's first."""
    w, words = IndexValues(by_enumeration), [1 << 20, 4096, 0, FLAGS["gfx942"], 0]
    numbers, offsets = [np.full(LANES, word, np.uint64) for word in words], np.full(LANES, offset, np.uint64)
    buffer, access = described(w, "cdna", words), ACCESSES["BUFFER_LOAD_DWORDX4"]
    if known:
        assert not np.any(in_range("cdna", [*numbers, offsets], 16, False, np.ones(LANES, np.bool_), "here")[1])
        assert [part.inside for part in buffer.parts(access, w.word(0), w.word(offset, 64))] == [FALSE]
        return
    with pytest.raises(UnsupportedInstructionError, match="sources differ"):
        in_range("cdna", [*numbers, offsets], 16, False, np.ones(LANES, np.bool_), "here")
    with pytest.raises(NotReadable, match="sources differ"):
        buffer.parts(access, w.word(0), w.word(offset, 64))
