"""Epilogues of products: what becomes of the sums c before they are stored, with CK's names for it.

CK's `CDEElementwiseOperation` takes c and one element of each D tensor, and holds scalars; here those are inputs like
the Ds, tensors of one number that every coordinate reads, so that a launch may change them.

| name                 | e =                                 | Ds | scalars        | CK's header              |
|----------------------|-------------------------------------|----|----------------|--------------------------|
| PassThrough          | c                                   | 0  |                | unary                    |
| Scale                | scale · c                           | 0  | scale          | the same                 |
| Relu                 | relu(c)                             | 0  |                | the same                 |
| Add, AddRelu         | c + d0, relu of it                  | 1  |                | binary                   |
| Multiply             | c · d0                              | 1  |                | the same                 |
| ScaleAdd             | scale · c + d0                      | 1  | scale          | the same                 |
| Bilinear             | alpha · c + beta · d0               | 1  | alpha, beta    | the same                 |
| AddAdd, AddReluAdd   | c + d0 + d1, relu(c + d0) + d1      | 2  |                | `element_wise_operation` |
| AddMultiply          | (c + d0) · d1                       | 2  |                | the same                 |
| MultiplyAdd          | c · d0 + d1                         | 2  |                | the same                 |
| MultiplyMultiply     | c · d0 · d1                         | 2  |                | the same                 |
| ScaleAddScaleAddRelu | relu(alpha1 · c + alpha2 · d0 + d1) | 2  | alpha1, alpha2 | the same                 |

The headers are those of `ck/tensor_operation/gpu/element`, `binary` stands for `binary_element_wise_operation.hpp`.

All is computed in f32 and rounded once, when it is stored (some of CK's forms of half_t round in between).  A product
that is added is rounded with the sum, by one fma, as compilers contract CK's; of `alpha · c + beta · d0`, the first.
relu keeps what is no number; CK's gives 0.

What it cannot represent: functions that no GPU has exactly (gelu, silu, hardswish's division, sigmoid): CK's FastGelu
and its kin are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from layoutalg.index import ONE, ZERO, Expr, prod, var
from layoutalg.index.radix import horner
from layoutalg.kernel.library.copies import packed_strides
from layoutalg.kernel.library.einsum import Letters, MapElements
from layoutalg.kernel.program import FUNCTIONS, Compute, ElementMap, Meaning, Read, Tensor
from layoutalg.layout import (
    Freeze,
    Insert,
    LayoutError,
    Merge,
    PassThrough,
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

with lazy_imports():
    import numpy as np
    import numpy.typing as npt


def _add(x: Meaning, y: Meaning) -> Meaning:
    return Compute("add", (x, y))


def _mul(x: Meaning, y: Meaning) -> Meaning:
    return Compute("mul", (x, y))


def _fma(x: Meaning, y: Meaning, z: Meaning) -> Meaning:
    return Compute("fma", (x, y, z))


def _relu(x: Meaning) -> Meaning:
    return Compute("relu", (x,))


@dataclass(frozen=True)
class EpilogueRule:
    """How many D tensors, which scalars, and e as a meaning: of c, the Ds, then the scalars."""

    ds: int
    scalars: tuple[str, ...]
    meaning: Callable[..., Meaning]

    @property
    def alone(self) -> bool:
        """Whether it is of the sums alone."""
        return not (self.ds or self.scalars)


EPILOGUES: Mapping[str, EpilogueRule] = {
    "PassThrough": EpilogueRule(0, (), lambda c: c),
    "Scale": EpilogueRule(0, ("scale",), lambda c, scale: _mul(scale, c)),
    "Relu": EpilogueRule(0, (), _relu),
    "Add": EpilogueRule(1, (), _add),
    "AddRelu": EpilogueRule(1, (), lambda c, d: _relu(_add(c, d))),
    "Multiply": EpilogueRule(1, (), _mul),
    "ScaleAdd": EpilogueRule(1, ("scale",), lambda c, d, scale: _fma(scale, c, d)),
    "Bilinear": EpilogueRule(1, ("alpha", "beta"), lambda c, d, alpha, beta: _fma(alpha, c, _mul(beta, d))),
    "AddAdd": EpilogueRule(2, (), lambda c, d0, d1: _add(_add(c, d0), d1)),
    "AddReluAdd": EpilogueRule(2, (), lambda c, d0, d1: _add(_relu(_add(c, d0)), d1)),
    "AddMultiply": EpilogueRule(2, (), lambda c, d0, d1: _mul(_add(c, d0), d1)),
    "MultiplyAdd": EpilogueRule(2, (), _fma),
    "MultiplyMultiply": EpilogueRule(2, (), lambda c, d0, d1: _mul(_mul(c, d0), d1)),
    "ScaleAddScaleAddRelu": EpilogueRule(
        2, ("alpha1", "alpha2"), lambda c, d0, d1, alpha1, alpha2: _relu(_add(_fma(alpha1, c, _mul(alpha2, d0)), d1))
    ),
}
"""Every epilogue, by CK's name."""


def epilogue_named(name: str) -> EpilogueRule:
    """The epilogue of that name; LayoutError says which there are.

    >>> epilogue_named("Bilinear").scalars
    ('alpha', 'beta')
    """
    if name not in EPILOGUES:
        raise LayoutError(f"no epilogue {name!r}; there are {', '.join(EPILOGUES)}")
    return EPILOGUES[name]


