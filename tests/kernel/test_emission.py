"""Between what is proved and what is printed there is nothing but the printer, which tests/index/test_c.py runs."""

import pytest

from layoutalg.cli.golden import programs
from layoutalg.kernel.program import Program
from layoutalg.kernel.verify import requirements
from layoutalg.prove import Limits, Proved, prove


def kernels() -> dict[str, Program]:
    """One program of each folder of kernels/."""
    return {name: next(iter(folder.values())) for name, folder in programs().items()}


@pytest.mark.parametrize("name", kernels())
def test_z3_itself_proves_that_what_is_emitted_is_the_map(name: str) -> None:
    """Coordinates, digits, offsets, words and conditions, as they are printed; no other route takes part."""
    asked = [r for r in requirements(kernels()[name]) if "emitted" in r.about]
    assert sum("the emitted coordinates" in r.about for r in asked) >= 2
    for r in asked:
        assert isinstance(prove(r.claim, strategy="z3", limits=Limits(seconds=10)), Proved), r.about
