"""Drawn kernels that move data and compute element by element, beside right equations and near ones: what is proved of
one is so in a run, bit by bit.

| drawn | of |
|---|---|
| rows | one dimension, plain, in a grid-stride loop, several elements of a thread; terms of two inputs |
| tiles | a transposition through LDS: tile, padding, rows of a block at once, type |
| blocks | threads of a block that exchange through LDS by a permutation |
| cubes | three dimensions in another order |

Each text has places in which a mistake may stand; equations are drawn from right and wrong ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest

from layoutalg.audit.audit import audit
from layoutalg.audit.meaning.evaluation import Content, evaluated
from layoutalg.formats import SpecFile
from layoutalg.formats.spec import loads
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import bound
from layoutalg.prove import Proved
from tests.audit.auditing import HIP, kernel
from tests.fuzzing import FIRST, count

TYPES = {"f32": "float", "f16": "_Float16", "i32": "int", "u8": "unsigned char", "f64": "double"}
TARGETS = ("gfx942", "gfx942", "gfx1201")


@dataclass(frozen=True)
class Drawn:
    """A kernel, its launch, the equations, and the sizes of runs."""

    body: str
    launch: str
    equations: tuple[str, ...]
    sizes: tuple[dict[str, int], ...]


def descriptor(name: str, dtype: str, lengths: list[str]) -> str:
    strides = [" * ".join(f"({one})" for one in lengths[k + 1 :]) or "1" for k in range(len(lengths))]
    return (
        f'[[descriptor]]\nname = "{name}"\ndtype = "{dtype}"\nbase = {{ kind = "naive", lengths = {lengths!r}, '
        f"strides = {strides!r} }}\n"
    )


def rows(draw: Random) -> Drawn:
    dtype = draw.choice(["f32", "f32", "f16", "i32", "f64"])
    block = draw.choice([64, 128, 192, 256])
    places = [("i", "i"), ("n - 1 - i", "N - 1 - i"), ("2 * i", "2 * i"), ("2 * i + 1", "2 * i + 1"),
              ("i / 2", "i // 2"), ("i % 7", "i % 7"), ("i + 1", "i + 1")]  # fmt: skip
    zero = "0" if dtype == "i32" else "0.0"
    terms = [("p", "p"), ("p + q", "p + q"), ("p - q", "p - q"), ("q - p", "q - p"), ("p * q + p", "p * q + p"),
             ("p > q ? p : q", "where(p > q, p, q)"), ("-p", "-p"), (f"p + ({TYPES[dtype]})0", f"p + {zero}"),
             ("q * (p + q)", "q * (p + q)"), ("i % 2 ? p : q", "where(i % 2 == 1, p, q)"),
             ("i > 3 ? p : q", "where(i > 3, p, q)")]  # fmt: skip
    if dtype in ("f32", "f64"):
        tail = "f" if dtype == "f32" else ""
        terms += [(f"fmax{tail}(p, q)", "max(p, q)"), (f"fma{tail}(p, q, p)", "fma(p, q, p)"),
                  (f"fabs{tail}(p) * q", "abs(p) * q"), (f"floor{tail}(p)", "floor(p)")]  # fmt: skip
    (place, said), (other, told) = draw.choice(places), draw.choice(places)
    term, wanted = draw.choice(terms)
    guard = draw.choice(["i < n"] * 6 + ["i < n - 1", "i < n && i != 5", "i <= n", "i < n && i % 64 < 63"])
    work = f"{{ T p = x[{place}], q = y[{other}]; o[i] = {term}; }}"
    how = draw.choice(["plain", "plain", "stride", "several", "float2"])
    each, first = 1, f"int i = blockIdx.x * {block} + threadIdx.x;"
    match how:
        case "plain":
            body = f"{first} if ({guard}) {work}"
        case "stride":
            step = draw.choice([f"gridDim.x * {block}", "gridDim.x * blockDim.x", f"gridDim.x * {block} + 1"])
            body = f"for (int i = blockIdx.x * {block} + threadIdx.x; i < n; i += {step}) {work}"
        case "several":
            each = 3
            step = draw.choice([block, block, block - 1])
            body = f"""for (int k = 0; k < 3; ++k) {{
                int i = blockIdx.x * {3 * block} + {draw.choice(["k", "(2 - k)"])} * {step} + threadIdx.x;
                if ({guard}) {work} }}"""
        case _:
            each = 2
            body = f"""for (int k = 0; k < {draw.choice([2, 2, 1])}; ++k) {{
                int i = 2 * (blockIdx.x * {block} + threadIdx.x) + k; if ({guard}) {work} }}"""
    grid = (
        draw.choice(["7", f"(N + {block - 1}) // {block}"])
        if how == "stride"
        else f"(N + {block * each - 1}) // {block * each}"
    )
    equations = set()
    for _ in range(4):
        right = draw.random() < 0.5
        a, b, c = (
            (said, told, wanted) if right else (draw.choice(places)[1], draw.choice(places)[1], draw.choice(terms)[1])
        )
        if draw.random() < 0.3:
            a, b, c = said, told, draw.choice([wanted, draw.choice(terms)[1]])
        text = "".join({"p": f"x[{a}]", "q": f"y[{b}]"}.get(one, one) for one in _words(c))
        equations.add(f"o[i] = {text}")
    launch = "symbols = { N = { min = 2, max = 5000 } }\n" + "".join(
        descriptor(name, dtype, [length]) for name, length in (("x", "2 * N + 1"), ("y", "2 * N + 1"), ("o", "N"))
    )
    launch += f"[launch]\ngrid = ['{grid}', 1, 1]\nblock = [{block}, 1, 1]\narguments = ['x', 'y', 'o', 'N']\n"
    return Drawn(
        f"using T = {TYPES[dtype]};\nextern \"C\" __global__ void k(const T* x, const T* y, T* o, int n) {{ {body} }}",
        launch, tuple(sorted(equations)), tuple({"N": n} for n in (2, 37, 130, 300, 805)),
    )  # fmt: skip


def _words(text: str) -> list[str]:
    found = [""]
    for letter in text:
        if letter.isalnum() != found[-1][-1:].isalnum():
            found.append("")
        found[-1] += letter
    return found


def tiles(draw: Random) -> Drawn:
    dtype, size = draw.choice(["f32", "f16", "f64", "u8"]), draw.choice([8, 16, 32])
    step = draw.choice([one for one in (4, 8, 16, 32) if one <= size and one * size <= 512])
    pad, slip = draw.choice([0, 1, 2]), draw.choice([0] * 5 + [1])
    write, read = "tile[threadIdx.y + k][threadIdx.x]", "tile[threadIdx.x][threadIdx.y + k]"
    if draw.random() < 0.3:
        write, read = draw.choice([(read, write), (write, write), (read, read)])
    barrier = draw.choice(["__syncthreads();"] * 7 + [""])
    guard = draw.choice(["row + k < rows && column < columns"] * 5 + ["row + k < rows - 1 && column < columns"])
    body = f"""__shared__ T tile[{size}][{size + pad}];
        int column = blockIdx.x * {size} + threadIdx.x, row = blockIdx.y * {size} + threadIdx.y;
        for (int k = 0; k < {size}; k += {step}) if ({guard}) {write} = x[(row + k) * columns + column];
        {barrier}
        column = blockIdx.y * {size} + threadIdx.x, row = blockIdx.x * {size} + threadIdx.y;
        for (int k = 0; k < {size - slip * step}; k += {step})
            if (row + k < columns && column < rows) o[(row + k) * rows + column] = {read};"""
    launch = "symbols = { M = { min = 1, max = 3000 }, N = { min = 1, max = 3000 } }\n"
    launch += descriptor("x", dtype, ["M", "N"]) + descriptor("o", dtype, ["N", "M"])
    launch += f"""[launch]
