"""hip_vector_types.h and hip_complex.h, carried out: operators go element by element, as numpy's do."""

from __future__ import annotations

import re

import numpy as np
import pytest

from layoutalg.device import CompileError, compile_source
from tests.device.hip import TARGETS, Array, run
from tests.matrix import each

ON = pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "longlong": "i8", "ulonglong": "u8", "float": "f4", "double": "f8",
}  # fmt: skip
ARITHMETIC = {
    "a + b": lambda a, b: a + b, "a - b": lambda a, b: a - b, "a * b": lambda a, b: a * b, "a / b": lambda a, b: a / b,
    "a += b, a": lambda a, b: a + b, "a -= 3, a": lambda a, b: a - 3, "a *= b, a": lambda a, b: a * b,
    "a /= 2, a": lambda a, b: a / 2,
    "a + 2": lambda a, b: a + 2, "3 * b": lambda a, b: 3 * b, "7 - a": lambda a, b: 7 - a, "++a": lambda a, b: a + 1,
    "a--": lambda a, b: a, "(a--, a)": lambda a, b: a - 1,
}  # fmt: skip
INTEGERS = {
    "a % b": lambda a, b: a % b, "a ^ b": lambda a, b: a ^ b, "a | b": lambda a, b: a | b, "a & 5": lambda a, b: a & 5,
    "a << 1": lambda a, b: a << 1, "a >> b": lambda a, b: a >> b, "a %= 3, a": lambda a, b: a % 3,
    "~a": lambda a, b: ~a,
}  # fmt: skip


def carried_out(kind: str, dtype: str, count: int, calls: list[str], given: tuple[Array, Array], target: str) -> Array:
    """Of each call of vectors a, b the vector that comes of it, each in four elements' room."""
    lanes, vector, made = len(given[0]), f"{kind}{count}", f"make_{kind}{count}"
    element = {"u": "unsigned "}.get(kind[0], "") + kind.removeprefix("u").replace("longlong", "long long")
    loads = [f"{made}({', '.join(f'{name}[4 * i + {k}]' for k in range(count))})" for name in "pq"]
    stores = "".join(f"o[at + {k}] = r.{member}; " for k, member in enumerate("xyzw"[:count]))
    body = "".join(
        f"{{ {vector} a = {loads[0]}, b = {loads[1]}, r = ({call}); long at = {4 * lanes * n} + 4 * i; {stores}}} "
        for n, call in enumerate(calls)
    )
    rooms = [np.pad(array, ((0, 0), (0, 4 - count))) for array in given]
    out = np.zeros((len(calls), lanes, 4), dtype)
    parameters = f"const {element}* p, const {element}* q, volatile {element}* o"
    return run("hip_runtime", parameters, body, [*rooms, out], lanes, target)[2][..., :count]


@ON
@pytest.mark.parametrize("count", each([1, 2, 3, 4], 3))
@pytest.mark.parametrize("kind", each(TYPES, "float", "uchar"))
def test_operators_go_element_by_element(kind: str, count: int, target: str) -> None:
    dtype = np.dtype(TYPES[kind])
    rng = np.random.default_rng(7)
    if dtype.kind == "f":
        a, b = rng.standard_normal((2, 256, count)).astype(dtype)
    else:
        a, b = rng.integers(4, 40, (256, count)).astype(dtype), rng.integers(1, 5, (256, count)).astype(dtype)
    table = ARITHMETIC if dtype.kind == "f" else ARITHMETIC | INTEGERS
    for call, found in zip(table, carried_out(kind, TYPES[kind], count, list(table), (a, b), target), strict=True):
        expected = table[call](a, b)
        if dtype.kind != "f" and "/" in call:
            expected = a // (b if "b" in call else 2)
        np.testing.assert_array_equal(found, expected.astype(dtype), f"{kind}{count}: {call}")


