"""Kernels that look right and are not are refused, each by its row; those that are right are accepted."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from layoutalg.judge.verdict import order
from tests.audit.auditing import kernels
from tests.cli.command import refused, run

KERNELS = Path(__file__).parent / "kernels"
SCALE = ("--reference", "o[i] = alpha * x[i]", "--shape", "x=n", "--shape", "o=n")
REVERSE = ("--reference", "o[i, j] = x[i, 127 - j]", "--shape", "x=m,128", "--shape", "o=m,128", "--grid", "m")
SUMS = ("--reference", "o[i] = sum[j] x[i, j]", "--shape", "x=m,k", "--shape", "o=m")
slow = pytest.mark.slow


def judged(kernel: str, *arguments: object) -> tuple[int, Mapping[str, str]]:
    """The exit code, and the verdict of each row."""
    done = run("judge", KERNELS / f"{kernel}.hip", *arguments, "--json")
    return done.returncode, {row["row"]: row["verdict"] for row in json.loads(done.stdout)["rows"]}


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        ("scale", SCALE),
        pytest.param("reverse", (*REVERSE, "--block", "128"), marks=slow),
        pytest.param("sums", SUMS, marks=slow),
        pytest.param("extension", ("--reference", "o[i] = 2.0 * x[i] + 1.0", *SCALE[2:]), marks=slow),
    ],
)
def test_right_ones_are_proved(kernel: str, arguments: tuple[str, ...]) -> None:
    code, rows = judged(kernel, *arguments)
    assert code == 0
    assert rows["result"] == "proved"


@pytest.mark.parametrize(
    ("kernel", "arguments", "row", "verdict"),
    [
        ("does_nothing", SCALE, "coverage", "refuted"),
        ("is_empty", SCALE, "coverage", "refuted"),
        ("reads_beyond", SCALE, "bounds", "refuted"),
        ("writes_input", SCALE, "inputs kept", "refuted"),
        ("first_tile", SCALE, "coverage", "refuted"),
        ("one_shape", SCALE, "bounds", "refuted"),
        ("one_shape_guarded", SCALE, "coverage", "refuted"),
        ("constant", SCALE, "result", "refuted"),
        ("half_product", SCALE, "result", "tried"),
        ("no_barrier", (*REVERSE, "--block", "128"), "races", "refuted"),
        ("half_of_lds", (*REVERSE, "--block", "128"), "undefined", "unknown"),
        ("small_lds", (*REVERSE, "--block", "128"), "bounds", "refuted"),
        ("sums_of_one_shape", SUMS, "bounds", "refuted"),
        ("sums_in_halves", SUMS, "rounding", "unknown"),
        ("sums_of_halves", SUMS, "rounding", "unknown"),
        ("long_sums_in_halves", SUMS, "rounding", "unknown"),
        ("sums_atomic", SUMS, "order", "unknown"),
    ],
)
@slow
def test_illusions_are_refused(kernel: str, arguments: tuple[str, ...], row: str, verdict: str) -> None:
    code, rows = judged(kernel, *arguments)
    assert code in (1, 2)
    assert (row, rows[row]) == (row, verdict)


def test_what_depends_on_the_order_of_a_run_is_not_the_same_in_each() -> None:
    head = '#include <hip/hip_runtime.h>\nextern "C" __global__ void '
    source = "".join(
        f"{head}{name}(int* o, float* s, int* many) {{ {text} }}\n"
        for name, text in (
            ("counted", "atomicAdd(&o[threadIdx.x % 4], 1);"),
            ("by_tickets", "o[atomicAdd(many, 1)] = threadIdx.x;"),
            ("summed", "unsafeAtomicAdd(s, 1.5f);"),
            ("by_the_time", "o[threadIdx.x] = (int)clock64();"),
        )
    )
    found = {name: order(code).verdict for name, code in kernels(source).items()}
    assert found == {"counted": "proved"} | dict.fromkeys(("by_tickets", "summed", "by_the_time"), "unknown")


@slow
def test_a_function_is_tried_and_never_proved(tmp_path: Path) -> None:
    (tmp_path / "r.py").write_text("def reference(x, alpha):\n    return alpha * x\n")
    given = ("--reference", tmp_path / "r.py", *SCALE[2:])
    code, rows = judged("scale", *given)
    assert (code, rows["result"]) == (2, "tried")
    code, rows = judged("constant", *given)
    assert (code, rows["result"]) == (1, "refuted")


@slow
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import torch_of_another_name\n", "r.py raises ModuleNotFoundError: No module named 'torch_of_another_name'"),
        ("def reference(x, alpha):\n    return x[:, 0]\n", "r.py raises IndexError: too many indices"),
        ("def reference(x, alpha):\n    return x, x\n", "r.py: it gives 2 tensors; the kernel writes o"),
    ],
)
def test_a_reference_that_fails_is_told_in_a_line(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "r.py").write_text(text)
    refused(run("judge", KERNELS / "scale.hip", "--reference", tmp_path / "r.py", *SCALE[2:]), told)


@slow
def test_a_contract_is_not_the_kernel_s_own() -> None:
    kernel = KERNELS / "reads_beyond.hip"
    refused(run("judge", kernel, *SCALE[:2]), "say how large its tensors are", "--shape x=n + 1")
    refused(run("judge", kernel, "--reference", "y[i] = x[i]", *SCALE[2:]), "no tensor 'y'; it has x, o")
    refused(run("judge", KERNELS / "reverse.hip", *REVERSE[:-2]), "with what grid", "--grid")


@pytest.mark.parametrize(
    ("right", "wrong", "why"),
    [
        ("x.numel();", "x.numel() / 2;", "of tensors as they are said that is"),
        pytest.param("x.numel();", "1024;", "it gives 1024 for n", marks=slow),
        ("x.numel();", "x.size(1);", "tensors as they are said do not tell"),
        pytest.param("(size + THREADS - 1) / THREADS", "1 - (THREADS - size) / THREADS", "may be negative", marks=slow),
        pytest.param("#define THREADS 128", "#define THREADS 127 + 1", "coverage +refuted", marks=slow),
        pytest.param("x.data_ptr<float>(), o", "x.data_ptr<float>() + 4, o", "is no whole tensor", marks=slow),
    ],
)
def test_a_launch_that_gives_something_else_is_not_read(tmp_path: Path, right: str, wrong: str, why: str) -> None:
    text = (KERNELS / "extension.hip").read_text()
    assert right in text
    (tmp_path / "k.hip").write_text(text.replace(right, wrong))
    done = run("judge", tmp_path / "k.hip", "--reference", "o[i] = 2.0 * x[i] + 1.0", *SCALE[2:])
    assert done.returncode != 0
    assert re.search(why, done.stdout + done.stderr)