grid = ['(N + {size - 1}) // {size}', '(M + {size - 1}) // {size}', 1]
block = [{size}, {step}, 1]
arguments = ['x', 'o', 'M', 'N']
"""
    wrong = ("x[i, 0]", "x[0, j]", "where(i == M - 1, x[0, j], x[i, j])", "where(i < 20, x[i, j], x[i, 0])")
    equations = tuple(f"o[j, i] = {said}" for said in ("x[i, j]", *wrong))
    sizes = tuple({"M": m, "N": n} for m, n in ((1, 1), (9, 20), (33, 17), (40, 45)))
    head = f'using T = {TYPES[dtype]};\nextern "C" __global__ void k(const T* x, T* o, int rows, int columns)'
    return Drawn(f"{head} {{ {body} }}", launch, equations, sizes)


def blocks(draw: Random) -> Drawn:
    block = draw.choice([64, 128, 256])
    orders = [("T", "T"), (f"{block - 1} - T", f"{block - 1} - T"), (f"(T + 1) % {block}", f"(T + 1) % {block}"),
              (f"T % 8 * {block // 8} + T / 8", f"T % 8 * {block // 8} + T // 8"), ("T & ~3", "T // 4 * 4"),
              ("T / 16 * 16 + 15 - T % 16", "T // 16 * 16 + 15 - T % 16"), ("T ^ 1", "T // 2 * 2 + 1 - T % 2"),
              ("T ^ T / 8 % 8", "T")]  # fmt: skip
    order = draw.choice(orders)
    here = order[0].replace("T", "t")
    swap = f"s[t] = v; __syncthreads(); v = s[{here}]; __syncthreads();"
    if draw.random() < 0.2:
        swap = f"s[{here}] = v; __syncthreads(); v = s[t]; __syncthreads();"
    if draw.random() < 0.15:
        swap = swap.replace("__syncthreads();", "", 1)
    inner = swap * draw.choice([1, 1, 2])
    loop = draw.random() < 0.4
    head = f"int c = 0; c < {draw.choice(['n', 'n', '3'])}; ++c" if loop else "int c = blockIdx.y, d = 0; d < 1; ++d"
    body = f"for ({head}) {{ int i = (blockIdx.x * n + c) * {block} + t; int v = x[i]; {inner} o[i] = v; }}"
    launch = "symbols = { N = { min = 1, max = 50 }, B = { min = 1, max = 50 } }\n"
    launch += descriptor("x", "i32", [f"B * N * {block}"]) + descriptor("o", "i32", [f"B * N * {block}"])
    launch += f"""[launch]
