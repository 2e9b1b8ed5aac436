"""What kernels compute, proved; and what they do not compute, never."""

import re

import pytest

from layoutalg.audit.audit import audit
from layoutalg.audit.meaning.computed import CONTRACTED, ComputesClaim
from layoutalg.audit.meaning.terms import StoredTerm
from layoutalg.formats import SpecFile
from layoutalg.formats.spec import loads
from layoutalg.index import FALSE, TRUE, const, var
from layoutalg.launch.symbolic import KernelLaunch
from layoutalg.prove import Proved, Refuted, Verdict
from layoutalg.symex.loops.found import MOST
from layoutalg.symex.machine.state import TracedElement
from tests.foreign.corpus import HERE
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS

QUICK = ("copy_plain", "reverse", "axpby_f64", "complex_multiply")
PROVED = (
    "copy_strided_rows", "pad_2d", "saxpy", "add_half2", "scale_bf16", "clamp_f16", "affine_by_struct",
    "negate_by_struct", "every", "polynomial",
)  # fmt: skip

#: Kernels that are proved too, in files of their own.
MORE = (
    "copy_early_return", "copy_index_64", "transpose_naive", "gather", "jacobi_2d", "max_pool_2x2",
    "quantise_i8", "pack_u4", "float_to_half", "float_to_int", "adam_step", "divide", "hypotenuse", "gelu",
    "fill", "copy_float4", "copy_batched", "unpack_u4",
    "concatenate", "select_where",
)  # fmt: skip

#: Equations that are wrong of kernels, each somewhere only.
WRONG = (
    ("copy_plain", "o[i] = 0.0"), ("copy_plain", "o[i] = x[0]"), ("copy_plain", "o[i] = x[N - 1 - i]"),
    ("copy_plain", "o[i] = where(i < N - 1, x[i], 0.0)"), ("copy_plain", "o[i] = where(i < 1000, x[i], -x[i])"),
    ("copy_plain", "o[i] = max(x[i], 0.0)"), ("copy_plain", "o[i] = x[i] + 0.0"), ("reverse", "o[i] = x[i]"),
    ("reverse", "o[i] = x[N - 2 - i]"), ("copy_strided_rows", "o[i, j] = x[i, 0]"),
    ("pad_2d", "o[i, j] = where(i > T and i < T + H and j >= S and j < S + W, x[i - T, j - S], 0.0)"),
    ("pad_2d", "o[i, j] = where(i >= T and i < T + H and j >= S and j < S + W, x[i - T, j - S], 1.0)"),
    ("pad_2d", "o[i, j] = x[i - T, j - S]"), ("saxpy", "y[i] = alpha * x[i]"),
    ("saxpy", "y[i] = fma(alpha, y[i], x[i])"),
    ("saxpy", "y[i] = fma(alpha, x[i], y[0])"), ("saxpy", "y[i] = alpha * x[i] - y[i]"),
    ("axpby_f64", "y[i] = beta * x[i] + alpha * y[i]"), ("add_half2", "o[i, k] = fma(a[i, k], 2.0, b[i, 0])"),
    ("add_half2", "o[i, k] = fma(b[i, k], 2.0, a[i, k])"), ("scale_bf16", "o[i] = bf16(f32(x[i]) + scale)"),
    ("clamp_f16", "o[i] = f16(max(min(f32(x[i]), high), low))"), ("negate_by_struct", "o[i] = x[i]"),
    ("affine_by_struct", "o[i] = where((u32(i) & mask) == 0, x[i] * scale + shift, f32(f64(x[i]) + bias))"),
    ("every", "o[i] = x[3 * i] + 2"), ("every", "o[i] = x[i] + 1"),
    ("complex_multiply", "o[i, k] = a[i, 0] * b[i, 0] - a[i, 1] * b[i, 1]"),
)  # fmt: skip


#: Equations that are right: in an unrolled loop, by another sum, through LDS at a place that a size says.
OPEN = (
    ("copy_grid_stride", "o[i] = x[i]"),
    ("dequantise_i8", "o[i, j] = f16(f32(x[i, j]) * scales[i])"),
    ("reverse_in_lds", "x[i] = x[N - 1 - i]"),
)  # fmt: skip


def claiming(name: str, text: str) -> SpecFile:
    """A kernel's launch with this equation."""
    launch = (HERE / "launch" / f"{name}.toml").read_text()
    said = re.sub(r"computes = (\[\n(.*\n)*?\]|\[.*\])\n", f'computes = ["{text}"]\n', launch)
    return loads(said if text in said else f'{said.rstrip()}\ncomputes = ["{text}"]\n')


