"""Atomic operations against AMD's own pseudocode, on random and on telling words."""

import importlib
import random
import re

import numpy as np
import pytest

from layoutalg.isa.run.arrays import ArrayValues
from layoutalg.isa.semantics.accesses import ACCESSES
from tests.fuzzing import few
from tests.isa.semantics.test_table import Pseudocode
from tests.matrix import all_hold

RNG = random.Random(3)
NUMBERS = (0.0, 1.0, -1.0, 1.5, 3.25e38, -3.25e38, 1e-20, float("inf"), float("-inf"))


def texts(of_number):
    """(name, text): each different text of an atomic instruction on some kinds of numbers once."""
    found = {}
    for architecture in ("cdna", "rdna3", "rdna4"):
        module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode")
        for op, text in module.PCODE.items():
            if op.name in ACCESSES and (atomic := ACCESSES[op.name].atomic) and of_number(atomic.number):
                found[op.name, text] = None
    return list(found)


def simplified(text):
    """Memory as one name, sums written out, the two ways of a condition as one choice."""
    text = re.sub(r"addr = [^;]*;|declare [^;]*;|//[^\n]*", "", text)
    text = re.sub(r"MEM\[(addr|ADDR)\]", "MEM", text).replace("ULL", "").replace("0U", "0").replace("1U", "1")
    text = re.sub(r"([\w.]+) ([-+])= ", r"\1 = \1 \2 ", text)
    return re.sub(r"if (.*?) then\s*(\w+) = (.*?)\s*else\s*\w+ = (.*?)\s*endif",
                  r"\2 = (\1) ? (\3) : (\4)", text, flags=re.DOTALL)  # fmt: skip


def words(bits):
    telling = [0, 1, 2, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1, 5]
    drawn = [RNG.getrandbits(bits) for _ in range(6)]
    return [(a, b, c) for a in telling + drawn for b in telling + drawn[:2] for c in (a, b, RNG.getrandbits(bits))]


def carried_out(atomic, old, data, data2):
    kind = {4: np.uint32, 8: np.uint64}[atomic.size]
    return int(atomic.effect(ArrayValues(), *(np.array([[word]], kind) for word in (old, data, data2))).item())


@pytest.mark.fuzz
def test_operations_do_what_their_texts_say():
    all_hold(texts(lambda number: not number), lambda one: does_what_it_says(*one), str)


def does_what_it_says(name, text):
    atomic = ACCESSES[name].atomic
    bits = 8 * atomic.size
    text, wide = simplified(text), f"DATA[{2 * bits - 1} : {bits}]" in text
    for old, data, data2 in few(words(bits), 60):
        state = Pseudocode({"MEM": old, "DATA": data | data2 << bits if wide else data, "DATA2": data2}).run(text)
        got = carried_out(atomic, old, data, data2)
        assert got == state["MEM"] % (1 << bits), (hex(old), hex(data), hex(data2))
        assert state["RETURN_DATA"] % (1 << bits) == old
    assert atomic.operands == (2 if wide or "DATA2" in text else 1)


def test_operations_on_numbers_do_what_their_texts_say():
    all_hold(texts(("f32", "f64").__contains__), lambda one: does_with_numbers_what_it_says(*one), str)


def does_with_numbers_what_it_says(name, text):
    """The three texts: a sum, a comparison, and the least or greatest number as IEEE has it."""
    atomic = ACCESSES[name].atomic
    number, word = {"f32": (np.float32, np.uint32), "f64": (np.float64, np.uint64)}[atomic.number]
    assert f".{atomic.number}" in text
    for old in NUMBERS:
        for data in NUMBERS:
            a, b = (int(number(x).view(word)) for x in (old, data))
            if re.search(r"\+= DATA", text):
                with np.errstate(all="ignore"):
                    want = number(old) + number(data)
            else:
                less = re.search(r"src(\.f\d+)? < tmp", text)
                assert less or re.search(r"src(\.f\d+)? > tmp", text)
                want = number(data if (data < old if less else data > old) else old)
            got = word(carried_out(atomic, a, b, b)).view(number)
            assert got == want or (np.isnan(got) and np.isnan(want))


@pytest.mark.parametrize(("name", "text"), texts(lambda number: number.endswith("f16")))
def test_sums_of_two_halves_are_what_their_text_says(name, text):
    """In f64 the sum is exact."""
    atomic, kind = ACCESSES[name].atomic, ACCESSES[name].atomic.number
    assert all(re.search(rf"{part}\.{kind} \+ \w+{part}\.{kind}", text) for part in (r"\[31 : 16\]", r"\[15 : 0\]"))

    def halves(word):
        parts = np.array([word & 0xFFFF, word >> 16], np.uint16)
        return parts.view(np.float16) if kind == "f16" else (parts.astype(np.uint32) << 16).view(np.float32)

    for _ in range(300):
        words = [RNG.getrandbits(32) & 0x8FFF8FFF | 0x30003000 for _ in range(2)]  # none too large or small
        a, b = (halves(word).astype(np.float64) for word in words)
        exact, got = a + b, halves(carried_out(atomic, *words, words[1]))
        gap = np.abs(got.astype(np.float64) - exact)
        step = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(exact), 1e-30))) - (10 if kind == "f16" else 7))
        assert (gap <= step / 2).all()


def test_what_is_in_doubt_of_numbers():
    w, word = ArrayValues(), lambda x: np.float32(x).view(np.uint32).reshape(1, 1)
    least, total, inside = (ACCESSES[f"{n}_F32"].atomic for n in ("GLOBAL_ATOMIC_MIN", "GLOBAL_ATOMIC_ADD", "DS_ADD"))
    none, small = float("nan"), 1e-40

    def doubt(atomic, old, data):
        return bool(atomic.doubtful(w, word(old), word(data), word(np.float32(old) + np.float32(data))))

    assert [doubt(least, *pair) for pair in ((1, 2), (none, 1), (1, none), (0.0, -0.0), (0.0, 0.0))] == [
        False, True, True, True, False]  # fmt: skip
    assert [doubt(total, *pair) for pair in ((1, 2), (small, 1), (1, small), (none, 1), (2e-38, -1.9e-38))] == [
        False, True, True, False, True]  # fmt: skip
    assert not doubt(inside, small, 1)
