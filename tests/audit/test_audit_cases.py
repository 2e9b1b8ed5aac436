"""Each kernel in `cases`, right or wrong, and what is said of it: `NAME.hip`, and `NAME.toml`, which begins with it.

| a line | says |
|---|---|
| `#: targets gfx942 gfx1201` | for which the kernel is compiled |
| `#: flags -DK=0` | with which flags |
| `#: levels 3` | at which levels of optimisation, if not at 1 and 3 |
| `#: race_free refuted` | a claim that some access has this verdict of, and none a worse one |
| `#: proved` | all are proved |

Every claim that is not named is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel

CASES = Path(__file__).parent / "cases"

#: From the best to the worst.
VERDICTS = ("proved", "unknown", "refuted")


def said(path: Path) -> dict[str, str]:
    """What the first lines of a launch file say, by their first words."""
    lines = (line.removeprefix("#: ") for line in path.read_text().splitlines() if line.startswith("#: "))
    return dict((*line.split(" ", 1), "")[:2] for line in lines)


def cases() -> Iterator[tuple[str, str, int]]:
    for path in sorted(CASES.glob("*.toml")):
        levels = said(path).get("levels", "1 3").split()
        for target in said(path)["targets"].split():
            yield from ((path.stem, target, int(level)) for level in levels)


def test_every_kernel_has_a_launch_with_verdicts() -> None:
    assert {path.stem for path in CASES.glob("*.hip")} == {path.stem for path in CASES.glob("*.toml")}
    assert all(len(said(path)) >= 2 for path in CASES.glob("*.toml"))


@pytest.mark.parametrize(("name", "target", "level"), list(cases()))
def test_what_is_said_of_a_kernel(name: str, target: str, level: int) -> None:
    path = CASES / f"{name}.toml"
    wanted = {claim: verdict for claim, verdict in said(path).items() if verdict in VERDICTS}
    flags = tuple(said(path).get("flags", "").split())
    source, file = path.with_suffix(".hip").read_text(), loads(path.read_text())
    kernels = read_kernels(compile_source(source, target, opt_level=level, flags=flags).payload)
    assert file.launch is not None
    found = audit(decode_kernel(kernels[file.launch.kernel or next(iter(kernels))]), file, 30)
    worst: dict[str, str] = {}
    for claim, _, verdict in found.claims:
        worst[claim] = max(worst.get(claim, "proved"), verdict.name, key=VERDICTS.index)
    assert {claim: verdict for claim, verdict in worst.items() if verdict != "proved"} == wanted, found.failures


def test_a_barrier_that_waves_pass_without_those_that_have_ended_is_told_and_no_fault() -> None:
    path = CASES / "waves_that_end_early.toml"
    (kernel,) = read_kernels(compile_source(path.with_suffix(".hip").read_text(), "gfx942").payload).values()
    found = audit(decode_kernel(kernel), loads(path.read_text()), 30)
    (told,) = found.ended
    assert told.endswith("s_barrier")
    assert not found.shown


def test_a_run_that_does_it_is_told_where_a_compiler_may_do_so_too() -> None:
    path = CASES / "halves_joined_at_any_half.toml"
    (kernel,) = read_kernels(compile_source(path.with_suffix(".hip").read_text(), "gfx942").payload).values()
    reasons = {verdict.reason for claim, _, verdict in audit(decode_kernel(kernel), loads(path.read_text()), 30).claims
               if claim == "aligned"}  # fmt: skip
    assert reasons
    assert all(reason.startswith("a run at ") and "no multiple of 4" in reason for reason in reasons)
