"""Random chains: numpy, Python integers, sympy, z3 and compiled C give one offset for each index.

Every reading is asked about every chain at every index; the counts at the end say so.  `make test-matrix` draws
thousands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import numpy as np
import pytest
import sympy
import z3
from hypothesis import HealthCheck, assume, example, given, seed, settings

from layoutalg.index import c_code, postorder, to_sympy
from layoutalg.index.evaluate import array, values
from layoutalg.layout import TRANSFORMS, TensorDescriptor, make_tensor_coordinate, move_tensor_coordinate
from layoutalg.prove.encodings import BitVectors, Integers
from tests.fuzzing import FIRST, KNOWN, count
from tests.layout.chains import chains, convolution, offset_of
from tests.matrix import some
from tests.native import told

SHARDS, POINTS = 4, 6
EACH = count(160, dear=2) // SHARDS
Top = tuple[int, ...]
Says = list[tuple[int, bool]]
"""The offset and the validity at each of some top indices."""
Case = tuple[TensorDescriptor, list[Top], Says]


def integers(d: TensorDescriptor, tops: list[Top]) -> Says:
    """By Python's own integers."""
    both = [d.offset(d.index), d.valid(d.index)]
    found = (values(both, dict(zip(d.index, top, strict=True))) for top in tops)
    return [(offset, bool(valid)) for offset, valid in found]


def by_numpy(d: TensorDescriptor, tops: list[Top]) -> Says:
    """By one evaluation over all indices."""
    columns = dict(zip(d.index, np.array(tops).T, strict=True))
    found = array([d.offset(d.index), d.valid(d.index)], columns)
    offsets, valid = (np.broadcast_to(a, len(tops)).tolist() for a in found)
    return list(zip(offsets, map(bool, valid), strict=True))


def by_sympy(d: TensorDescriptor, tops: list[Top]) -> Says:
    """By sympy's own arithmetic."""
    symbols = [to_sympy(v) for v in d.index]
    offset, valid = to_sympy(d.offset(d.index)), to_sympy(d.valid(d.index))
    points = [dict(zip(symbols, map(sympy.Integer, top), strict=True)) for top in tops]
    return [(int(offset.xreplace(at)), bool(valid.xreplace(at))) for at in points]


def by_z3(d: TensorDescriptor, tops: list[Top]) -> Says:
    """In a model where the variables have the index's values."""
    both = [d.offset(d.index), d.valid(d.index)]
    nodes = postorder(*both, *d.index)
    encoding = (BitVectors if any(n.op in ("xor", "and") for n in nodes) else Integers)(nodes)
    unknowns = {v: encoding.unknown(f"{v}") for v in d.index}
    terms = encoding.read(both, unknowns)
    solver = z3.Solver()
    solver.add(*(condition for _, condition in encoding.conditions))
    found: Says = []
    for top in tops:
        solver.push()
        solver.add(*(u == n for u, n in zip(unknowns.values(), top, strict=True)))
        assert solver.check() == z3.sat
        offset, valid = (solver.model().eval(t, model_completion=True) for t in terms)
        found.append((_integer(offset), z3.is_true(valid) if z3.is_bool(valid) else _integer(valid) != 0))
        solver.pop()
    return found


def _integer(value: z3.ExprRef) -> int:
    return value.as_signed_long() if z3.is_bv(value) else value.as_long()


READINGS: Mapping[str, Callable[[TensorDescriptor, list[Top]], Says]] = {
    "integers": integers, "numpy": by_numpy, "sympy": by_sympy, "z3": by_z3,
}  # fmt: skip
"""Compiled C is the fifth: one program asks it about all chains of a shard."""


def cases(shard: int) -> tuple[list[Case], Counter[str]]:
    """The chains of a shard, each with some top indices (the corners among them) and what the reference says there.

    Each reading has said the same; the counts are of what each was asked.
    """
    found: list[Case] = []
    seen: set[TensorDescriptor] = set()
    asked: Counter[str] = Counter()

    @seed(FIRST + shard)
    @settings(
        max_examples=EACH,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(chains())
    @example(convolution())
    def collect(descriptor: TensorDescriptor) -> None:
        assume(descriptor not in seen)
        random = Random(f"{FIRST + shard} {len(found)}")
        lengths = [int(n) for n in descriptor.lengths]
        tops = [tuple(0 for _ in lengths), tuple(n - 1 for n in lengths)]
        tops += [tuple(random.randrange(n) for n in lengths) for _ in range(POINTS - 2)]
        wanted = [offset_of(descriptor, top) for top in tops]
        for name, says in READINGS.items():
            assert says(descriptor, tops) == wanted, name
        moves(descriptor, tops, wanted)
        asked.update(dict.fromkeys(READINGS, len(tops)))
        found.append((descriptor, tops, wanted))
        seen.add(descriptor)

    collect()
    return found, asked


def moves(d: TensorDescriptor, tops: list[Top], wanted: Says) -> None:
    """A coordinate that moves from index to index of the data has the reference's offsets."""
    if any(t.name == "merge_v4_no_carry" for t in d.adaptor.transforms):
        return  # it moves right below its last length only
    data = [(top, offset) for top, (offset, is_data) in zip(tops, wanted, strict=True) if is_data]
    coordinate = make_tensor_coordinate(d, data[0][0]) if data else None
    for top, offset in data:
        step = [b - a for a, b in zip(map(int, coordinate.index), top, strict=True)]
        coordinate = move_tensor_coordinate(d, coordinate, step)
        assert int(coordinate.offset) == offset


def program(found: list[Case]) -> str:
    """C that tells the number of each chain that differs from the reference, and then how many times it was asked."""
    text, calls = ["static void (*tell)(long long);", "static int asked;"], []
    for n, (d, tops, wanted) in enumerate(found):
        body = c_code({"offset": d.offset(d.index), "is_valid": d.valid(d.index)}, bits=64)
        parameters = ", ".join(f"long long {v}" for v in d.index)
        used = "".join(f"(void){v};" for v in d.index)
        text.append(
            f"static void f{n}({parameters}, long long o, int v) {{\n{used}\n{body}\nasked++;\n"
            f"if (offset != o || !is_valid == v) tell({n}); }}"
        )
        calls += [f"f{n}({', '.join(map(str, top))}, {o}, {int(v)});" for top, (o, v) in zip(tops, wanted, strict=True)]
    return "\n".join([*text, "void run(void (*to)(long long)) {", "tell = to;", *calls, "tell(asked); }"])


@pytest.mark.fuzz
@pytest.mark.parametrize("shard", some(range(SHARDS), 1))
def test_all_readings_agree(shard: int, tmp_path: Path) -> None:
    found, asked = cases(shard)
    assert len(found) >= EACH
    assert asked == {name: POINTS * len(found) for name in READINGS}
    assert told(program(found), tmp_path, "-w") == [POINTS * len(found)]
    seen = Counter(t.name for d, _, _ in found for t in d.adaptor.transforms)
    if KNOWN:
        assert set(seen) == set(TRANSFORMS), seen
        assert {d.rank for d, _, _ in found} >= {1, 2, 3, 4, 5, 6}
