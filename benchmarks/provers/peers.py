"""The peers' way of asking the same questions: ISL, plain numpy, and Triton's linear layouts.

Each function returns a question without arguments that answers True or False; what is measured is the question alone,
not the import and not what is built before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from layoutalg.index import Expr, postorder
from layoutalg.index.evaluate import read, value
from layoutalg.prove.obligation import InjectiveMap
from tests.prove.oracle import enumerate_all

Question = Callable[[], bool]
OPERATIONS = 2_000_000
"""What ISL may spend on one question; it gives up beyond."""


def isl_injective(obligation: InjectiveMap) -> Question:
    """ISL: the map from index to offset as a relation, `is_injective`; bitwise xor as sums of bits modulo 2."""
    import islpy as isl

    names = {v: f"x{n}" for n, v in enumerate(obligation.over)}
    leaves: Mapping[Expr, str] = names
    given, *outputs = read([obligation.given, *obligation.outputs], leaves, _isl_table(obligation.roots))
    ranges = [f"0 <= {x} <= {int(v.hi)}" for v, x in names.items()]
    inside = " and ".join([*ranges, *([given] if obligation.given.op != "const" else [])])
    text = f"{{ [{', '.join(names.values())}] -> [{', '.join(outputs)}] : {inside} }}"
    context = isl.Context()
    context.set_max_operations(OPERATIONS)

    def question() -> bool:
        context.reset_operations()
        return bool(isl.Map.read_from_str(context, text).is_injective())

    return question


def _isl_table(roots: Sequence[Expr]) -> Mapping[str, Callable[..., str]]:
    bits = max((int(n.hi).bit_length() for n in postorder(*roots) if n.op == "xor"), default=0)

    def xor(a: str, b: str) -> str:
        each = [f"{1 << j}*((floor(({a})/{1 << j}) + floor(({b})/{1 << j})) mod 2)" for j in range(bits)]
        return f"({' + '.join(each)})"

    return {
        "const": str,
        "add": lambda *xs: f"({' + '.join(xs)})",
        "mul": lambda a, b: f"{b}*({a})",  # a constant factor stands second here, first there
        "div": lambda a, n: f"floor(({a})/{n})",
        "mod": lambda a, n: f"(({a}) mod {n})",
        "xor": xor,
        "lt": lambda a, b: f"({a}) < ({b})",
        "le": lambda a, b: f"({a}) <= ({b})",
        "all": lambda *xs: " and ".join(xs),
    }


def numpy_bijective(descriptor: Any) -> Question:
    """Every index, by the definitions of the transforms, and how often each offset occurs."""
    size = int(descriptor.element_space_size)

    def question() -> bool:
        e = enumerate_all(descriptor)
        found = e.offsets[e.valid]
        inside = bool(((found >= 0) & (found < size)).all())
        return inside and bool((np.bincount(found, minlength=size) == 1).all())

    return question


def triton_bijective(output: Expr, over: Sequence[Expr]) -> Question | None:
    """Triton's LinearLayout, given the images of the basis; None where Triton is not installed."""
    try:
        from triton._C.libtriton import linear_layout
    except ImportError:
        return None
    zero = dict.fromkeys(over, 0)
    bases = [(str(v), [[value(output, {**zero, v: 1 << n})] for n in range(int(v.hi).bit_length())]) for v in over]
    bits = reduce(lambda a, v: a + int(v.hi).bit_length(), over, 0)

    def question() -> bool:
        layout = linear_layout.LinearLayout.from_bases(bases, ["offset"], [1 << bits], False)
        return bool(layout.is_invertible())

    return question
