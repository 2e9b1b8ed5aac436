"""What is measured: for each kernel the shapes that its goals name, smaller ones for the CPU, and the candidates.

A case is an operation on tensors of given shapes, with no word about how; a candidate is one way to do it, a row of
launches that are proved.  What must be moved and computed at least is the case's:

| case         | bytes                    | operations      |
|--------------|--------------------------|-----------------|
| copies       | source once, target once | none            |
| reduce       | source once, target once | one an element  |
| products     | operands and result once | 2·m·n·k         |
| attention    | operands and result once | 4·g·m·n·d, half of it where keys end at the row |

It cannot say that a candidate is right: that is for the proofs, and for the check before each measurement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from layoutalg.kernel.library import kernels
from layoutalg.kernel.library.entry import Task, Work
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

Rival = Callable[[list[Any], Any], Callable[[], object]]
"""What a user would call instead: given operands and a target, the work to time."""


@dataclass(frozen=True)
class Case:
    """An operation on tensors of these shapes; `options` are those of the kind (axes, einsum, filter, stride …)."""

    kind: str
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How tables call it.

        >>> Case("permute", ((8, 64, 3136),), "f32", {"axes": (0, 2, 1)}).name
        'permute 8x64x3136 f32 0,2,1'
        """
        shapes = " ".join("x".join(map(str, shape)) for shape in self.shapes)
        return " ".join((self.kind, shapes, self.dtype, *map(_text, self.options.values())))

    def work(self, operands: Sequence[Any], target: str = "cpu") -> Work:
        """What the library launches for it on these operands, and what numpy says of the result."""
        run = kernels()[self.kind].run
        arrays = (option.name for option in run.options if option.kind == "array")
        named = dict(zip(arrays, operands, strict=False))
        return run.of(target=target, dtype=self.dtype, **named, **self.options)

    def _of_zeros(self, target: str) -> Work:
        kind = DTYPES[self.dtype].numpy
        return self.work([np.broadcast_to(np.zeros((), kind), shape) for shape in self.shapes], target)

    def tasks(self, target: str) -> tuple[Task, ...]:
        """The library's launches on a target."""
        return self._of_zeros(target).tasks

    @cached_property
    def exact(self) -> bool:
        """Whether the result is what is moved, to the bit; else it is computed, and rounded."""
        return self._of_zeros(HAVING.get(self.kind, "cpu")).exact

    @cached_property
    def result(self) -> tuple[int, ...]:
        """The result's shape."""
        return self.tasks(HAVING.get(self.kind, "cpu"))[-1].shape

    @property
    def bytes(self) -> int:
        """The least that is read and written: each operand and the result once."""
        return DTYPES[self.dtype].bytes * (sum(map(math.prod, self.shapes)) + math.prod(self.result))

    @property
    def largest(self) -> int:
        """Elements of its largest tensor: what a copy or a reduction loads, with repetitions (im2col)."""
        return max(map(math.prod, (*self.shapes, self.result)))

    @property
    def operations(self) -> int:
        """Multiplications and additions of a product; 0 for the other kinds, which memory limits."""
        if self.kind == "contraction":
            a, b = self.options["einsum"].split("->")[0].split(",")
            lengths = dict(zip((*a, *b), (*self.shapes[0], *self.shapes[1]), strict=True))
            return 2 * math.prod(lengths.values())
        if self.kind == "conv":
            return 2 * math.prod(self.result) * math.prod(self.shapes[1][1:])
        if self.kind == "attention":
            return 4 * math.prod(self.shapes[0]) * self.shapes[1][1] // (2 if self.options["causal"] else 1)
        return 0

    def to_json(self) -> dict[str, Any]:
        """The case as a JSON object."""
        return {"kind": self.kind, "shapes": self.shapes, "dtype": self.dtype, "options": dict(self.options)}

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> Case:
        """The case of a JSON object.

        >>> Case.of_json(small()[0].to_json()) == small()[0]
        True
        """
        options = {name: tuple(v) if isinstance(v, list) else v for name, v in found["options"].items()}
        return cls(found["kind"], tuple(map(tuple, found["shapes"])), found["dtype"], options)


