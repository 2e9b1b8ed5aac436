"""Two thousand random chains: numpy, Python integers, sympy, z3 and compiled C give one offset for each index."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
import sympy
import z3
from hypothesis import HealthCheck, assume, given, seed, settings

from layoutalg.index import c_code, postorder, to_sympy
from layoutalg.index.evaluate import array, values
from layoutalg.layout import TRANSFORMS, TensorDescriptor, make_tensor_coordinate, move_tensor_coordinate
from layoutalg.prove.lowering import BitVectors, Integers
from tests.layout.chains import chains, offset_of

SHARDS, EACH, POINTS = 4, 520, 6
Case = tuple[TensorDescriptor, list[tuple[int, ...]], list[tuple[int, bool]]]


def cases(shard: int) -> list[Case]:
    """The chains of a shard, each with some top indices (the corners among them) and what the reference says there."""
    found: list[Case] = []
    seen: set[TensorDescriptor] = set()

    @seed(shard)
    @settings(
        max_examples=EACH,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(chains())
    def collect(descriptor: TensorDescriptor) -> None:
        assume(descriptor not in seen)
        random = Random(f"{shard} {len(found)}")
        lengths = [int(n) for n in descriptor.lengths]
        tops = [tuple(0 for _ in lengths), tuple(n - 1 for n in lengths)]
        tops += [tuple(random.randrange(n) for n in lengths) for _ in range(POINTS - 2)]
        wanted = [offset_of(descriptor, top) for top in tops]
        agree(descriptor, tops, wanted)
        found.append((descriptor, tops, wanted))
        seen.add(descriptor)

    collect()
    return found


def agree(d: TensorDescriptor, tops: list[tuple[int, ...]], wanted: list[tuple[int, bool]]) -> None:
    """Python integers, numpy, sympy and the moved coordinate say what the reference says."""
    both = [d.offset(d.index), d.valid(d.index)]
    columns = dict(zip(d.index, np.array(tops).T, strict=True))
    assert [tuple(values(both, dict(zip(d.index, top, strict=True)))) for top in tops] == wanted
    offsets, valid = (np.broadcast_to(a, len(tops)).tolist() for a in array(both, columns))
    assert list(zip(offsets, map(bool, valid), strict=True)) == wanted
    if sympy_can(d):
        assert sympy_says(d, tops[-1]) == wanted[-1]
    data = [(top, offset) for top, (offset, is_data) in zip(tops, wanted, strict=True) if is_data]
    coordinate = make_tensor_coordinate(d, data[0][0]) if data else None
    for top, offset in data:
        step = [b - a for a, b in zip(map(int, coordinate.index), top, strict=True)]
        coordinate = move_tensor_coordinate(d, coordinate, step)
        assert int(coordinate.offset) == offset


def sympy_can(d: TensorDescriptor) -> bool:
    """Whether there is no choice: sympy folds choices within conditions, which takes minutes, or raises."""
    return all(node.op != "select" for node in postorder(d.offset(d.index), d.valid(d.index)))


def sympy_says(d: TensorDescriptor, top: tuple[int, ...]) -> tuple[int, bool]:
    """The offset and the validity by sympy's own arithmetic."""
    at = {to_sympy(v): sympy.Integer(n) for v, n in zip(d.index, top, strict=True)}
    offset, valid = (to_sympy(e).xreplace(at) for e in (d.offset(d.index), d.valid(d.index)))
    return int(offset), bool(valid)


def z3_says(d: TensorDescriptor, top: tuple[int, ...]) -> tuple[int, bool]:
    """The offset and the validity in a model where the variables have the index's values."""
    both = [d.offset(d.index), d.valid(d.index)]
    nodes = postorder(*both, *d.index)
    encoding = (BitVectors if any(n.op in ("xor", "and") for n in nodes) else Integers)(nodes)
    unknowns = {v: encoding.unknown(f"{v}") for v in d.index}
    terms = encoding.read(both, unknowns)
    solver = z3.Solver()
    solver.add(*(condition for _, condition in encoding.conditions))
    solver.add(*(u == n for u, n in zip(unknowns.values(), top, strict=True)))
    assert solver.check() == z3.sat
    offset, valid = (solver.model().eval(t, model_completion=True) for t in terms)
    number = offset.as_signed_long() if z3.is_bv(offset) else offset.as_long()
    return number, z3.is_true(valid) if z3.is_bool(valid) else _integer(valid) != 0


def _integer(value: z3.ExprRef) -> int:
    return value.as_signed_long() if z3.is_bv(value) else value.as_long()


def program(found: list[Case]) -> str:
    """A C program that prints each difference from the reference, and how many there are."""
    text, calls = ["#include <stdbool.h>", "#include <stdio.h>", "static int wrong;"], []
    for n, (d, tops, wanted) in enumerate(found):
        body = c_code({"offset": d.offset(d.index), "is_valid": d.valid(d.index)}, bits=64)
        parameters = ", ".join(f"long long {v}" for v in d.index)
        used = "".join(f"(void){v};" for v in d.index)
        text.append(
            f"static void f{n}({parameters}, long long o, int v) {{\n{used}\n{body}\n"
            f'if (offset != o || !is_valid == v) {{ wrong++; printf("chain {n}: %lld\\n", (long long)offset); }} }}'
        )
        calls += [f"f{n}({', '.join(map(str, top))}, {o}, {int(v)});" for top, (o, v) in zip(tops, wanted, strict=True)]
    return "\n".join([*text, "int main(void) {", *calls, 'printf("wrong %d\\n", wrong); return wrong != 0; }'])


@pytest.mark.parametrize("shard", range(SHARDS))
def test_all_readings_agree(shard: int, tmp_path: Path) -> None:
    found = cases(shard)
    assert len(found) >= EACH
    assert sum(sympy_can(d) for d, _, _ in found) > 0.9 * EACH
    for d, tops, wanted in found:
        assert z3_says(d, tops[-1]) == wanted[-1], d
    (tmp_path / "t.c").write_text(program(found))
    command = [sys.executable, "-m", "ziglang", "cc", "-O0", "-w", "-o", "t", "t.c"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    done = subprocess.run([tmp_path / "t"], capture_output=True, text=True, timeout=60)
    assert done.stdout == "wrong 0\n"
    seen = Counter(t.name for d, _, _ in found for t in d.adaptor.transforms)
    assert set(seen) == set(TRANSFORMS), seen
    assert {d.rank for d, _, _ in found} >= {1, 2, 3, 4, 5, 6}
