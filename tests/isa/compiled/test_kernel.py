"""Random programs carried out by the numpy machine and by compiled text, to the bit.

`LAYOUTALG_FUZZ=20000 pytest tests/isa/compiled/test_kernel.py -m fuzz` is the long run, 10 000 programs; a failure
names its seeds.

A program is up to twelve instructions of any arithmetic entries on few registers, with branches ahead and masks of
lanes, from random registers.  Integers are computed from integers; of what is a floating-point number all is compared
but which bits say that it is none, so that nothing reads it.
"""

import ctypes
import random
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device.compile import compile_for_host
from layoutalg.device.plain import FLAGS
from layoutalg.isa.compiled.kernel import text_of
from layoutalg.isa.compiled.launch import CALL, called
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import EXEC, VCC, Instruction, Operand
from layoutalg.isa.interpreter.operands import UNSAID
from layoutalg.isa.run.described import TakenForms
from layoutalg.isa.semantics.control import BRANCHES
from layoutalg.isa.semantics.table import ALU
from tests.fuzzing import FIRST, count
from tests.isa.compiled.sides import alike, registers

#: Programs of one text, which is compiled at once; vector and scalar registers that are compared.
TOGETHER, VECTORS, SCALARS = 100, 64, 128

#: Where results are, by what they are: how many bits floating-point numbers have, 0 for integers.
PLACES = {0: range(24), 16: range(24, 32), 32: range(32, 48), 64: range(48, 64)}

ENTRY = """
extern "C" void programs(uint32_t *v, uint32_t *s, uint32_t *scc, uint64_t *pc, uint64_t count,
                         void (*call)(uint64_t, uint64_t, const uint64_t *, uint64_t *), int *ended) {
  Run run = {}; run.call = call; run.step_limit = 1 << 20; run.limit = 1;
  Wave *W = (Wave *)__builtin_malloc(sizeof(Wave));
  Block block = {&run, 0, 0, 0, 0, 0, W, ~0ull, 0, 0};
  for (uint64_t n = 0; n < count; n++, v += 64 * LANES, s += 128) {
    __builtin_memset(W, 0, sizeof *W);
    __builtin_memcpy(W->v, v, 64 * LANES * 4); __builtin_memcpy(W->s, s, sizeof W->s);
    W->scc = scc[n] & 1; set_exec(W); W->pc = pc[n]; W->until = 1 << 20;
    ended[n] = run_wave(&run, &block, W);
    __builtin_memcpy(v, W->v, 64 * LANES * 4); __builtin_memcpy(s, W->s, sizeof W->s);
    scc[n] = W->scc;
  }
  __builtin_free(W);
}
"""


def number_bits(name):
    """How many bits floating-point numbers have that an entry reads or writes; 0 where there are none."""
    return next((bits for bits in (64, 32, 16) if f"F{bits}" in name or f"BF{bits}" in name), 16 if "F8" in name else 0)


def made(name, draw):
    """One of this name on registers that are drawn: what it reads is integers."""
    alu, operands, bits, of_scalars = ALU[name], {}, number_bits(name), name.startswith("S_")
    for token in (*alu.writes, *alu.reads):
        role = token[0]
        if token in ("scc", "lane", "k") or token.startswith("exec") or role in operands:
            continue
        if role in "mn":
            operands[role] = Operand("s", draw.choice((VCC, *range(0, 24, 2))))
            continue
        places = PLACES[bits if token in alu.writes else 0]
        wide = token.endswith("64")
        operands[role] = Operand("s" if of_scalars else "v", draw.choice(places[::2] if wide else places))
    return operands, {"simm16": draw.getrandbits(16)} if "k" in alu.reads else {}


@cache
def names_of(target, lanes):
    """The entries that the numpy machine takes, of whose results all is said, and that read no number they write."""
    forms, draw, found = TakenForms(target, lanes), random.Random(0), []
    for name, alu in ALU.items():
        again = number_bits(name) and {token[0] for token in alu.writes} & {token[0] for token in alu.reads}
        unsaid = alu.limits or (name in UNSAID and not forms.kernel.architecture.halves)
        one = Instruction(0, 8, name, "VOP3", *made(name, draw))
        if not again and not unsaid and not forms.refused(one):
            found.append(name)
    return found


def drawn(seeds, target, lanes):
    """Programs one after another, each between a barrier and the end, and where each begins."""
    names, found, starts = names_of(target, lanes), [], []
    for seed in seeds:
        draw = random.Random(seed)
        address = found[-1].address + 8 if found else 0
        found.append(Instruction(address, 8, "S_BARRIER", "SOPP", {}, {}))
        starts.append(address + 8)
        many = draw.randint(4, 12)
        for k in range(many):
            address += 8
            if draw.random() < 0.12:
                fields = {"simm16": 1 + 2 * draw.randrange(many - k)}
                found.append(Instruction(address, 8, draw.choice([*BRANCHES]), "SOPP", {}, fields))
            else:
                name = draw.choice(names)
                found.append(Instruction(address, 8, name, "VOP3", *made(name, draw)))
        found.append(Instruction(address + 8, 8, "S_ENDPGM", "SOPP", {}, {}))
    return MachineCode(TakenForms(target, lanes).kernel, tuple(found)), starts


