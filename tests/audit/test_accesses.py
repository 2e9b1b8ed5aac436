"""Accesses by themselves: numbers that wrap on the way to an address."""

import pytest

from layoutalg.audit.audit import audit
from layoutalg.device.compile import compile_source
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.prove import Refuted, Verdict

LAUNCH = """
symbols = {{ M = {{ min = 1, max = {most} }}, N = {{ min = 1, max = {most} }} }}
[[descriptor]]
name = "x"
dtype = "u8"
base = {{ kind = "packed", lengths = ["M", "N"] }}
[[descriptor]]
name = "o"
dtype = "u8"
base = {{ kind = "packed", lengths = ["M"] }}
[launch]
grid = ["(M + 63) // 64"]
block = [64]
arguments = ["x", "o", "M", "N"]
writes = ["o"]
"""
SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void k(const unsigned char* x, unsigned char* o, unsigned m, unsigned n) {{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i < m) {{ {} }}
}}
"""


def overflows(body: str, most: int) -> dict[str, str]:
    """The names of the verdicts, and their reasons, of loads of x."""
    (kernel,) = read_kernels(compile_source(SOURCE.format(body), "gfx942").payload).values()
    claims = audit(decode_kernel(kernel), loads(LAUNCH.format(most=most))).claims
    return {v.name: v.reason for claim, about, v in claims if claim == "no_overflow" and about.endswith("from x")}


@pytest.mark.parametrize(("body", "most"), [
    ("o[i] = x[i * n + n - 1];", 1 << 16),  # at most 2³² - 1
    ("o[i] = x[(size_t)i * n];", 1 << 20),
    ("o[i] = x[(x[i] * 2654435761u) % n];", 1 << 16),  # a hash of data wraps as it likes
])  # fmt: skip
def test_what_fits_does_not_wrap(body: str, most: int) -> None:
    assert set(overflows(body, most)) == {"proved"}


def test_a_product_that_leaves_32_bits_wraps() -> None:
    found = overflows("o[i] = x[i * n + n - 1];", (1 << 16) + 1)
    assert set(found) == {"refuted"}
    assert "no_overflow fails: block" in found["refuted"]


@pytest.mark.parametrize("factor", [1 << 14, 15_000, 15_001])
def test_a_wrapped_offset_of_elements_is_seen_however_it_is_written(factor: int) -> None:
    """An offset in bytes is a multiple of the element, which the normal form takes out of the remainder."""
    body = f"if (i * {factor}u * 4 < n) o[i] = x[i * {factor}u * 4];"
    assert set(overflows(body, 1 << 16)) == {"proved"}
    assert set(overflows(body, 1 << 17)) == {"refuted"}


SIGNED = """
symbols = { M = { min = 1, max = 4 }, N = { min = 1, max = 4000000000 } }
[[descriptor]]
name = "o"
dtype = "u8"
base = { kind = "packed", lengths = ["M", "N"] }
[launch]
grid = [1]
block = [64]
arguments = ["o", "M", "N"]
writes = ["o"]
"""


def stored(body: str, most: int = 4_000_000_000) -> list[Verdict]:
    """What is said of no_overflow, of the stores of a kernel of a matrix of at most 4 · `most` bytes."""
    source = (
        '#include <hip/hip_runtime.h>\nextern "C" __global__ void k(unsigned char* o, unsigned m, unsigned n) {{ {} }}'
    )
    (kernel,) = read_kernels(compile_source(source.format(body), "gfx942").payload).values()
    claims = audit(decode_kernel(kernel), loads(SIGNED.replace("4000000000", str(most)))).claims
    return [verdict for claim, _, verdict in claims if claim == "no_overflow"]


LAST = "if (threadIdx.x < m) o[n * threadIdx.x + (n - 1)] = 1;"


def test_a_subtraction_in_a_word_is_no_overflow_and_a_witness_is_one() -> None:
    """n - 1 is n + 4294967295 in the machine: the thread that is named has an element beyond 2³²."""
    assert {one.name for one in stored(LAST, 1 << 30)} == {"proved"}
    (found,) = stored(LAST)
    assert isinstance(found, Refuted)
    point = found.witness.points[0]
    assert point["N"] * point["thread.x"] + point["N"] - 1 >= 1 << 32


@pytest.mark.parametrize("body", [
    "if (threadIdx.x < m) o[n * threadIdx.x + (n - 2)] = 1;",  # below 0 where n is 1
    "if (threadIdx.x < m) o[n - 1 - threadIdx.x] = 1;",  # below 0 where n is less than the threads
    "if (threadIdx.x < m) o[n + 4294967295u - threadIdx.x * 2] = 1;",
    "if (threadIdx.x < m) o[n * threadIdx.x + 3000000000u] = 1;",  # in range as it stands up to 1294967295
])  # fmt: skip
def test_a_word_that_wraps_by_every_reading_is_not_proved(body: str) -> None:
    assert "proved" not in {one.name for one in stored(body)}