@ON
def test_vectors_are_equal_where_all_elements_are(target: str) -> None:
    rng = np.random.default_rng(8)
    for kind, count in (("int", 2), ("float", 3), ("uchar", 4), ("short", 1)):
        dtype = TYPES[kind]
        a, b = rng.integers(0, 2, (2, 256, count)).astype(dtype)
        body = f"{kind}{count} x = a[i], y = b[i]; o[i] = (x == y) + 2 * (x != y) + 4 * (x == 1) + 8 * (0 != y);"
        parameters = f"const {kind}{count}* a, const {kind}{count}* b, int* o"
        *_, o = run("hip_runtime", parameters, body, [a, b, np.zeros(256, np.int32)], 256, target)
        equal, ones, zeros = (a == b).all(1), (a == 1).all(1), (b == 0).all(1)
        assert np.array_equal(o, np.where(equal, 1, 2) + 4 * ones + 8 * ~zeros)


@ON
def test_vectors_lie_in_memory_as_hip_lays_them(target: str) -> None:
    """Of three one after the other, as arrays of their elements."""
    x = np.arange(256 * 3, dtype=np.float32)
    body = "float3 v = x[i]; float* p = &v.y; *p += 0.5f; float& z = v.z; z = -z; v.data[0] *= 2; x[i] = v;"
    (found,) = run("hip_runtime", "float3* x", body, [x], 256, target)
    expected = x.reshape(-1, 3) * np.float32([2, 1, -1]) + np.float32([0, 0.5, 0])
    np.testing.assert_array_equal(found.reshape(-1, 3), expected)


def test_integers_alone_have_bits_and_signed_ones_a_sign() -> None:
    calls = ("f % f", "f << f", "~f", "-u", "f ^ 1")
    body = "".join(f"auto r{k} = {call}; " for k, call in enumerate(calls))
    with pytest.raises(CompileError) as refused:
        compile_source(f"#include <hip/hip_runtime.h>\n__global__ void k(float4 f, uint2 u) {{ {body}}}\n", "gfx942")
    assert len(re.findall("error: invalid (?:operands|argument)", refused.value.output)) == len(calls)


COMPLEX = {
    "hipCmul{}(p, q)": lambda p, q: p * q, "hipCadd{}(p, q)": lambda p, q: p + q, "hipCsub{}(p, q)": lambda p, q: p - q,
    "hipCdiv{}(p, q)": lambda p, q: p / q, "hipConj{}(p)": lambda p, q: np.conj(p),
    "hipCfma{}(p, q, p)": lambda p, q: p * q + p,
    "make_hip{}Complex(hipCabs{}(p), hipCsqabs{}(q))": lambda p, q: np.abs(p) + 1j * np.abs(q) ** 2,
    "make_hip{}Complex(hipCimag{}(p), hipCreal{}(q))": lambda p, q: p.imag + 1j * q.real,
}  # fmt: skip


@ON
@pytest.mark.parametrize(("name", "ending", "dtype"), [("Float", "f", "c8"), ("Double", "", "c16")])
def test_complex_numbers_are_computed_as_such(name: str, ending: str, dtype: str, target: str) -> None:
    p, q = (np.random.default_rng(9).standard_normal((2, 256, 2)) @ [1, 1j]).astype(dtype)
    kind = f"hip{name}Complex"
    calls = [c.replace("make_hip{}", f"make_hip{name}").replace("{}", ending) for c in COMPLEX]
    body = f"{kind} p = p_[i], q = q_[i];" + "".join(f"o[{256 * k} + i] = {c};" for k, c in enumerate(calls))
    parameters = f"const {kind}* p_, const {kind}* q_, {kind}* o"
    *_, o = run("hip_complex", parameters, body, [p, q, np.zeros((len(calls), 256), dtype)], 256, target)
    for call, found, function in zip(calls, o, COMPLEX.values(), strict=True):
        np.testing.assert_allclose(found, function(p, q), rtol=1e-5 if ending else 1e-13, err_msg=call)