def verdicts(name: str, file: SpecFile, target: str = "gfx942", source: str = "") -> dict[str, Verdict]:
    """What the audit says of each equation."""
    found = audit(machine_code(KERNELS[name], target, source=source), file, 30)
    return {about: verdict for claim, about, verdict in found.claims if claim == "computes"}


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(one, marks=pytest.mark.slow) for one in PROVED)])
def test_what_a_kernel_computes_is_proved(name: str) -> None:
    found = verdicts(name, KERNELS[name].launch)
    assert found
    assert all(isinstance(one, Proved) for one in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx942", "gfx1201"])
@pytest.mark.parametrize("name", MORE)
def test_what_more_kernels_compute_is_proved(name: str, target: str) -> None:
    found = verdicts(name, KERNELS[name].launch, target)
    assert found
    assert all(isinstance(one, Proved) for one in found.values()), found


@pytest.mark.parametrize(
    ("name", "text"), [*WRONG[:3], *(pytest.param(*one, marks=pytest.mark.slow) for one in WRONG[3:])]
)
def test_what_a_kernel_does_not_compute_is_never_proved(name: str, text: str) -> None:
    (verdict,) = verdicts(name, claiming(name, text)).values()
    assert not isinstance(verdict, Proved)


def test_a_wrong_equation_is_refuted_by_a_run_that_says_where() -> None:
    (verdict,) = verdicts("reverse", claiming("reverse", "o[i] = x[i]")).values()
    assert isinstance(verdict, Refuted)
    assert "and the equation says" in verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), OPEN)
def test_what_is_right_and_not_proved_is_not_refuted(name: str, text: str) -> None:
    (verdict,) = verdicts(name, claiming(name, text)).values()
    assert not isinstance(verdict, Refuted)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("o[i] = x[i]", "o[i] = 1.0f"),
        ("o[i] = x[i]", "o[i] = x[n - 1]"),
        ("if (i < n) ", "if (i < n - 1) "),
        ("if (i < n) ", "if (i < n && i % 2 == 0) "),
        ("if (i < n) ", "if (i < n / 2) "),
        ("if (i < n) ", "if (i < n && i != 77) "),
    ],
)
@pytest.mark.slow
def test_kernels_that_cheat_are_not_proved(old: str, new: str) -> None:
    kernel = KERNELS["copy_plain"]
    start, end = kernel.source.index("copy_plain"), kernel.source.index("copy_early_return")
    text = kernel.source[start:end]
    assert old in text
    source = kernel.source[:start] + text.replace(old, new) + kernel.source[end:]
    (verdict,) = verdicts("copy_plain", kernel.launch, source=source).values()
    assert not isinstance(verdict, Proved)


#: Loops over all elements, in which each lane goes on by itself; and such that leave some out.
LOOPS = (
    ("for (int i = first; i < n; i += step) o[i] = x[i];", True),
    ("for (int i = n - 1 - first; i >= 0; i -= step) o[i] = x[i];", True),
    ("int i = first; if (i < n) do { o[i] = x[i]; i += step; } while (i < n);", True),
    ("for (int i = first; i < n; i += step + 1) o[i] = x[i];", False),
    ("for (int i = first + 1; i < n; i += step) o[i] = x[i];", False),
    ("for (int i = first; i < n - 1; i += step) o[i] = x[i];", False),
    ("for (int i = first; i < n; i += step) { o[i] = x[i]; if (i > 1000) break; }", False),
    ("for (int i = first; i < n; i += step) { o[i] = x[i]; if (x[i] == 3.0f) break; }", False),
    ("for (int i = first; i < n; i += step) { if (i == 1000) continue; o[i] = x[i]; }", False),
    ("for (int i = first, k = 0; i < n && k < 4; i += step, ++k) o[i] = x[i];", False),
    ("for (int i = first; i < n; i += step) o[i] = x[i & ~1];", False),
    ("for (int i = first; i < n && (i / step & 3) < 2; i += step) o[i] = x[i];", False),
    ("if (first < n / 2) for (int i = first; i < n; i += step) o[i] = x[i];", False),
)


@pytest.mark.slow
@pytest.mark.parametrize(("loop", "right"), LOOPS)
def test_loops_that_lanes_leave_for_themselves(loop: str, right: bool) -> None:
    kernel = KERNELS["copy_plain"]
    start, end = kernel.source.index("copy_plain"), kernel.source.index('extern "C" __global__ void copy_early_return')
    first = "int first = blockIdx.x * 256 + threadIdx.x, step = 3 * 256;"
    text = f"copy_plain(const float* x, float* o, int n) {{ {first} {loop} }}\n"
    said = (HERE / "launch" / "copy_plain.toml").read_text()
    file = loads(re.sub(r"grid = .*\n", "grid = [3, 1, 1]\n", said))
    (verdict,) = verdicts("copy_plain", file, source=kernel.source[:start] + text + kernel.source[end:]).values()
    assert isinstance(verdict, Proved) == right


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
        return ComputesClaim(file, launched, trace, lambda goal, given: True)._loads_first("y")

    assert first((False, 0), (True, 0))
    assert first((False, 0), (True, 1))
    assert first((True, 0), (False, 0))  # elsewhere, as the prover says; another thread's would race
    assert not first((True, 0), (False, 1))
    assert not first((False, 1), (True, 0))
