"""A statement that is defined here alone: made of others it is proved, written, drawn and read; else it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest

from layoutalg.device import Device
from layoutalg.device.kernels import run
from layoutalg.draw import DrawError, dataflow
from layoutalg.index import select, var
from layoutalg.kernel.emit import NotProvedError, emit, emit_unverified
from layoutalg.kernel.library.transpose import lds_transpose, register_transpose
from layoutalg.kernel.program import (
    FUNCTIONS,
    Barrier,
    Composite,
    Compute,
    Elementwise,
    Loop,
    Meaning,
    Program,
    Read,
    Registers,
    Shared,
    Statement,
)
from layoutalg.kernel.program.functions import Function
from layoutalg.kernel.program.statement import Uses
from layoutalg.kernel.verify import ALONE, requirements, verify
from layoutalg.layout import LayoutError
from layoutalg.refine.simulation.expected import expected_elements
from layoutalg.refine.trial import make_case, small_sizes
from layoutalg.symex.values.uninterpreted import UninterpretedFunctions
from layoutalg.symex.values.word import NotReadable


@dataclass(frozen=True)
class Doubled(Composite):
    """registers ← relu(registers), twice."""

    registers: Registers

    @property
    def parts(self) -> tuple[Statement, ...]:
        one, both = Elementwise(self.registers, "relu", (self.registers,)), (self.registers, self.registers)
        return one, Elementwise(self.registers, "add", both)


@dataclass(frozen=True)
class Prefetch(Statement):
    """A statement that is not made of others, and that no reading has a method for."""

    shared: Shared
    uses = Uses(fills=("shared",))


def with_statement(made: Callable[[Registers], Statement]) -> Program:
    """The transposition with a statement between its load and its store, and what the target then is to hold."""
    base = register_transpose(64, 32)
    load, store = base.body
    positive: Meaning = Compute("relu", (Read(base.source),))
    return replace(base, body=(load, made(load.registers), store), meaning=Compute("add", (positive, positive)))


def test_it_is_its_parts_wherever_it_stands() -> None:
    program = with_statement(Doubled)
    assert [type(s) for s in program.body[1:3]] == [Elementwise, Elementwise]
    loop = Loop(var("k", 3), (Doubled(program.registers[0]),))
    assert loop.body == program.body[1:3]


def test_it_is_proved_and_written() -> None:
    verified = verify(with_statement(Doubled))
    assert verified.failures == ()
    text = emit(verified)
    assert "tile[y0][y1] = tile[y0][y1] < 0.0f ? 0.0f : tile[y0][y1];" in text
    assert "tile[y0][y1] = tile[y0][y1] + tile[y0][y1];" in text


def test_it_runs(cpu: Device) -> None:
    source = np.random.default_rng(0).standard_normal((64, 32), np.float32)
    found = run(verify(with_statement(Doubled)), cpu, source, (32, 64)).output
    assert np.array_equal(found, 2 * np.maximum(source, 0).T)


def test_it_is_drawn_and_read_as_its_parts() -> None:
    program = with_statement(Doubled)
    assert dataflow(program).title == f"{program.name}: 4 statements"
    assert expected_elements(program, UninterpretedFunctions()).elements
    case = make_case(program, small_sizes(program))
    assert np.array_equal(case.expected.reshape(32, 64), 2 * np.maximum(case.inputs[0].reshape(64, 32), 0).T)


def test_one_that_does_something_else_is_refuted() -> None:
    once = with_statement(lambda registers: Elementwise(registers, "relu", (registers,)))
    assert [about for about, _ in verify(once).failures] == ["2: what is stored is what is meant"]
    with pytest.raises(NotProvedError):
        emit(verify(once))


def test_a_function_is_one_entry_for_every_reading(monkeypatch: pytest.MonkeyPatch, cpu: Device) -> None:
    least = Function(2, "{0} < {1} ? {0} : {1}", np.minimum, lambda f, x, y: select(f.relation("lt_f32", x, y), x, y))
    monkeypatch.setitem(FUNCTIONS, "least", least)  # type: ignore[arg-type]
    base = with_statement(lambda registers: Elementwise(registers, "least", (registers, registers)))
    program = replace(base, meaning=Compute("least", (Read(base.source), Read(base.source))))
    verified = verify(program)
    assert verified.failures == ()
    assert "tile[y0][y1] = tile[y0][y1] < tile[y0][y1] ? tile[y0][y1] : tile[y0][y1];" in emit(verified)
    assert expected_elements(program, UninterpretedFunctions()).elements
    source = np.random.default_rng(1).standard_normal((64, 32), np.float32)
    assert np.array_equal(run(verified, cpu, source, (32, 64)).output, source.T)
    assert make_case(program, small_sizes(program)).expected.size == 64 * 32


def test_what_no_reading_knows_is_refused_by_each() -> None:
    base = lds_transpose()
    program = replace(base, body=(*base.body, Prefetch(base.shared[0])))
    for reading in (verify, emit_unverified):
        with pytest.raises(LayoutError, match="statements of Prefetch have no"):
            reading(program)
    with pytest.raises(DrawError, match="no picture of Prefetch"):
        dataflow(program)
    with pytest.raises(NotReadable, match="is a Prefetch"):
        expected_elements(program, UninterpretedFunctions())


def test_one_of_which_nobody_says_what_must_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would pass unseen, where each reading has a method for it."""
    program = lds_transpose()
    alone = {kind: rule for kind, rule in ALONE.items() if kind is not Barrier}
    monkeypatch.setattr("layoutalg.kernel.verify.ALONE", alone)
    with pytest.raises(LayoutError, match=r"statements of Barrier have no rule: say in verify\.ALONE"):
        list(requirements(program))
