"""Drawn kernels: what is proved of them, runs show; and the fuzzer itself sees what it is for.

`LAYOUTALG_FUZZ=2000 pytest tests/audit/generated` draws 200 kernels, others each day; a failure names its
seeds, and `LAYOUTALG_SEED` says the first. `python -m tests.audit.generated 10000` is a long run.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from layoutalg.audit.audit import Audit
from layoutalg.errors import Fault, UnsupportedInstructionError
from layoutalg.isa.run.launch import execute
from layoutalg.prove import Proved
from tests.audit.generated.campaign import Campaign
from tests.audit.generated.drawing import drawn
from tests.audit.generated.judging import Build, alike, audited, claiming, compiled, contents, contradictions
from tests.audit.generated.language import (
    BARRIER,
    Buffer,
    Const,
    If,
    Kernel,
    Let,
    Load,
    Op,
    Store,
    Tensor,
    Var,
    undeclared,
    walk,
)
from tests.audit.generated.meaning import Undefined, meant
from tests.audit.generated.reducing import smallest
from tests.fuzzing import FIRST, KNOWN, SEED, count
from tests.matrix import each

#: Tests that a day's kernels are parted among.
PARTS = 8

T, HALF = Var("t"), Const(64)
ACROSS = Op("^", (T, HALF))

#: Threads of two waves that hand values on by LDS.
HANDED = Kernel(
    128, (), (Tensor("x", "f32", (128,)), Tensor("o", "f32", (128,), written=True)), (Buffer("s", "f32", 128),),
    (Let("v", "f32", Load("x", T)), Store("s", T, Var("v")), BARRIER, Store("o", T, Load("s", ACROSS))),
    ("o[i] = x[(i + 64) % 128]", "o[i] = x[i]"),
)  # fmt: skip


@pytest.mark.fuzz
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_what_is_proved_of_a_drawn_kernel_runs_show(part: int) -> None:
    each = -(-count(16, dear=10) // PARTS)
    first = SEED + part * each
    print(f"kernels from {first} on; again: python -m tests.audit.generated {each} --seed {first}")
    campaign = Campaign(most_reduced=1)
    campaign.run(first, each)
    assert not campaign.found, "\n\n".join(map(str, campaign.found))


@pytest.mark.fuzz
@pytest.mark.parametrize("target", each(["gfx942", "gfx1100", "gfx1201"], "gfx1100"))
def test_a_run_of_a_plan_is_what_the_source_means(target: str) -> None:
    seeds, racing = count(8, dear=20), 0
    for seed in range(FIRST, FIRST + seeds):
        kernel = drawn(Random(seed), changes=0)
        (code,) = compiled([kernel], Build(target, 1 + 2 * (seed % 2)))
        file = claiming(kernel, "k0")
        sizes = {name: n for name, n in (("N", 3), ("M", 2), ("G", 2)) if name in kernel.sizes}
        made = contents(kernel, file, code, sizes, seed)
        try:
            wanted = meant(kernel, sizes, {name: one.read(one.buffer.array) for name, one in made.tensors.items()})
        except Undefined:
            continue
        try:
            run = execute(code, made.grid, made.block, made.arguments, strict=False, lds=made.lds)
        except Fault as fault:  # some plans store where another wave reads in the same turn: nothing is meant by these
            if fault.kind != "race":
                raise
            racing += 1
            continue
        except UnsupportedInstructionError:  # RDNA 4's scalar halves are not carried out
            continue
        for one, memory in zip(made.passed, run.outputs, strict=True):
            assert alike(one.read(memory), wanted[one.name]).all(), seed
    if KNOWN:
        assert 10 * racing <= seeds


def test_every_change_leaves_a_kernel_that_compiles() -> None:
    kernels = [drawn(Random(seed), split_barriers=True) for seed in range(40)]
    assert not any(undeclared(one.body, frozenset({"t", "g", *one.sizes})) for one in kernels)
    assert len(compiled(kernels, Build("gfx1201", 1))) == len(kernels)


def trusted(found: Audit) -> Audit:
    """An audit that proves all that was asked."""
    return replace(found, claims=tuple((claim, about, Proved(claim, "trust", 0.0)) for claim, about, _ in found.claims))


@pytest.mark.parametrize(("body", "claim"), [
    (HANDED.body, "computes"),  # the second equation is wrong
    ((*HANDED.body[:2], *HANDED.body[3:]), "race_free"),
    ((HANDED.body[0], If(Op("<", (T, HALF)), HANDED.body[1:2]), *HANDED.body[2:]), "initialised"),
    ((*HANDED.body[:3], Store("o", Op("+", (T, Const(1))), Load("s", ACROSS))), "in_bounds"),
])  # fmt: skip
def test_a_wrong_proof_is_seen(body: tuple[object, ...], claim: str) -> None:
    kernel = replace(HANDED, body=body)
    (code,) = compiled([kernel], Build("gfx942", 3))
    file = claiming(kernel, "k0")
    found = audited(code, file)
    shown = contradictions(kernel, code, file, trusted(found))
    assert shown is not None
    assert shown.claim == claim
    assert contradictions(kernel, code, file, found) is None


def test_a_kernel_is_made_as_small_as_what_it_shows() -> None:
    def across(kernel: Kernel) -> bool:
        return any(isinstance(one, Load) and one.memory == "s" for one in walk(kernel.body))

    kernel = smallest(HANDED, across)
    assert kernel.body == (Store("o", T, Load("s", T)),) or kernel.body == (Store("o", Const(64), Load("s", T)),)
    assert kernel.equations == ()