def by_compiled(program, starts, vectors, scalars, lanes):
    """The registers that the text of all leaves, of each program."""
    text = text_of(reached(program, starts))
    library = compile_for_host(text.source + ENTRY, FLAGS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.so"
        path.write_bytes(library)
        loaded = ctypes.CDLL(str(path))
    scc, ended = np.ones(len(starts), np.uint32), np.full(len(starts), -1, np.int32)
    vectors, scalars, pc = vectors.copy(), scalars.copy(), np.array(starts, np.uint64)
    pointers = [ctypes.c_void_p(one.ctypes.data) for one in (vectors, scalars, scc, pc)]
    loaded.programs.argtypes = (*(ctypes.c_void_p,) * 4, ctypes.c_uint64, CALL, ctypes.c_void_p)
    loaded.programs(*pointers, len(starts), CALL(called(text.calls)), ended.ctypes.data)
    return vectors, scalars, scc, ended


def reached(program, starts):
    """The code with each end but the last a barrier's twin, so that all programs are reached from the first."""
    ahead = {start - 8: start for start in starts}
    changed = []
    for one in program.instructions:
        goes_on = one.name == "S_ENDPGM" and one.address + 8 in ahead
        changed.append(Instruction(one.address, 8, "S_BARRIER", "SOPP", {}, {}) if goes_on else one)
    return MachineCode(program.kernel, tuple(changed))


def by_numpy(program, start, vectors, scalars, target, lanes):
    """The registers that the numpy machine leaves of one program."""
    machine = TakenForms(target, lanes)._machine()
    held = machine.registers
    held.vectors = {("v", k): word.reshape(1, 1, 1, lanes) for k, word in enumerate(vectors)}
    held.scalars |= {("s", k): scalars[k].reshape(1, 1, 1, 1) for k in range(126)}
    held.scc = np.ones((1, 1, 1, 1), np.bool_)
    low, high = (scalars[k].reshape(1, 1, 1, 1) for k in (126, 127))
    held.write_scalar(Operand("s", EXEC), 64, held.w.pair(low, high))
    at, words = start, 2 if lanes == 64 else 1

    def truth(what):
        if what == "scc":
            return bool(held.scc.ravel()[0])
        first = {"vcc": VCC, "exec": EXEC}.get(what)
        return first is None or any(int(held.scalars["s", first + k].ravel()[0]) for k in range(words))

    while (one := program.by_address[at]).name != "S_ENDPGM":
        at += 8
        if one.name in BRANCHES:
            what, when = BRANCHES[one.name]
            if truth(what) == when:
                at = one.address + 4 + 4 * one.fields["simm16"]
        else:
            held.where = one.place
            machine.step(one)
    after = [np.broadcast_to(held.vectors["v", k], (1, 1, 1, lanes)).ravel() for k in range(VECTORS)]
    return np.array(after), np.array([held.scalars["s", k].ravel()[0] for k in range(SCALARS)]), truth("scc")


def doubles(words):
    """Each two registers as f64."""
    return (words[::2].astype(np.uint64) | words[1::2].astype(np.uint64) << np.uint64(32)).view(np.float64)


def are_same(one, other):
    """Whether registers are alike: integers to the bit, numbers but for which bits say that one is none."""
    pairs = [doubles(side[48:64]) for side in (one, other)]
    return (
        np.array_equal(one[:24], other[:24])
        and bool(alike(one[24:48], other[24:48]).all())
        and np.array_equal(*pairs, equal_nan=True)
    )


def differing(seeds, target, lanes):
    """The seeds of programs whose registers differ."""
    program, starts = drawn(seeds, target, lanes)
    given = [registers(seed, lanes) for seed in seeds]
    vectors = np.array([one[0][:VECTORS] for one in given])
    scalars = np.array([one[1][:SCALARS] for one in given])
    if lanes == 32:
        scalars[:, 127] = 0
    after, scalar_after, scc, ended = by_compiled(program, starts, vectors, scalars, lanes)
    assert set(ended.tolist()) <= {0, 1}
    wrong = []
    for n, seed in enumerate(seeds):
        words, scalar_words, code = by_numpy(program, starts[n], vectors[n], scalars[n], target, lanes)
        last = [VCC, VCC + 1, EXEC, EXEC + 1]
        same = are_same(words, after[n]) and np.array_equal(scalar_words[last], scalar_after[n][last])
        same &= are_same(scalar_words.reshape(-1, 1), scalar_after[n].reshape(-1, 1)) and code == bool(scc[n])
        if not same:
            wrong.append(seed)
    return wrong


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize(("target", "lanes"), [("gfx942", 64), ("gfx1201", 32)])
def test_random_programs_are_the_same(target, lanes):
    many = count(20, 4)
    for first in range(FIRST, FIRST + many, TOGETHER):
        seeds = range(first, min(first + TOGETHER, FIRST + many))
        assert differing(seeds, target, lanes) == [], target


def test_a_difference_is_seen(monkeypatch):
    """Branches that are never taken."""
    monkeypatch.setattr("layoutalg.isa.compiled.kernel._Block._taken", lambda *_: "false")
    assert differing(range(20), "gfx942", 64)
