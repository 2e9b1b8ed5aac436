"""Functions of sums, and sums of functions: equations near to what a kernel computes are not proved."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.audit.meaning.sums.test_compared import ROWS

#: Each thread sums a row: what it does first, in each turn, and in the end.
ROW = """#include <hip/hip_runtime.h>
extern "C" __global__ void row(const float* x, const float* w, float* o, int m, int k) {{
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < m) {{
    float s = 0;
    {0}
#pragma clang loop vectorize(disable) unroll(disable)
    for (int j = 0; j < k; j++) {1}
    o[i] = {2};
  }}
}}"""

GREATEST = """float most = -__builtin_inff();
#pragma clang loop vectorize(disable) unroll(disable)
    for (int l = 0; l < k; l++) most = fmaxf(most, x[i * k + l]);"""

#: What a kernel computes, that as an equation, and equations of which it computes none.
COMPUTED = {
    "mean": (("", "s += x[i * k + j];", "s / k"), "(sum[j] x[i, j]) / f32(K)",
             ("(sum[j] x[i, j]) / f32(M)", "(sum[j < K - 1] x[i, j]) / f32(K)", "f32(K) / (sum[j] x[i, j])",
              "(sum[j] x[i, j]) / f32(K + 1)", "(sum[j] x[0, j]) / f32(K)", "(max[j] x[i, j]) / f32(K)")),
    "norm": (("", "s += x[i * k + j] * x[i * k + j];", "w[i] * rsqrtf(s + 1.0f)"),
             "w[i] * rsq((sum[j] x[i, j] * x[i, j]) + 1.0)",
             ("w[i] * rsq(sum[j] x[i, j] * x[i, j])", "w[i] * sqrt((sum[j] x[i, j] * x[i, j]) + 1.0)",
              "rsq((sum[j] x[i, j] * x[i, j]) + 1.0)", "w[i] * rsq((sum[j] x[i, j]) + 1.0)",
              "w[i] * rsq((sum[j] 2.0 * x[i, j] * x[i, j]) + 1.0)")),
    "distance": (("", "s += fabsf(x[i * k + j] - w[i]);", "s"), "sum[j] abs(x[i, j] - w[i])",
                 ("sum[j] x[i, j] - w[i]", "sum[j] abs(x[i, j] + w[i])", "abs(sum[j] x[i, j] - w[i])",
                  "sum[j < K] abs(x[i, K - 1] - w[i])", "sum[j < K - 1] abs(x[i, j] - w[i])")),
    "square": (("", "{ float d = x[i * k + j] - w[i]; s += d * d; }", "s"),
               "sum[j] (x[i, j] - w[i]) * (x[i, j] - w[i])",
               ("sum[j] (x[i, j] - w[i]) * (x[i, j] + w[i])", "sum[j] x[i, j] * x[i, j] - w[i] * w[i]",
                "sum[j] (x[i, j] - w[0]) * (x[i, j] - w[i])")),
    "chosen": (("", "{ float v = x[i * k + j]; s += v < 1.0f ? 0.5f * v * v : v - 0.5f; }", "s"),
               "sum[j] where(x[i, j] < 1.0, 0.5 * x[i, j] * x[i, j], x[i, j] - 0.5)",
               ("sum[j] where(x[i, j] <= 1.0, 0.5 * x[i, j] * x[i, j], x[i, j] - 0.5)",
                "sum[j] where(x[i, j] < 1.0, x[i, j] - 0.5, 0.5 * x[i, j] * x[i, j])",
                "sum[j] where(x[i, 0] < 1.0, 0.5 * x[i, j] * x[i, j], x[i, j] - 0.5)")),
    "exponentials": ((GREATEST, "s += exp2f(x[i * k + j] - most);", "log2f(s) + most"),
                     "log2(sum[j] exp2(x[i, j] - max[l] x[i, l])) + max[l] x[i, l]",
                     ("log2(sum[j] exp2(x[i, j] - min[l] x[i, l])) + max[l] x[i, l]",
                      "log2(sum[j] exp2(x[i, j] - max[l < K - 1] x[i, l])) + max[l] x[i, l]",
                      "log2(sum[j] exp2(x[i, j] - max[l] x[i, l])) + max[l] x[0, l]",
                      "log2(sum[j] exp2(x[i, j])) + max[l] x[i, l]")),
    "two indices": (("", "for (int r = 0; r < 3; r++) s += x[i * k + j] * w[r];", "s"),
                    "sum[j] sum[r < 3] where(r < M, x[i, j] * w[r], 0)",
                    ("sum[j] sum[r < 2] where(r < M, x[i, j] * w[r], 0)",
                     "sum[j] sum[r < 4] where(r < M, x[i, j] * w[r], 0)",
                     "sum[j] sum[r < 3] where(r < M, x[i, j] * w[0], 0)",
                     "sum[r < 3] where(r < M, x[i, 0] * w[r], 0)",
                     "sum[j < K - 1] sum[r < 3] where(r < M, x[i, j] * w[r], 0)")),
}  # fmt: skip


def verdicts(computed, *equations, rows=ROWS, source=ROW):
    code = decode_kernel(read_kernels(compile_source(source.format(*computed), "gfx942").payload)["row"])
    least = rows.replace("M = { min = 1", "M = { min = 3")
    found = (audit(code, loads(f'{least}computes = ["o[i] = {one}"]'), seconds=20) for one in equations)
    return [next(verdict.name for claim, _, verdict in one.claims if claim == "computes") for one in found]


def test_a_mean_is_proved_and_that_of_a_row_less_is_not():
    computed, right, (_, wrong, *_) = COMPUTED["mean"]
    assert verdicts(computed, right, wrong) == ["proved", "refuted"]


def test_one_word_stored_to_two_rows_is_the_sum_of_its_own_alone():
    """Both stores are of one word in one thread: which sum it is depends on the element that is stored."""
    twice = ROW.replace("o[i] = {2};", "float r = {2}; o[i] = r; o[i + m] = r;")
    rows = ROWS.replace('lengths = ["M"', 'lengths = ["2 * M"')
    computed = ("", "s += x[i * k + j];", "rsqrtf(s + 1.0f)")
    right, wrong = (f"rsq((sum[j] x[{row}, j]) + 1.0)" for row in ("i % M", "i"))
    assert verdicts(computed, right, wrong, rows=rows, source=twice) == ["proved", "refuted"]


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_near_to_a_function_of_sums_is_not_proved(name):
    computed, right, wrong = COMPUTED[name]
    assert verdicts(computed, right) == ["proved"]
    assert "proved" not in verdicts(computed, *wrong)
