"""A kernel's call in Python, audited for all sizes."""

from types import SimpleNamespace

import numpy as np
import pytest

import layoutalg as la
from layoutalg.audit.call import KernelCall
from layoutalg.device.compile import compile_source
from layoutalg.errors import LaunchError
from layoutalg.interop.parameters import KernelParameter

SOURCE = """
#include <hip/hip_runtime.h>
struct Args { const float* x; float* o; int rows, columns; float alpha; };
extern "C" __global__ void transpose(Args a) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i < a.rows && j < a.columns) a.o[j * a.rows + i] = a.alpha * a.x[i * a.columns + j];
}
extern "C" __global__ void scale(const float* x, float* o, int n, float alpha, float* unused) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) o[i] = alpha * x[i];
}
extern "C" __global__ void beyond(const float* x, float* o, int n, float alpha, float* unused) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i <= n) o[i] = alpha * x[i];
}
"""
X, OUT = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
GRID = ["(n + 63) // 64"]


@pytest.fixture(scope="module")
def built():
    return compile_source(SOURCE, "gfx942", flags=("-g",))


def test_a_call_is_one_case_of_all_sizes(built) -> None:
    found = la.audit(
        built, X, OUT, 1000, 0.5, None, name="scale", grid=GRID, block=64, computes=["o[i] = alpha * x[i]"]
    )
    assert found.proved
    assert "sizes: 1 <= n <= 20000" in found.assumptions
    wrong = la.audit(built, X, OUT, 1000, 0.5, None, name="beyond", grid=GRID, block=64)
    assert wrong.name == "refuted"


def test_grids_may_be_a_function_of_the_sizes(built) -> None:
    found = la.audit(built, X, OUT, 1000, 0.5, None, name="scale", block=[64], most=1 << 20,
                     grid=lambda sizes: ((sizes["n"] + 63) // 64,), claims=["stores_all"])  # fmt: skip
    assert found.proved
    assert "sizes: 1 <= n <= 1048576" in found.assumptions


def test_fields_of_a_struct_are_given_one_by_one(built) -> None:
    x, o = np.zeros((100, 70), np.float32), np.zeros((70, 100), np.float32)
    grid = ["(columns + 15) // 16", "(rows + 15) // 16"]
    found = la.audit(built, x, o, 100, 70, 2.0, name="transpose", grid=grid, block=[16, 16])
    assert found.proved
    with pytest.raises(LaunchError, match="which is rows or columns: call it with sizes that tell them apart"):
        la.audit(built, x[:70], o[:, :70], 70, 70, 2.0, name="transpose", grid=grid, block=[16, 16])


def test_what_is_no_call_of_the_kernel_is_refused(built) -> None:
    with pytest.raises(LaunchError, match=r"takes 5 arguments \(x, o, n, alpha, unused\); the call gives 2"):
        la.audit(built, X, OUT, name="scale", grid=GRID, block=64)
    with pytest.raises(LaunchError, match="takes blocks of any size: say block"):
        la.audit(built, X, OUT, 1000, 0.5, None, name="scale", grid=GRID)
    with pytest.raises(LaunchError, match="elements of complex64"):
        la.audit(built, X.astype(np.complex64), OUT, 1000, 0.5, None, name="scale", grid=GRID, block=64)


def parameter(name: str, points: bool = True) -> KernelParameter:
    return KernelParameter(name, 8 if points else 4, "f32" if points else "i32", points)


def test_lengths_and_strides_are_sizes_or_products_of_two() -> None:
    storage = SimpleNamespace(nbytes=lambda: 4 * 5000)
    memory = {
        "storage_offset": lambda: 0,
        "untyped_storage": lambda: storage,
        "element_size": lambda: 4,
        "data_ptr": lambda: 1 << 40,
    }
    torch = SimpleNamespace(shape=(35, 10), stride=lambda: (10, 1), dtype="torch.bfloat16", **memory)
    names = (parameter("x"), parameter("y"), parameter("m", False), parameter("n", False))
    call = KernelCall(names, (np.zeros((7, 35, 3), np.int32)[:, :, :1], torch, 5, 7), {"k": 10}, 64)
    assert call.sizes == {"m": 5, "n": 7, "k": 10}
    data = call.document({})
    assert data["symbols"] == {"k": {"min": 1, "max": 64}, "m": {"min": 1, "max": 64, "multiple_of": 1},
                               "n": {"min": 1, "max": 64, "multiple_of": 1}}  # fmt: skip
    assert data["descriptor"] == [
        {"name": "x", "dtype": "i32", "base": {"kind": "naive", "lengths": ["n", "m * n", 1], "strides": [105, 3, 1]}},
        {"name": "y", "dtype": "bf16", "base": {"kind": "packed", "lengths": ["m * n", "k"]}},
    ]
    assert data["launch"]["arguments"] == ["x", "y", "m", "n"]


def test_what_the_compiler_was_told_of_a_size_holds_and_what_is_no_size_stays() -> None:
    n = KernelParameter("n", 2, "i16", divisible=16)
    call = KernelCall((n, parameter("m", False), parameter("flag", False)), (48, 0, True), {}, 1 << 20)
    data = call.document({"block": [64]})
    assert data["symbols"] == {"n": {"min": 16, "max": 32752, "multiple_of": 16}}
    assert data["launch"] == {"arguments": ["n", 0, 1], "writes": [], "block": [64]}


@pytest.mark.parametrize(("x", "o", "n", "sizes", "why"), [
    (np.zeros(9), None, 9, {}, "x and o overlap"),
    (np.zeros(10)[1:], np.zeros(9), 9, {}, "x begins 8 bytes into its memory"),
    (np.zeros(9), np.zeros(9), 9, {"n": 8}, "n is 9 in the call and 8 in sizes"),
    (np.zeros(16), np.zeros(16), 16, {"k": 8, "m": 2}, "which is n or k \\* m"),
    (np.zeros(9), np.zeros(9), 9, {"k": 10}, "which is n or k - 1"),
])  # fmt: skip
def test_a_call_that_says_less_than_it_seems_is_refused(x, o, n, sizes, why) -> None:
    names = (parameter("x"), parameter("o"), parameter("n", False))
    with pytest.raises(LaunchError, match=why):
        KernelCall(names, (x, x if o is None else o, n), sizes, 64).document({})
