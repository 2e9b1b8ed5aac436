"""Names and types of a kernel's parameters, as a compiler writes them with -g."""

import random

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.interop.parameters import KernelParameter
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.signature import called, parameters
from tests.fuzzing import FIRST, count
from tests.matrix import each

SOURCE = """
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>
namespace own {
enum Mode { LEFT, RIGHT };
typedef const float* Table;
struct Base { int m; };
struct Inner { long stride; char c; };
struct Kargs : Base { const float* a; Inner in; __half* h; short dims[3]; };
struct Mixed { float f; int i; };
template <class T>
__global__ void k(Kargs args, const T* __restrict__ x, float4* v, __half2* hh, __hip_bfloat16* b, Mixed* mixed,
                  Table table, unsigned n, float alpha, bool flag, Mode mode) {
  int i = threadIdx.x;
  if (i < n && flag) v[i].x = args.a[i] * alpha + x[i] + args.dims[2] + table[i];
}
}
template __global__ void own::k<int>(own::Kargs, const int*, float4*, __half2*, __hip_bfloat16*, own::Mixed*,
                                     own::Table, unsigned, float, bool, own::Mode);
"""


def compiled(*flags: str, target: str = "gfx942") -> tuple[bytes, int]:
    payload = compile_source(SOURCE, target, flags=flags).payload
    (kernel,) = read_kernels(payload).values()
    return payload, kernel.entry


def shown(one: KernelParameter) -> tuple[object, ...]:
    return one.name, one.bytes, one.dtype, "*" * one.points + "const" * one.constant, one.each


@pytest.mark.parametrize("version", each((5, 4), 5))
def test_parameters_have_their_names_and_types(version: int) -> None:
    found = parameters(*compiled("-g", f"-gdwarf-{version}"))
    assert [shown(one) for one in found] == [
        ("args", 48, "", "", 1),
        ("x", 8, "i32", "*const", 1),
        ("v", 8, "f32", "*", 4),
        ("hh", 8, "f16", "*", 2),
        ("b", 8, "bf16", "*", 1),
        ("mixed", 8, "", "*", 1),
        ("table", 8, "f32", "*const", 1),
        ("n", 4, "u32", "", 1),
        ("alpha", 4, "f32", "", 1),
        ("flag", 1, "u8", "", 1),
        ("mode", 4, "i32", "", 1),
    ]
    assert [(one.name, one.at, one.bytes, one.dtype, one.points) for one in found[0].fields] == [
        ("m", 0, 4, "i32", False),
        ("a", 8, 8, "f32", True),
        ("stride", 16, 8, "i64", False),
        ("c", 24, 1, "i8", False),
        ("h", 32, 8, "f16", True),
        ("dims_0", 40, 2, "i16", False),
        ("dims_1", 42, 2, "i16", False),
        ("dims_2", 44, 2, "i16", False),
    ]
    assert [one.written for one in found[1:4]] == ["const int*", "float4*", "__half2*"]


def test_where_nothing_is_said_there_are_none() -> None:
    payload, entry = compiled("-gline-tables-only")
    assert parameters(payload, entry) == ()
    payload, entry = compiled("-g")
    assert parameters(payload, entry + 4) == ()


def test_damaged_information_is_none_or_some() -> None:
    payload, entry = compiled("-g")
    for seed in range(FIRST, FIRST + count(20)):
        draw, edited = random.Random(seed), bytearray(payload)
        for _ in range(50):
            edited[draw.randrange(len(payload) // 2, len(payload))] = draw.randrange(256)
        assert isinstance(parameters(bytes(edited), entry), tuple), seed


BASES = """
#include <hip/hip_runtime.h>
template <class T, int n> struct array { T __elems_[n]; };
struct Empty {};
template <int> struct None : Empty {};
struct Strides { int stride; };
struct Grid {
  static __device__ __attribute__((noinline)) int blocks(int rows_, int columns) { return rows_ * columns; }
};
struct Kargs : None<0>, Strides, None<1> { array<const void*, 1> as; array<int, 2> lengths; };
extern "C" __global__ void k(Kargs args, int* x) { x[args.lengths.__elems_[0]] = Grid::blocks(args.stride, x[1]); }
"""


def test_empty_bases_are_no_fields_and_names_of_the_library_are_none() -> None:
    payload = compile_source(BASES, "gfx942", flags=("-g",)).payload
    (kernel,) = read_kernels(payload).values()
    args, _ = parameters(payload, kernel.entry)
    assert [(one.name, one.at) for one in args.fields] == [
        ("stride", 0),
        ("as_0", 8),
        ("lengths_0", 16),
        ("lengths_1", 20),
    ]
    assert called(payload, "blocks") == {("rows_", "columns")}
