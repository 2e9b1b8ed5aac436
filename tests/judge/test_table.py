"""The table of kernels of KernelBench's first kinds: a right one is proved, its wrong twin never."""

import pytest

from benchmarks.judge.table import CASES, FOLDER, judged


def test_each_kernel_has_a_wrong_twin() -> None:
    pairs = {name for case in CASES for name in (f"{case.name}.hip", f"{case.name}_wrong.hip")}
    assert {path.name for path in FOLDER.glob("*.hip")} == pairs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["relu", "conv_1d"])
def test_a_right_one_is_proved_and_its_twin_refuted(name: str) -> None:
    (case,) = [case for case in CASES if case.name == name]
    assert judged(case, name)[0] == "proved"
    assert judged(case, f"{name}_wrong")[0] == "refuted"
