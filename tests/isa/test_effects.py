"""What an instruction reads and writes, held against what the run on numbers asks its wait counters of."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.decoders.sample import lines
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.instructions import EXEC, decode
from layoutalg.isa.effects import effects_of, named, registers
from layoutalg.isa.run.described import TakenForms, form_of

SAMPLE = tuple(lines(Path(__file__).parent / "decode" / "llvm.txt"))
#: What the machine looks at besides: which lanes run, and the condition code.
STATE = registers("s", EXEC, 2) | registers("scc", 0)


class Recorder:
    """Stands in for the wait counters, and notes what they are asked of."""

    def __init__(self, track):
        self.reads, self.writes, self.issued, self.done = 0, 0, track.issued, track.done

    def check(self, key, live, where, does, half=""):
        some = registers(*key, half=half)
        if does == "read":
            self.reads |= some
        else:
            self.writes |= some

    def load(self, keys, names, live, ordered, where, half=""):
        for key in keys:
            self.writes |= registers(*key, half=half)

    def issue(self, names, live, unordered):
        pass

    def wait(self, left, live):
        pass


def carried_out(forms, instruction):
    """What one instruction touches as it runs; None where it does not come to its end."""
    machine = forms._machine()
    forms._address(machine, instruction)
    recorder = machine.registers.track = Recorder(machine.registers.track)
    machine.registers.where = instruction.place
    try:
        with np.errstate(all="ignore"):
            machine.step(instruction)
    except (Fault, UnsupportedInstructionError, IndexError, KeyError):
        return None
    return recorder.reads, recorder.writes


def compared(target, most):
    """How many forms of a target were carried out, and those that touch other registers than is said."""
    architecture = ARCHITECTURES[code_format(target).decoder]
    forms = TakenForms(target, 32 if target.startswith("gfx1") else 64)
    seen, wrong, count = set(), [], 0
    for of, code, text in SAMPLE:
        if of != target or count == most:
            continue
        one = next(iter(decode(code, 0, architecture, target)))
        if form_of(one) in seen:
            continue
        seen.add(form_of(one))
        try:
            said, ran = effects_of(one, forms.kernel), carried_out(forms, one)
        except UnsupportedInstructionError:
            continue
        if ran is None:
            continue
        count += 1
        in_parts = one.form.endswith("_SDWA") or "PERMLANE" in one.name  # of a register all is said to be read
        reads, writes = said.reads | said.perhaps_reads, said.writes | said.perhaps_writes
        missing = (ran[0] & ~reads | ran[1] & ~writes) & ~STATE
        more = (0 if in_parts else said.reads & ~ran[0]) | said.writes & ~ran[1]
        if missing or more & ~STATE:
            wrong.append((text, [*named(missing)], [*named(more & ~STATE)]))
    return count, wrong


def test_what_is_said_is_what_the_run_touches():
    assert compared("gfx942", 60) == (60, [])


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
def test_what_is_said_of_every_form_is_what_the_run_touches(target):
    count, wrong = compared(target, 1 << 20)
    assert wrong == []
    assert count > 100
