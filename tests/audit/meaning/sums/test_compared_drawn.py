"""Drawn kernels that sum rows, and equations near to what they compute: what is proved, no run refutes."""

from dataclasses import dataclass, fields, replace
from random import Random

import pytest

from layoutalg.audit.audit import audit
from layoutalg.audit.runs import Runs
from layoutalg.audit.trial import differing_runs
from layoutalg.errors import SpecError
from layoutalg.formats.spec import loads
from layoutalg.launch.symbolic import KernelLaunch
from tests.audit.auditing import kernel
from tests.fuzzing import FIRST, KNOWN, count

LAUNCH = """
symbols = {{ M = {{ min = 1, max = 1000 }}, K = {{ min = 2, max = 1000 }} }}
[[descriptor]]
name = "x"
dtype = "f32"
base = {{ kind = "packed", lengths = ["M", "K"] }}
[[descriptor]]
name = "w"
dtype = "f32"
base = {{ kind = "packed", lengths = ["M"] }}
[[descriptor]]
name = "o"
dtype = "f32"
base = {{ kind = "packed", lengths = ["M"] }}
[launch]
grid = [{grid}]
block = [64]
arguments = ["x", "w", "o", "M", "K"]
writes = ["o"]
computes = ["o[i] = {equation}"]
"""
SOURCE = """#include <hip/hip_runtime.h>
#define NONE {none}
extern "C" __global__ void row(const float* x, const float* w, float* o, int m, int k) {{
  int t = threadIdx.x;
  {body}
}}"""

#: What of a row's element at j is put together: in C, and in an equation.
BODIES = {
    "x[i * k + j]": "x[i, j]",
    "x[i * k + j] * x[i * k + j]": "x[i, j] * x[i, j]",
    "w[i] * x[i * k + j]": "w[i] * x[i, j]",
    "-x[i * k + j]": "-x[i, j]",
    "x[i * k + j / 2]": "x[i, j // 2]",
    "x[i * k + k - 1 - j]": "x[i, K - 1 - j]",
    "1.0f": "f32(1)",
    "fabsf(x[i * k + j])": "abs(x[i, j])",
    "fmaxf(w[i] - x[i * k + j], 0.0f)": "max(w[i] - x[i, j], 0.0)",
}
GUARDS = {"1": "", "j < 3": "j < 3", "j > 0": "j > 0", "j < k / 2": "j < K // 2", "j % 2 == 0": "j % 2 == 0"}
STARTS = {"NONE": "", "0.0f": "0", "1.0f": "f32(1)", "x[i * k]": "x[i, 0]", "w[i]": "w[i]", "-2.0f": "-2"}
ENDS = {"k": "j < K", "k - 1": "j < K - 1", "k / 2": "j < K // 2", "2": "j < 2"}
LASTS = {
    "s": "{}",
    "s + w[i]": "{} + w[i]",
    "w[i] * s": "w[i] * {}",
    "s + s": "2 * {}",
    "fmaxf(s, w[i])": "max({}, w[i])",
    "s / k": "{} / f32(K)",
    "rsqrtf(fabsf(s) + w[i])": "rsq(abs({}) + w[i])",
}
JOINS = {"add": "{} + {}", "max": "fmaxf({}, {})", "min": "fminf({}, {})"}
NONES = {"add": "0.0f", "max": "-__builtin_inff()", "min": "__builtin_inff()"}

#: Who sums a row: each thread its own; a block, lanes of which leave the loop for themselves, through LDS or shuffles.
SHAPES = {
    "thread": """int i = blockIdx.x * 64 + t;
  if (i < m) {{
    float s = {start};
#pragma clang loop vectorize(disable) unroll(disable)
    for (int j = {first}; j < {end}; j += {step}) {turn}
    o[i] = {last};
  }}""",
    "block": """int i = blockIdx.x;
  __shared__ float part[64];
  float s = NONE;
#pragma clang loop vectorize(disable) unroll(disable)
  for (int j = t + {first}; j < {end}; j += 64 * {step}) {turn}
  part[t] = s;
  __syncthreads();
  for (int half = 32; half >= {least}; half /= 2) {{
    if (t < half) part[t] = {half};
    __syncthreads();
  }}
  s = part[0];
  {begin}
  if (t == 0) o[i] = {last};""",
    "shuffles": """int i = blockIdx.x;
  float s = NONE;
#pragma clang loop vectorize(disable) unroll(disable)
  for (int j = t + {first}; j < {end}; j += 64 * {step}) {turn}
  for (int half = 32; half >= {least}; half /= 2) s = {shuffle};
  {begin}
  if (t == 0) o[i] = {last};""",
}