def _text(option: Any) -> str:
    return ",".join(map(str, option)) if isinstance(option, tuple) else str(option)


_TINY, _SMALL, _BIG = (4, 6, 8, 10, 12), (16, 24, 32, 40, 48), (64, 48, 128, 64)


def full() -> list[Case]:
    """The shapes for a GPU."""
    squares = [(n, n) for n in (4096, 8192, 16384)]
    orders = [
        ((32, 64, 112, 112), (0, 2, 3, 1)), ((32, 112, 112, 64), (0, 3, 1, 2)), (_BIG, (3, 2, 1, 0)),
        (_BIG, (2, 0, 3, 1)), (_BIG, (1, 0, 2, 3)), (_SMALL, (4, 3, 2, 1, 0)), (_SMALL, (0, 2, 1, 4, 3)),
        (_SMALL, (2, 0, 4, 1, 3)),
    ]  # fmt: skip
    return [
        *(Case("transpose", (s,), t) for t in ("f32", "f16") for s in (*squares, (2560, 32), (10240, 8191))),
        *(Case("permute", (shape,), "f32", {"axes": axes}) for shape, axes in orders),
        *(Case("permute", (shape,), "f16", {"axes": axes}) for shape, axes in (orders[0], orders[5], orders[7])),
        _im2col((32, 56, 56, 64), "f16"), _im2col((32, 56, 56, 64), "f32"),
        *(
            Case("reduce", (shape,), t, {"axes": (axis,), "how": how})
            for t, shape, axis, how in (
                ("f32", (8192, 8192), 1, "sum"), ("f32", (8192, 8192), 0, "sum"), ("f32", (8192, 8192), 1, "max"),
                ("f32", (64, 512, 1024), 1, "max"), ("f32", (1 << 20, 64), 1, "sum"), ("f32", (1 << 26,), 0, "max"),
                ("f16", (8192, 8192), 1, "sum"), ("f16", (8192, 8192), 0, "sum"),
            )
        ),
        *(_product(einsum, 4096) for einsum in ("ik,jk->ij", "ik,kj->ij")),
        _conv((32, 56, 56, 64), 64), _conv((32, 56, 56, 128), 128), _conv((32, 28, 28, 256), 256),
        *(_attention(64, 4096, head, causal) for head in (64, 128) for causal in (False, True)),
    ]  # fmt: skip


def small() -> list[Case]:
    """Small shapes of each kind, for the CPU."""
    return [
        Case("transpose", ((517, 301),), "f32"), Case("transpose", ((256, 256),), "f16"),
        Case("permute", (_TINY,), "f32", {"axes": (4, 3, 2, 1, 0)}),
        _im2col((1, 10, 12, 8), "f32"),
        Case("reduce", ((300, 70),), "f32", {"axes": (1,), "how": "sum"}),
        _product("ik,kj->ij", 96, "f32"), _conv((1, 9, 9, 8), 8, "f32"),
    ]  # fmt: skip


def _im2col(image: tuple[int, ...], dtype: str) -> Case:
    return Case("im2col", (image,), dtype, {"filter": (3, 3), "stride": (1, 1), "pad": (1, 1)})


def _product(einsum: str, n: int, dtype: str = "f16") -> Case:
    return Case("contraction", ((n, n), (n, n)), dtype, {"einsum": einsum})


def _conv(image: tuple[int, ...], outputs: int, dtype: str = "f16") -> Case:
    return Case("conv", (image, (outputs, 3, 3, image[-1])), dtype, {"stride": (1, 1), "pad": (1, 1)})


def _attention(batches: int, n: int, head: int, causal: bool) -> Case:
    return Case("attention", ((batches, n, head),) * 3, "f16", {"causal": causal})


HAVING = {"attention": "gfx942"}
"""A target that has a kind's programs, of those that the CPU has not."""
KINDS = tuple(dict.fromkeys(case.kind for case in full()))
"""The kernels that are measured, by their names in the library."""