grid = ['B', '{1 if loop else "N"}', 1]
block = [{block}, 1, 1]
arguments = ['x', 'o', 'N']
"""
    said = {one[1].replace("T", f"(i % {block})") for one in (order, *draw.sample(orders, 3))}
    equations = sorted(f"o[i] = x[i // {block} * {block} + {one}]" for one in said)
    head = f'extern "C" __global__ void k(const int* x, int* o, int n) {{ __shared__ int s[{block}];'
    sizes = tuple({"N": n, "B": b} for n, b in ((1, 1), (3, 2), (2, 3)))
    return Drawn(f"{head} int t = threadIdx.x; {body} }}", launch, tuple(equations), sizes)


def cubes(draw: Random) -> Drawn:
    axes = ["i", "j", "k"]
    order = draw.sample(axes, 3)
    said = order if draw.random() < 0.7 else draw.sample(axes, 3)
    lengths = dict(zip(axes, "LMN", strict=True))
    shift = draw.choice(["", "", "", " + 1"])
    constant = {"L": "8", "N": "4"} if draw.random() < 0.5 else {}
    length = {a: constant.get(lengths[a], lengths[a]) for a in axes}
    index = f"((i{shift}) * {length['j']} + j) * {length['k']} + k"
    to = f"({order[0]} * {length[order[1]]} + {order[1]}) * {length[order[2]]} + {order[2]}"
    body = f"""int k = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y, i = blockIdx.z;
        if (k < {length["k"]} && j < {length["j"]} && i < {length["i"]}) o[{to}] = x[{index}];"""
    free = [one for one in "LMN" if one not in constant]
    launch = "symbols = { " + ", ".join(f"{one} = {{ min = 1, max = 200 }}" for one in free) + " }\n"
    launch += descriptor("x", "f32", [f"{length['i']} + 1", length["j"], length["k"]])
    launch += descriptor("o", "f32", [length[a] for a in order])
    launch += f"""[launch]