@dataclass(frozen=True)
class ProductD:
    """A D tensor of an epilogue: its letters, of the result's; it is the same along those that it lacks."""

    letters: Letters
    dtype: str
    name: str


@dataclass(frozen=True)
class Epilogue:
    """What is done with the sums, by CK's name, and the D tensors that it takes; LayoutError for more or fewer.

    >>> Epilogue("Add", (ProductD(("n",), "f32", "bias"),)).rule.ds
    1
    """

    name: str = "PassThrough"
    ds: tuple[ProductD, ...] = ()

    def __post_init__(self) -> None:
        if len(self.ds) != self.rule.ds:
            raise LayoutError(f"{self.name} takes {self.rule.ds} D tensors, not {len(self.ds)}")

    @property
    def rule(self) -> EpilogueRule:
        """What the name says."""
        return epilogue_named(self.name)


PASS_THROUGH = Epilogue()


def d_tensors(result: Letters, epilogue: str, dtype: str, letters: str = "") -> tuple[ProductD, ...]:
    """The Ds of an epilogue: of all the result's letters, or as told, by commas; LayoutError where they do not fit.

    >>> [d.letters for d in d_tensors(("i", "m"), "AddMultiply", "f32", "im,m")]
    [('i', 'm'), ('m',)]
    """
    count = epilogue_named(epilogue).ds
    given = letters.split(",") if letters else ["".join(result)] * count
    if len(given) != count:
        raise LayoutError(f"{epilogue} takes {count} D tensors, not {len(given)}")
    for d in given:
        if len(set(d)) < len(d) or not set(d) <= set("".join(result)):
            raise LayoutError(f"D tensor {d!r}: each letter once, of the result's {''.join(result)!r}")
    return tuple(ProductD(_as_in(result, d), dtype, f"d{n}") for n, d in enumerate(given))


def _as_in(result: Letters, d: str) -> Letters:
    """The letters of a D, those together that are one letter of the result."""
    found, rest = list[str](), d
    while rest:
        found.append(next((x for x in result if rest.startswith(x)), rest[0]))
        rest = rest[len(found[-1]) :]
    return tuple(found)


def broadcast(
    letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr], tile: tuple[int, ...]
) -> TensorDescriptor:
    """A packed tensor of these letters in one coordinate for each kind, the same along the letters that it lacks.

    A coordinate of which it has no letter is as long as whole tiles: it is the same in all, and needs no test there.
    """
    lengths = [size[x] for x in letters] or [ONE]
    packed = make_naive_tensor_descriptor(lengths, packed_strides(lengths))
    own = [kind for kind in kinds if set(kind) & set(letters)]
    lacked = [x for kind in own for x in kind if x not in letters]
    held: list[Transform] = list(map(PassThrough, lengths)) if letters else [Freeze(ZERO)]
    order = [*letters, *lacked]
    lower = [[n] for n in range(len(lengths))] + [[] for _ in lacked]
    seen = transform_tensor_descriptor(
        packed, [*held, *(Insert(size[x]) for x in lacked)], lower, [[n] for n in range(len(order))] or [[]]
    )
    transforms: list[Transform] = []
    for kind, step in zip(kinds, tile, strict=True):
        parts = tuple(size[x] for x in kind)
        whole = (prod(parts) + (step - 1)) // step * step
        transforms.append(Insert(whole) if kind not in own else PassThrough(*parts) if len(kind) == 1 else Merge(parts))
    below = [[order.index(x) for x in kind] if kind in own else [] for kind in kinds]
    return transform_tensor_descriptor(seen, transforms, below, [[d] for d in range(len(kinds))])


def broadcast_elements(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr]) -> MapElements:
    """What such a descriptor means: at the letters' coordinates, whatever those that it lacks, its own element."""
    index = {x: var(f"i_{x}", size[x]) for kind in kinds for x in kind}

    def elements(tensor: Tensor) -> ElementMap:
        coordinates = tuple(horner([index[x] for x in kind], [size[x] for x in kind]) for kind in kinds)
        offset = horner([index[x] for x in letters], [size[x] for x in letters])
        return ElementMap(tensor, tuple(index.values()), coordinates, offset)

    return elements


def scalars_of(epilogue: str, text: str) -> list[npt.NDArray[Any]]:
    """An epilogue's scalars as text has them, by commas, each an array of one f32."""
    names = epilogue_named(epilogue).scalars
    given = text.split(",") if text else []
    if len(given) != len(names):
        raise LayoutError(f"{epilogue} takes {len(names)} scalars ({', '.join(names)}), not {len(given)}")
    try:
        return [np.array([float(one)], dtype=np.float32) for one in given]
    except ValueError:
        raise LayoutError(f"scalars {text!r}: numbers, by commas") from None


def finished(epilogue: str, given: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """An epilogue of arrays: the sums, the Ds and the scalars, which broadcast together."""
    names = [Tensor(f"{n}", DTYPES["f32"], _ONE, ("x",)) for n in range(len(given))]
    values = dict(zip(names, given, strict=True))

    def computed(meaning: Meaning) -> npt.NDArray[Any]:
        if isinstance(meaning, Read):
            return values[meaning.tensor]
        assert isinstance(meaning, Compute)
        return np.asarray(FUNCTIONS[meaning.function].numbers(*map(computed, meaning.operands)))

    return computed(epilogue_named(epilogue).meaning(*map(Read, names)))


_ONE = make_naive_tensor_descriptor((1,), (1,))
