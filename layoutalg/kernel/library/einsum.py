"""Einsum strings of two operands: which letters are rows, columns, batches, and summed over.

`"ijk,kjmn->imn"` sums over the letters that the result lacks.  Each letter is of one kind:

| in a | in b | in result | kind | coordinate |
|------|------|-----------|------|------------|
| yes  | yes  | yes       | batch      | g    |
| yes  | no   | yes       | row        | m    |
| no   | yes  | yes       | column     | n    |
| yes  | yes  | no        | contracted | k    |

What it cannot represent: diagonals, and sums over one operand alone (reduce that first).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from layoutalg.index import ONE, Expr, var
from layoutalg.index.radix import horner
from layoutalg.kernel.library.copies import packed_strides
from layoutalg.kernel.program import ElementMap, Tensor
from layoutalg.layout import (
    Insert,
    LayoutError,
    Merge,
    PassThrough,
    TensorDescriptor,
    Transform,
    make_naive_tensor_descriptor,
    transform_tensor_descriptor,
)
from layoutalg.records import dataclass

Letters = tuple[str, ...]
MapElements = Callable[[Tensor], ElementMap]


@dataclass(frozen=True)
class Einsum:
    """The letters (each a string: merged letters are one) of a, b and the result."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    result: tuple[str, ...]

    @property
    def kinds(self) -> tuple[tuple[str, ...], ...]:
        """The letters of g, m, n and k, in the order in which they are merged."""
        a, b = set(self.a), set(self.b)
        return (
            tuple(x for x in self.result if x in a and x in b),
            tuple(x for x in self.result if x not in b),
            tuple(x for x in self.result if x not in a),
            tuple(x for x in self.a if x in b and x not in self.result),
        )

    def __str__(self) -> str:
        return f"{''.join(self.a)},{''.join(self.b)}->{''.join(self.result)}"


def parse_einsum(text: str) -> Einsum:
    """The einsum of two operands; LayoutError says what is wrong with the string.

    >>> parse_einsum("ij,jk").kinds
    Traceback (most recent call last):
        ...
    layoutalg.errors.LayoutError: einsum 'ij,jk': two operands and a result are needed, as in "ij,jk->ik"
    """
    if not re.fullmatch(r"[A-Za-z]+,[A-Za-z]+->[A-Za-z]*", text):
        raise LayoutError(f'einsum {text!r}: two operands and a result are needed, as in "ij,jk->ik"')
    inputs, result = text.split("->")
    a, b = inputs.split(",")
    for letters in (a, b, result):
        twice = next((x for x in letters if letters.count(x) > 1), None)
        if twice:
            raise LayoutError(f"einsum {text!r}: {twice!r} occurs twice in {letters!r}; diagonals are not supported")
    for x in result:
        if x not in a + b:
            raise LayoutError(f"einsum {text!r}: {x!r} of the result is in neither operand")
    for x in a + b:
        if x not in result and not (x in a and x in b):
            where = "first" if x in a else "second"
            raise LayoutError(f"einsum {text!r}: {x!r} is summed over in the {where} operand alone; reduce that first")
    return Einsum(tuple(a), tuple(b), tuple(result))


def merged(einsum: Einsum) -> Einsum:
    """The same contraction with neighbours that stay neighbours as one letter.

    >>> str(merged(parse_einsum("ijk,kjmn->imn"))), merged(parse_einsum("ijk,kjmn->imn")).result
    ('ijk,kjmn->imn', ('i', 'mn'))
    """
    tensors = (einsum.a, einsum.b, einsum.result)
    for x in {letter: None for t in tensors for letter in t}:
        following = {t[t.index(x) + 1] if t.index(x) + 1 < len(t) else None for t in tensors if x in t}
        if len(following) == 1 and (y := following.pop()) and all((x in t) == (y in t) for t in tensors):
            joined = [tuple(x + y if z == x else z for z in t if z != y) for t in tensors]
            return merged(Einsum(*joined))
    return einsum


def sizes_of(einsum: Einsum, a: Sequence[int], b: Sequence[int]) -> dict[str, int]:
    """The size of each letter; LayoutError where a rank or two sizes disagree, or one is 0."""
    found: dict[str, int] = {}
    for name, letters, shape in (("first", einsum.a, a), ("second", einsum.b, b)):
        if len(letters) != len(shape):
            raise LayoutError(f"einsum {einsum}: the {name} operand has {len(shape)} dimensions, not {len(letters)}")
        for x, n in zip(letters, shape, strict=True):
            if found.setdefault(x, n) != n:
                raise LayoutError(f"einsum {einsum}: {x!r} is {found[x]} in the first operand and {n} in the second")
            if n < 1:
                raise LayoutError(f"einsum {einsum}: {x!r} has size {n}; there is nothing to compute")
    return found


def view(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr]) -> TensorDescriptor:
    """A packed tensor of these letters, seen in one coordinate for each kind."""
    lengths = [size[x] for x in letters] or [ONE]
    packed = make_naive_tensor_descriptor(lengths, packed_strides(lengths))
    transforms: list[Transform] = []
    for kind in kinds:
        parts = tuple(size[x] for x in kind)
        transforms.append(Insert(ONE) if not kind else PassThrough(*parts) if len(kind) == 1 else Merge(parts))
    lower = [[letters.index(x) for x in kind] for kind in kinds]
    upper = [[d] for d in range(len(kinds))]
    if not letters:  # a single number: its one dimension of length 1 is nobody's
        return transform_tensor_descriptor(packed, [PassThrough(lengths[0]), *transforms[1:]], [[0], [], []], upper)
    return transform_tensor_descriptor(packed, transforms, lower, upper)


def elements_of(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr]) -> MapElements:
    """What the descriptor means: at the letters' coordinates, the element with those letters."""
    index = {x: var(f"i_{x}", size[x]) for x in letters}

    def elements(tensor: Tensor) -> ElementMap:
        coordinates = tuple(horner([index[x] for x in kind], [size[x] for x in kind]) for kind in kinds)
        offset = horner([index[x] for x in letters], [size[x] for x in letters])
        return ElementMap(tensor, tuple(index.values()), coordinates, offset)

    return elements
