"""A launch file at given sizes: what it gives a kernel, and what is refused, in one line that says what to write."""

import functools

import numpy as np
import pytest

from layoutalg.device.compile import compile_source
from layoutalg.errors import Fault, LaunchError
from layoutalg.formats import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound, raw
from tests.matrix import each

SOURCE = """
#include "layoutalg_device.h"
extern "C" __global__ void scale(const float* x, float* o, int m, int n, int stride, float alpha) {
  extern __shared__ float lds[];
  int i = (int)blockIdx.x, j = (int)threadIdx.x;
  if (i < m && j < n) {
    lds[j] = x[i * n + j];
    o[i * stride + j] = alpha * lds[j];
  }
}
struct Task { float* o; short first; const float* x; long factor; char n; };
extern "C" __global__ void by_struct(Task t, float* unused) {
  int i = (int)threadIdx.x;
  if (i < t.n) t.o[i] = t.x[i + t.first] * (float)(int)t.factor;
}
"""
SCALE = """
symbols = { M = { min = 1, max = 64 }, N = { min = 2, max = 64, multiple_of = 2 }, S = { min = 1, max = 100 } }
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "naive", lengths = ["M", "N"], strides = ["N", 1] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "naive", lengths = ["M", "N"], strides = ["S", 1] }
[launch]
kernel = "scale"
grid = ["M"]
block = [64]
lds = "4 * N"
arguments = ["x", "o", "M", "N", "S", { name = "alpha", dtype = "f32" }]
writes = ["o"]
"""
STRUCT = """
[[descriptor]]
name = "x"
dtype = "f32"
base = { kind = "packed", lengths = [20] }
[[descriptor]]
name = "o"
dtype = "f32"
base = { kind = "packed", lengths = [10] }
[launch]
grid = [1]
block = [64]
arguments = [
  { fields = ["o", { value = 4, bytes = 2 }, "x", { value = 3, bytes = 8 }, { value = 10, bytes = 1 }] },
  { unused = true },
]
writes = ["o"]
"""
SIZES = {"M": 5, "N": 10, "S": 12}


@functools.cache
def program(name, target="gfx942"):
    return decode_kernel(read_kernels(compile_source(SOURCE, target).payload)[name])


def launched(text=SCALE, sizes=SIZES, inputs=(), values=(("alpha", 2.0),), name="scale", **rest):
    code = program(name)
    launch = bound(loads(text, "launch.toml"), code.kernel.metadata, sizes, dict(inputs), dict(values), **rest)
    run = execute(code, launch.grid, launch.block, launch.arguments, lds=launch.lds)
    return launch, run, {one.name: one.read(out) for one, out in zip(launch.passed, run.outputs, strict=True)}


def test_a_launch_file_runs_a_kernel():
    x = np.arange(50, dtype=np.float32).reshape(5, 10)
    launch, run, results = launched(inputs={"x": x})
    assert np.array_equal(results["o"], 2 * x)
    assert (launch.grid, launch.block, launch.lds) == ((5,), (64,), 40)
    assert [one.unwritten(undefined) for one, undefined in zip(launch.passed, run.undefined, strict=True)] == [0, 0]


def test_a_struct_of_a_pointer_alone_is_passed_as_that_pointer():
    x = np.arange(50, dtype=np.float32).reshape(5, 10)
    alone = SCALE.replace('"x", "o", "M"', '{ fields = ["x"] }, { fields = ["o"] }, "M"')
    assert np.array_equal(launched(alone, inputs={"x": x})[2]["o"], 2 * x)
    with pytest.raises(LaunchError, match=r"argument 0 .* is a pointer .* gives a struct of 8 bytes"):
        launched(SCALE.replace('"x", "o", "M"', '{ fields = [{ value = 1, bytes = 8 }] }, "o", "M"'))


def test_a_value_without_a_name_is_given_by_its_place():
    text = SCALE.replace('{ name = "alpha", dtype = "f32" }', "{ bytes = 4 }")
    (one, two) = (launched(text, values=[("5", number)])[2] for number in (2.0, np.float32(3)))
    assert np.array_equal(one["o"] * 3, two["o"] * 2)
    with pytest.raises(LaunchError, match="the argument 5 has no value: give --argument 5=VALUE"):
        launched(text, values=())


def test_a_tensor_that_is_not_given_is_drawn_by_a_seed():
    first, again, other = (launched(seed=seed)[2] for seed in (1, 1, 2))
    assert np.array_equal(first["x"], again["x"])
    assert not np.array_equal(first["x"], other["x"])
    assert np.array_equal(first["o"], 2 * first["x"])


def test_elements_that_nothing_wrote_are_counted():
    launch, run, results = launched(SCALE.replace('"x", "o", "M"', '"x", "o", 4'))
    assert launch.tensors["o"].unwritten(run.undefined[1]) == 10
    assert np.isnan(results["o"][4]).all()


def test_no_store_may_touch_what_lies_between_elements():
    with pytest.raises(Fault, match=r"byte 40 of o, which is between its elements, .*thread 10") as caught:
        launched(SCALE.replace('"x", "o", "M", "N"', '"x", "o", "M - 1", "N + 1"').replace("4 * N", "4 * N + 4"))
    assert caught.value.kind == "read_only"


def test_what_lies_between_elements_is_undefined():
    text = SCALE.replace('lengths = ["M", "N"], strides = ["N", 1]', 'lengths = ["M", "N"], strides = ["N + 2", 1]')
    with pytest.raises(Fault, match="depends on an undefined value"):
        launched(text)