grid = ['({length["k"]} + 31) // 32', '({length["j"]} + 3) // 4', '{length["i"]}']
block = [32, 4, 1]
arguments = ['x', 'o', {", ".join(repr(one) for one in free)}]
"""
    equations = {f"o[{', '.join(order)}] = x[{at}]" for at in
                 ("i, j, k", "i + 1, j, k", ", ".join(said), "i, j, 0", "i, k, j")}  # fmt: skip
    sizes = tuple({one: draw.randint(1, 9) for one in free} for _ in range(4))
    given = ", ".join(f"int {one}" for one in free)
    return Drawn(f'extern "C" __global__ void k(const float* x, float* o, {given}) {{ {body} }}', launch,
                 tuple(sorted(equations)), sizes)  # fmt: skip


FAMILIES = (rows, tiles, blocks, cubes)


def compiled(text: str, target: str) -> MachineCode:
    return kernel(f"{HIP}{text}\n", target)


def shown_wrong(drawn: Drawn, code: MachineCode, text: str, seed: int) -> str:
    """Where a run differs from an equation; empty where none does."""
    file = claiming(drawn, (text,))
    assert file.launch is not None
    (equation,) = file.launch.computes
    for sizes in drawn.sizes:
        made = bound(file, code.kernel.metadata, sizes, {}, {}, seed)
        before = {
            name: Content(one.read(one.buffer.array), np.asarray(one.places >= 0)) for name, one in made.tensors.items()
        }
        wanted, defined = evaluated(equation, before, sizes, {})
        run = execute(code, made.grid, made.block, made.arguments, 200_000, lds=made.lds)
        (found,) = (
            made.tensors["o"].read(one)
            for each, one in zip(made.passed, run.outputs, strict=True)
            if each is made.tensors["o"]
        )
        alike = (
            (found == wanted) & (np.signbit(found) == np.signbit(wanted))
            if found.dtype.kind == "f"
            else found == wanted
        )
        alike |= (found != found) & (wanted != wanted)
        if not (defined & alike).all():
            return f"{sizes}: {np.argwhere(~(defined & alike))[0]}"
    return ""


def claiming(drawn: Drawn, equations: Sequence[str]) -> SpecFile:
    """The launch with all of these equations; a file has one of a tensor."""
    files = [loads(f"{drawn.launch}writes = ['o']\ncomputes = [{one!r}]\n") for one in equations]
    launch = files[0].launch
    assert launch is not None
    every = tuple(one for file in files if file.launch is not None for one in file.launch.computes)
    return replace(files[0], launch=replace(launch, computes=every))


@pytest.mark.fuzz
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, FIRST + count(12, dear=100)))
def test_what_is_proved_of_a_drawn_kernel_a_run_shows(seed: int) -> None:
    draw = Random(seed)
    drawn = FAMILIES[seed % len(FAMILIES)](draw)
    code = compiled(drawn.body, draw.choice(TARGETS))
    found = audit(code, claiming(drawn, drawn.equations), 20)
    for claim, about, verdict in found.claims:
        if claim == "computes" and isinstance(verdict, Proved):
            assert not shown_wrong(drawn, code, about, seed), (drawn.body, about)
