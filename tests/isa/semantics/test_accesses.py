"""Narrow accesses against AMD's own pseudocode: which bits of a register they take and leave."""

import importlib
import re
from dataclasses import replace

import numpy as np
import pytest

from layoutalg.isa.run.concrete import ConcreteMachine
from layoutalg.isa.run.cycles import LdsMeter
from layoutalg.isa.run.spaces import GlobalMemory, Region
from layoutalg.isa.semantics.accesses import ACCESSES
from tests.isa.decode.test_allowed import decoded
from tests.isa.semantics.test_table import Pseudocode
from tests.isa.semantics.test_table_every_bit import ALL, HERE, ROOM, assembled_line, registers
from tests.matrix import some

TARGETS = {"gfx942": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}
OPERANDS = {
    "GLOBAL": "v{0}, v[4:5], off", "FLAT": "v{0}, v[4:5]", "DS": "v{0}, v6", "BUFFER": "v{0}, v6, s[8:11], {1} offen",
    "S": "s12, s[4:5], 0x7",
}  # fmt: skip


def cases():
    for target, architecture in TARGETS.items():
        module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode")
        for op, text in module.PCODE.items():
            access, (prefix, *_) = ACCESSES.get(op.name), op.name.split("_")
            if access and access.size <= 2 and prefix in OPERANDS:
                yield target, op.name, text


def line(target, name):
    operands = OPERANDS[name.split("_")[0]].format(2, "null" if target == "gfx1201" else 0)
    if name.startswith("DS") and ACCESSES[name].store:
        operands = "v6, v2"
    elif name.startswith(("GLOBAL", "FLAT")) and ACCESSES[name].store:
        operands = operands.replace("v2, v[4:5]", "v[4:5], v2")
    return f"{name.lower()} {operands}"


@pytest.mark.parametrize(("target", "name", "text"), some(tuple(cases()), 20))
def test_a_narrow_access_takes_and_leaves_the_bits_that_its_text_says(target, name, text):
    program = decoded(target, assembled_line(target, line(target, name)), **ALL)
    data = np.random.default_rng(6).integers(128, 256, ROOM, np.uint8)
    memory = GlobalMemory([Region("room", data.copy(), HERE - ROOM // 2)])
    kernel = program.kernel
    machine = ConcreteMachine(replace(kernel, lds_bytes=4096), np.zeros((1, 3), np.int64), 1,
                              kernel.wave_size, memory, 1, LdsMeter(kernel.target), strict=False)  # fmt: skip
    vectors, scalars = registers(kernel.wave_size)
    machine.registers.vectors |= vectors
    machine.registers.scalars = scalars | machine.registers.scalars
    lds = machine.memory.lds.bytes.copies
    for copy in lds:
        copy.data[:] = data[: copy.data.size]
    machine.step(program.instructions[0])
    access, old = ACCESSES[name], int(vectors["v", 2][0, 0, 0, 3])
    at = {"DS": 48, "S": ROOM // 2 + 7}.get(name.split("_")[0], ROOM // 2 + 48)  # lane 3
    before = int.from_bytes(data[at : at + 4].tobytes(), "little")
    state = {"MEM": before, "VDATA": old, "RETURN_DATA": old, "SDATA": 0, "DATA": old}
    text = re.sub(r"addr = [^;]*;|MEM\[(addr|ADDR)\]", lambda m: "" if m[1] is None else "MEM", text)
    text = re.sub(r"MEM\.b(8|16) =", lambda m: f"MEM[{int(m[1]) - 1} : 0] =", text)
    after = Pseudocode(state).run(text)
    if access.store:
        held = lds[0].data if access.space == "lds" else memory.contents(0)
        assert int.from_bytes(held[at : at + 4].tobytes(), "little") == after["MEM"] % 2**32
    elif access.space == "constant":
        assert int(machine.registers.scalars["s", 12].flat[0]) == after["SDATA"] % 2**32
    else:
        got, want = (
            int(machine.registers.vectors["v", 2][0, 0, 0, 3]),
            after["VDATA" if "VDATA" in text else "RETURN_DATA"],
        )
        kept = program.kernel.architecture.loads_keep_other_half or not access.half
        mask = 2**32 - 1 if kept else 0xFFFF if access.half == "low" else 0xFFFF0000
        assert got & mask == want % 2**32 & mask