@pytest.mark.parametrize("target", each(["gfx942", "gfx1201"], "gfx942"))
def test_a_struct_is_laid_out_as_in_c(target):
    code, file = program("by_struct", target), loads(STRUCT)
    x = np.arange(20, dtype=np.float32)
    launch = bound(file, code.kernel.metadata, {}, {"x": x}, {})
    run = execute(code, launch.grid, launch.block, launch.arguments)
    assert np.array_equal(run.outputs[0], x[4:14] * 3)


def test_more_lds_than_there_is_is_refused():
    with pytest.raises(LaunchError, match="scale is launched with 65540 bytes of LDS, gfx942 has 65536"):
        launched(SCALE.replace('"4 * N"', "65540"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": {"M": 5, "N": 10}}, r"launch.toml: the symbol S has no value: give -D S=… \(1 <= S <= 100\)"),
        ({"sizes": SIZES | {"N": 9}}, "-D N=9: launch.toml says 2 <= N <= 64, a multiple of 2"),
        ({"sizes": SIZES | {"M": 65}}, "-D M=65: launch.toml says 1 <= M <= 64"),
        ({"sizes": SIZES | {"K": 1}}, "launch.toml: its launch has no symbol 'K'; it has M, N, S"),
        ({"inputs": {"y": np.zeros(1)}}, "its launch has no tensor 'y'; it has o, x"),
        ({"inputs": {"x": np.zeros((10, 5), np.float32)}}, r"x has the shape \(5, 10\) .* its input has \(10, 5\)"),
        ({"inputs": {"x": np.zeros((5, 10))}}, "x is of f32: its input is to be float32, and is float64"),
        ({"values": {}}, "the argument alpha has no value: give --argument alpha=VALUE"),
        ({"values": {"alpha": 1.0, "beta": 1}}, "no argument that is given 'beta'; it has alpha"),
        ({"values": {"alpha": "two"}}, "argument 5 of scale is 4 bytes at byte 28, and 'two' is no value of f32"),
    ],
)
def test_what_is_given_wrongly_is_refused(change, message):
    with pytest.raises(LaunchError, match=message):
        launched(**change)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '"M", "N", "S", ',
            '"M", "N", ',
            "scale takes 6 arguments, and the launch has 5: it takes a pointer at byte 0, ",
        ),
        (
            '["x", "o", "M"',
            '["x", "M", "o"',
            "argument 1 .* a pointer at byte 8, and the launch gives a number; give a",
        ),
        (
            '"o", "M"',
            '"o", "o"',
            "argument 2 .* is 4 bytes at byte 16, and the launch gives the descriptor o; . fields",
        ),
        (
            '"M", "N", "S"',
            '"M", { value = "N", bytes = 8 }, "S"',
            "argument 3 of scale is 4 bytes at byte 20, and .* gives 8",
        ),
        ('"M", "N", "S"', '"M", "N S", "S"', "launch.arguments.3."),
        (
            '"M", "N", "S"',
            '"M", "N * 4294967296", "S"',
            "argument 3 .* is 4 bytes .* 42949672960 is no value of 4 bytes",
        ),
        (
            '"M", "N", "S"',
            '"M", { fields = [{ value = 1, bytes = 8 }] }, "S"',
            "argument 3 .* gives a struct of 8 bytes",
        ),
        ('grid = ["M"]', 'grid = ["M - 5"]', "the grid has the size M - 5 = 0; each is at least 1"),
        ("block = [64]", "block = [2048]", "scale has blocks of at most 1024 threads, not 2048"),
        ('["S", 1] }', '["S", 1] }\ngiven = ["S > 20"]', "-D S=12: launch.toml says 21 <= S <= 100"),
        ('["S", 1] }', '["S", 1] }\ngiven = ["S > 2 * N"]', "o is given .*, which these sizes are not"),
        ('["S", 1]', '["S * 100000000", 1]', "o takes 19200000040 bytes; at most"),
        (
            'lengths = ["M", "N"], strides = ["S", 1]',
            'lengths = ["M - 6", "N"], strides = ["S", 1]',
            "launch.toml: at these sizes o is no tensor: .* length is at least 0",
        ),
        ("[launch]", "[launch ]#", ""),
    ],
)
def test_a_launch_file_that_does_not_fit_is_refused(old, new, message):
    text = SCALE.replace(old, new)
    assert text != SCALE
    if not message:
        launched(text)
        return
    with pytest.raises((LaunchError, ValueError), match=message):
        launched(text)


def test_a_file_without_a_launch_is_refused():
    with pytest.raises(LaunchError, match=r"launch.toml: it has no \[launch\] table; add one with grid, block and"):
        launched(SCALE[: SCALE.index("[launch]")])


def test_numbers_are_bytes():
    assert raw(255, 1) == raw(-1, 1) == b"\xff"
    for number, size, dtype in ((256, 1, None), (-129, 1, None), (0.5, 4, "i32"), ("", 4, None), (0.5, 1, None)):
        with pytest.raises((ValueError, OverflowError, KeyError)):
            raw(number, size, dtype)


def test_what_is_given_at_the_top_holds_of_the_sizes() -> None:
    text = 'given = ["N > M"]' + SCALE
    launched(text)
    with pytest.raises(LaunchError, match="given is M < N, which these sizes are not"):
        launched(text, {"M": 10, "N": 10, "S": 12})