@dataclass(frozen=True)
class Row:
    """What a kernel computes of each row."""

    shape: str = "thread"
    join: str = "add"
    start: str = "NONE"
    first: int = 0
    end: str = "k"
    step: int = 1
    guard: str = "1"
    body: str = "x[i * k + j]"
    last: str = "s"
    least: int = 1

    @property
    def source(self) -> str:
        def joined(one: str) -> str:
            return JOINS[self.join].format("s", one)

        turn = f"if ({self.guard}) s = {joined(self.body)};"
        if self.shape == "thread" and self.join != "add" and self.guard != "1":
            turn = f"s = {joined(f'({self.guard} ? {self.body} : NONE)')};"
        body = SHAPES[self.shape].format(
            start=self.start, first=self.first, end=self.end, step=self.step, turn=turn, last=self.last,
            least=self.least, half=JOINS[self.join].format("part[t]", "part[t + half]"),
            shuffle=joined("__shfl_xor(s, half)" if self.first else "__shfl_down(s, half)"),
            begin=f"s = {joined(self.start)};" if self.start != "NONE" else "",
        )  # fmt: skip
        return SOURCE.format(none=NONES[self.join], body=body)

    @property
    def equation(self) -> str:
        conditions = [
            *([GUARDS[self.guard]] if GUARDS[self.guard] else []),
            *([f"j >= {self.first}"] if self.first else []),
            *(
                [f"(j - {self.first}){'' if self.shape == 'thread' else ' // 64'} % {self.step} == 0"]
                if self.step > 1
                else []
            ),
        ]
        nothing = {"add": "0", "max": "-inf", "min": "inf"}[self.join]
        body = BODIES[self.body]
        whole = f"where({' and '.join(conditions)}, {body}, {nothing})" if conditions else body
        found = f"({'sum' if self.join == 'add' else self.join}[{ENDS[self.end]}] {whole})"
        if STARTS[self.start]:
            start = STARTS[self.start]
            found = f"({start} + {found})" if self.join == "add" else f"{self.join}({start}, {found})"
        return LASTS[self.last].format(found)


def drawn(random: Random) -> Row:
    """A row, most of whose fields are plain."""
    plain = 0.6

    def one(of, usual):
        return usual if random.random() < plain else random.choice(list(of))

    return Row(
        random.choice(list(SHAPES)), random.choice(list(JOINS)), one(STARTS, "NONE"), one((0, 1), 0), one(ENDS, "k"),
        one((1, 2), 1), one(GUARDS, "1"), one(BODIES, "x[i * k + j]"), one(LASTS, "s"), one((1, 2), 1),
    )  # fmt: skip


def near(random: Random, row: Row) -> Row:
    """The row, or one in which a field is another."""
    found = row
    for name in random.choices([one.name for one in fields(Row)], k=random.choice([0, 1, 1, 2])):
        found = replace(found, **{name: getattr(drawn(random), name)})
    return found


def proved(row: Row, equation: str) -> bool:
    """Whether a kernel is proved to compute what an equation says; it is then not refuted by a run."""
    code = kernel(row.source)
    file = loads(LAUNCH.format(grid='"(M + 63) // 64"' if row.shape == "thread" else '"M"', equation=equation))
    found = audit(code, file, seconds=8)
    if not all(verdict for claim, _, verdict in found.claims if claim == "computes"):
        return False
    assert file.launch is not None
    runs = differing_runs(file.launch.computes[0], Runs(code, KernelLaunch.of(code.kernel, file), file))
    wrong = [one for one in runs if one is not None]
    assert not wrong, f"{wrong}\nproved of\n{row.source}\no[i] = {equation}"
    return True


@pytest.mark.fuzz
@pytest.mark.slow
def test_what_is_proved_of_drawn_rows_is_so_in_runs():
    random, shown, drawings = Random(FIRST), 0, count(30, dear=200)
    for _ in range(drawings):
        row = drawn(random)
        try:
            shown += sum(proved(row, near(random, row).equation) for _ in range(3))
        except SpecError:
            continue
    if KNOWN:
        assert shown >= drawings // 10
