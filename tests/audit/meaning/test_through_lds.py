"""What is read of LDS is what its writer stored: proved where it is so, and never where it is not."""

import re

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.prove import Proved, Verdict
from tests.foreign.corpus import HERE
from tests.foreign.running import machine_code
from tests.foreign.table import KERNELS

TRANSPOSED = "o[j, i] = x[i, j]"

#: Blocks of 128 threads, each of which takes a value, gives it to another, and stores what it got.
BLOCKS = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const int* x, int* o, int n) {
  __shared__ int s[256];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  int v = x[i];
  BODY
}
"""
LAUNCH = """
symbols = { N = { min = 1, max = 1000 } }
[[descriptor]]
name = "x"
dtype = "i32"
base = { kind = "naive", lengths = ["128 * N"], strides = [1] }
[[descriptor]]
name = "o"
dtype = "i32"
base = { kind = "naive", lengths = ["128 * N"], strides = [1] }
[launch]
grid = ["N"]
block = [128]
arguments = ["x", "o", "N"]
writes = ["o"]
"""
REVERSED = "x[i // 128 * 128 + 127 - i % 128]"


def verdict(body: str, said: str, target: str = "gfx942") -> Verdict:
    """What the audit says of a body and of what it stores."""
    kernel = read_kernels(compile_source(BLOCKS.replace("BODY", body), target).payload)["k"]
    found = audit(decode_kernel(kernel), loads(f"{LAUNCH}computes = ['o[i] = {said}']\n"), 20)
    (one,) = (verdict for claim, _, verdict in found.claims if claim == "computes")
    return one


RIGHT = (
    ("s[t] = v; __syncthreads(); o[i] = s[127 - t];", REVERSED),
    ("s[127 - t] = v; __syncthreads(); o[i] = s[t];", REVERSED),
    ("s[t] = v + 1; __syncthreads(); v = s[127 - t]; __syncthreads(); s[t] = v; __syncthreads(); o[i] = s[t];",
     f"{REVERSED} + 1"),
    ("s[t] = v; s[t + 128] = -v; __syncthreads(); o[i] = s[t * 2];",
     "where(i % 128 < 64, x[i // 128 * 128 + i % 128 * 2], -x[i // 128 * 128 + i % 128 * 2 - 128])"),
    ("int r = t / 8 % 8, c = t % 8, h = t & 64; s[h + r * 8 + (c ^ r)] = v; __syncthreads(); "
     "o[i] = s[h + c * 8 + (r ^ c)];", "x[i // 64 * 64 + i % 8 * 8 + i // 8 % 8]"),
    ("s[t % 8 * 16 + t / 8] = v; __syncthreads(); o[i] = s[t];", "x[i // 128 * 128 + i % 16 * 8 + i // 16 % 8]"),
    ("for (int c = 0; c < n; ++c) { __syncthreads(); s[t] = v; __syncthreads(); o[i] = s[127 - t]; }", REVERSED),
    ("if (n > 3) s[t] = v; else s[t] = x[t]; __syncthreads(); o[i] = s[t];", "where(N > 3, x[i], x[i % 128])"),
)  # fmt: skip

WRONG = (
    ("int r = t / 8 % 8, c = t % 8, h = t & 64; s[h + r * 8 + (c ^ r)] = v; __syncthreads(); "
     "o[i] = s[h + c * 8 + (r ^ c ^ 1)];", "x[i // 64 * 64 + i % 8 * 8 + i // 8 % 8]"),
    ("s[t] = v; __syncthreads(); o[i] = s[127 - t];", "x[i]"),
    ("s[t] = v; __syncthreads(); o[i] = s[126 - t < 0 ? 0 : 126 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); o[i] = s[(127 - t) ^ 1];", REVERSED),
    ("s[t] = v; o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); if (n > 3) s[t] = 0; __syncthreads(); o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); if (t == 5) s[t] = 0; __syncthreads(); o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); if (v > 3) s[t] = 0; __syncthreads(); o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); for (int c = 1; c < n; ++c) { o[i] = s[127 - t]; __syncthreads(); s[t] = c; "
     "__syncthreads(); } if (n == 1) o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); for (int c = 1; c < n; ++c) s[t] = c; __syncthreads(); o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; s[t + 128] = -v; __syncthreads(); o[i] = s[t * 2];", "x[i // 128 * 128 + i * 2 % 128]"),
    ("((char*)s)[t * 4] = v; s[t] = v; ((char*)s)[t * 4 + 2] = v >> 8; __syncthreads(); o[i] = s[127 - t];", REVERSED),
    ("s[t] = v; __syncthreads(); for (int c = 0; c < (t & 3); ++c) s[t] = c; __syncthreads(); o[i] = s[t];", "x[i]"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("body", "said"), [RIGHT[0], *(pytest.param(*one, marks=pytest.mark.slow) for one in RIGHT[1:])]
)
def test_what_lds_hands_on_is_proved(body: str, said: str) -> None:
    assert isinstance(verdict(body, said), Proved)


@pytest.mark.parametrize(
    ("body", "said"), [*WRONG[1:3], *(pytest.param(*one, marks=pytest.mark.slow) for one in (WRONG[0], *WRONG[3:]))]
)
def test_what_lds_does_not_hand_on_is_never_proved(body: str, said: str) -> None:
    assert not isinstance(verdict(body, said), Proved)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx942", "gfx1201"])
@pytest.mark.parametrize("name", ["transpose_padded", "transpose_unpadded", "transpose_f16", "transpose_batched"])
def test_transpositions_are_proved(name: str, target: str) -> None:
    found = audit(machine_code(KERNELS[name], target), KERNELS[name].launch, 30)
    assert any(claim == "computes" for claim, _, _ in found.claims)
    assert found.proved


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= tile[threadIdx.x][threadIdx.y + k]", "= tile[threadIdx.y + k][threadIdx.x]"),
        ("= tile[threadIdx.x][threadIdx.y + k]", "= tile[threadIdx.x][threadIdx.y]"),
        ("= tile[threadIdx.x][threadIdx.y + k]", "= tile[threadIdx.x ^ 1][threadIdx.y + k]"),
        ("tile[threadIdx.y + k][threadIdx.x] = x", "tile[(threadIdx.y + k) % 31][threadIdx.x] = x"),
        ("row + k < rows && column < columns", "row + k < rows && column + 1 < columns"),
        ("row = blockIdx.x * TILE", "row = blockIdx.y * TILE"),
        ("= x[(row + k) * columns + column]", "= x[row * columns + column]"),
    ],
)
def test_transpositions_with_a_mistake_are_not_proved(old: str, new: str) -> None:
    kernel = KERNELS["transpose_padded"]
    start, end = kernel.source.index("void transpose_padded"), kernel.source.index("void transpose_f16")
    text = kernel.source[start:end]
    assert old in text
    source = kernel.source[:start] + text.replace(old, new) + kernel.source[end:]
    found = audit(machine_code(kernel, "gfx942", source=source), kernel.launch, 20)
    assert not any(claim == "computes" and isinstance(one, Proved) for claim, _, one in found.claims)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
def test_tritons_transposition_is_proved(target: str) -> None:
    stem = HERE / "triton" / "builds" / f"transpose-{target}"
    code = decode_kernel(read_kernels(stem.with_suffix(".co").read_bytes())["transpose"])
    text = re.sub(r"computes = .*\n", "", stem.with_suffix(".toml").read_text())
    for said, right in ((TRANSPOSED, True), ("o[j, i] = x[i, 0]", False), ("o[j, i] = x[0, j]", False)):
        found = audit(code, loads(f"{text}computes = ['{said}']\n"), 30)
        proved = [isinstance(one, Proved) for claim, _, one in found.claims if claim == "computes"]
        assert all(proved) if right else not any(proved)
