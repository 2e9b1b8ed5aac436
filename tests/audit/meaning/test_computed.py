"""What kernels compute, proved; and what they do not compute, never."""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from layoutalg.audit.audit import audit
from layoutalg.audit.meaning.before import FirstLoads
from layoutalg.audit.meaning.computed import CONTRACTED, ComputesClaim
from layoutalg.audit.meaning.sums.compared import ROUNDING
from layoutalg.audit.meaning.terms import StoredTerm
from layoutalg.formats import SpecFile
from layoutalg.formats.spec import loads
from layoutalg.index import FALSE, TRUE, const, var
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import Proved, Refuted, Verdict
from layoutalg.symex.loops.inferred import MOST
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.machine.tracing import TracedElement
from tests.foreign.corpus import HERE, WRONG, Broken
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS

#: What kernels compute and what they do not, which says itself what its keys are.
COMPUTED: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("computed.toml").read_text())


def each(key: str) -> list[Any]:
    """A kernel's name with each of what it has of a key; a quick run takes the first of those that are for it."""
    return [
        pytest.param(name, one, marks=[] if said.get("quick") and not n else [pytest.mark.slow])
        for name, said in COMPUTED.items()
        for n, one in enumerate(said.get(key, ()))
    ]


def mistakes() -> list[Any]:
    """A kernel's name with each edit; those of one kernel are alike, and take turns but for the first."""
    return [
        pytest.param(name, one, marks=[pytest.mark.slow] + [pytest.mark.matrix(n)] * (n > 0))
        for name, said in COMPUTED.items()
        for n, one in enumerate(said.get("mistakes", ()))
    ]


def claiming(name: str, text: str) -> SpecFile:
    """A kernel's launch with this equation."""
    launch = (HERE / "launch" / f"{name}.toml").read_text()
    said = re.sub(r"computes = (\[\n(.*\n)*?\]|\[.*\])\n", f'computes = ["{text}"]\n', launch)
    return loads(said if text in said else f'{said.rstrip()}\ncomputes = ["{text}"]\n')


def verdicts(name: str, file: SpecFile, target: str = "gfx942", edit: Sequence[str] = ()) -> list[Verdict]:
    """What the audit says of the equations of a kernel, perhaps edited."""
    kernel = KERNELS[name]
    source = kernel.edited(Broken("an edit", *edit, WRONG)) if edit else ""
    found = audit(machine_code(kernel, target, source=source), file, 30)
    said = [verdict for claim, _, verdict in found.claims if claim == "computes"]
    assert said
    return said


@pytest.mark.parametrize(("name", "on"), each("proved"))
def test_what_a_kernel_computes_is_proved(name: str, on: str) -> None:
    found = verdicts(name, KERNELS[name].launch, on)
    assert all(isinstance(one, Proved) for one in found), found


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize(("name", "text"), each("wrong"))
def test_what_a_kernel_does_not_compute_is_never_proved(name: str, text: str) -> None:
    (verdict,) = verdicts(name, claiming(name, text))
    assert not isinstance(verdict, Proved)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), each("open"))
def test_what_is_right_and_not_proved_is_not_refuted(name: str, text: str) -> None:
    (verdict,) = verdicts(name, claiming(name, text))
    assert not isinstance(verdict, Refuted)


@pytest.mark.usefixtures("unrun")
@pytest.mark.parametrize(("name", "edit"), mistakes())
def test_a_kernel_with_a_mistake_is_not_proved(name: str, edit: Sequence[str]) -> None:
    assert not all(isinstance(one, Proved) for one in verdicts(name, KERNELS[name].launch, edit=edit))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "edit"), each("same"))
def test_a_kernel_that_computes_the_same_in_another_way_is_proved(name: str, edit: Sequence[str]) -> None:
    assert all(isinstance(one, Proved) for one in verdicts(name, KERNELS[name].launch, edit=edit))


@pytest.mark.slow
def test_halves_of_a_double_are_put_together_on_waves_of_32() -> None:
    assert all(isinstance(one, Proved) for one in verdicts("dot_f64", KERNELS["dot_f64"].launch, "gfx1201"))


def test_a_wrong_equation_is_refuted_by_a_run_that_says_where() -> None:
    (verdict,) = verdicts("reverse", claiming("reverse", "o[i] = x[i]"))
    assert isinstance(verdict, Refuted)
    assert "and the equation says" in verdict.reason


def test_what_the_real_numbers_leave_out_is_told_with_the_types_that_round() -> None:
    found = audit(machine_code(KERNELS["matmul_tiled"], "gfx942"), KERNELS["matmul_tiled"].launch)
    (told,) = (one for one in found.assumptions if one.startswith(ROUNDING))
    assert told.endswith("f32")


def test_contraction_is_told() -> None:
    code = machine_code(KERNELS["axpby_f64"], "gfx942")
    assert CONTRACTED in audit(code, KERNELS["axpby_f64"].launch, 30).assumptions
    assert CONTRACTED not in audit(machine_code(KERNELS["saxpy"], "gfx942"), KERNELS["saxpy"].launch, 30).assumptions


def test_of_a_loop_that_lanes_leave_for_themselves_only_the_first_turn_stores_surely() -> None:
    file = KERNELS["copy_plain"].launch
    code = machine_code(KERNELS["copy_plain"], "gfx942")
    launched = KernelLaunch.of(code.kernel, file)
    computed = ComputesClaim(file, launched, (), lambda goal, given: False)
    for most, sure in ((MOST, False), (5, True)):
        turn = var("turn", most)
        element = TracedElement(code.instructions[0], True, "o", turn * 8 + 4, TRUE, FALSE, FALSE, 4, 4, loops=(turn,))
        (placed,) = computed._placed(StoredTerm(element, turn * 8 + 4, TRUE, FALSE), (turn * 2 + 1,), 0)
        assert (turn in placed.own) == sure
        assert (placed.offset is const(4)) != sure


def test_a_load_behind_a_barrier_may_bring_what_another_thread_stored() -> None:
    code = machine_code(KERNELS["saxpy"], "gfx942")
    file = KERNELS["saxpy"].launch
    launched = KernelLaunch.of(code.kernel, file)
    at = launched.threads[0] * 4

    def first(*moments: tuple[bool, int]) -> bool:
        """Of stores (and loads) with so many barriers before each, in order."""
        trace = tuple(
            TracedElement(code.instructions[0], store, "y", at + (256 if store else 0), TRUE, const(n), FALSE, 4, 4)
            for store, n in moments
        )
        return FirstLoads(launched, trace, LoopRecord(), lambda goal, given: True).all_of("y")

    assert first((False, 0), (True, 0))
    assert first((False, 0), (True, 1))
    assert first((True, 0), (False, 0))  # elsewhere, as the prover says; another thread's would race
    assert not first((True, 0), (False, 1))
    assert not first((False, 1), (True, 0))
