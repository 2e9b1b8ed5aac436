"""Contractions by einsum string, as products of matrices behind descriptors: no data is moved to reshape.

`"ijk,kjmn->imn"` sums over the letters that the result lacks.  Each letter is of one kind:

| in a | in b | in result | kind | coordinate |
|------|------|-----------|------|------------|
| yes  | yes  | yes       | batch      | g    |
| yes  | no   | yes       | row        | m    |
| no   | yes  | yes       | column     | n    |
| yes  | yes  | no        | contracted | k    |

and the letters of a kind are merged into its coordinate, in one order for all tensors (the result's; for k, that of a).
That a's and b's contracted letters are merged in the same order is what a kernel may get wrong unseen; it is proved,
for each tensor, at each value of every letter: the descriptor finds the element that the einsum means.
Letters that stay neighbours wherever they occur are one letter from the start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod as product_of
from typing import TYPE_CHECKING, Any

from layoutalg.index import Expr, all_of, as_expr, prod, symbol, var
from layoutalg.kernel.library.copies import LARGEST, packed_strides
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.fit import bits_for, widest
from layoutalg.kernel.library.options import DTYPE, RESULT, RESULT_OF, VECTOR, A, B
from layoutalg.kernel.library.plans import Plan, Sizes, tuned
from layoutalg.kernel.library.product import MapElements, MatrixProduct, ProductOperand
from layoutalg.kernel.program import ElementMap, Program, Tensor
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
from layoutalg.layout.mixed_radix import horner
from layoutalg.lazy import lazy
from layoutalg.target.dtypes import KERNEL_DTYPES
from layoutalg.target.elements import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Letters = tuple[str, ...]


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


def contraction(
    einsum: Einsum,
    dtype: str = "f32",
    result: str | None = None,
    *,
    target: str = "cpu",
    plan: Plan | None = None,
    widths: tuple[int, int, int] = (1, 1, 1),
    bias: bool = False,
    relu: bool = False,
    index_bits: int = 32,
    name: str | None = None,
) -> Program:
    """The contraction for all sizes: N_x is the length of letter x.

    `widths`: elements that are moved at a time along the last letter of a, of b and of the result.
    With a bias (one number for each column), and relu, in that order.

    >>> contraction(parse_einsum("ik,kj->ij")).name
    'contraction_ik_kj_ij_f32_fma'
    """
    plan = plan or tuned("contraction", target, dtype, widths[:2] if einsum.kinds[3] else (1, 1))
    tensors = (einsum.a, einsum.b, einsum.result)
    multiples = {x: 1 for t in tensors for x in t}
    for letters, width in zip(tensors, widths, strict=True):
        if letters:
            multiples[letters[-1]] = max(multiples[letters[-1]], width)
    g, m, n, k = einsum.kinds
    if plan.whole:
        for kind, tile in ((m, plan.m * plan.group), (n, plan.n), (k, plan.k)):
            if not kind:
                raise LayoutError(
                    f"einsum {einsum}: whole tiles need letters for rows, columns and what is summed over"
                )
            multiples[kind[-1]] = max(multiples[kind[-1]], tile)
    size = {x: symbol(f"N_{x}", min=1, max=LARGEST, multiple_of=m) for x, m in multiples.items()}
    result = result or dtype
    spaces = [prod([size[x] for x in t]) < 1 << (index_bits - 1) for t in tensors]
    merges = [prod([size[x] for x in kind]) <= LARGEST for kind in (m, n, k) if len(kind) > 1]
    wide = "".join(f"_v{'x'.join(map(str, widths))}" if max(widths) > 1 else "")
    made = f"contraction_{str(einsum).replace(',', '_').replace('->', '_')}"
    extra = f"{'_bias' if bias else ''}{'_relu' if relu else ''}"
    kinds = f"{dtype}{'' if result == dtype else f'_{result}'}"
    short = _short(plan)
    columns = [size[x] for x in n]
    # A bias is read in whole tiles of rows: it is the same in all, and so needs no test of the row.
    whole_rows = (prod([size[x] for x in m]) + (plan.m - 1)) // plan.m * plan.m
    return MatrixProduct(
        f"{name or made}{extra}_{kinds}_{short}{wide}{'_i64' if index_bits == 64 else ''}",
        replace(_operand(einsum.a, (g, m, k), size, widths[0]), guarded=not plan.whole),
        replace(_operand(einsum.b, (g, n, k), size, widths[1]), guarded=not plan.whole),
        view(einsum.result, (g, m, n), size),
        tuple(size.values()), plan, (dtype, result),
        _over_columns(prod(columns), (prod([size[x] for x in g]), whole_rows)) if bias else None, relu,
        widths[2] if einsum.result and einsum.result[-1] in n[-1:] else 1, index_bits, all_of(*spaces, *merges),
        elements_of(einsum.result, (g, m, n), size), not plan.whole,
    ).program()  # fmt: skip


def _short(plan: Plan) -> str:
    """The instruction, and what tells plans with it apart."""
    name = plan.instruction.name
    if plan.direct:
        cut = f"{plan.m}x{plan.n}x{plan.k}{'_whole' if plan.whole else ''}"
        return f"{_instruction(name)}_{cut}"
    return _instruction(name)


def _instruction(name: str) -> str:
    return name.split(".")[3] + "_" + name.split(".")[-2] if name.startswith("mma.sync") else name.split("_f32_")[0]


def _operand(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr], width: int) -> ProductOperand:
    """A tensor of the product; vectors only where its last letter is the last of its kind."""
    last = letters[-1:]
    along_k = bool(last) and last[0] in kinds[2]
    whole = last in [kind[-1:] for kind in kinds[1:]]
    return ProductOperand(view(letters, kinds, size), along_k, width if whole else 1, elements_of(letters, kinds, size))


def view(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr]) -> TensorDescriptor:
    """A packed tensor of these letters, seen in one coordinate for each kind."""
    lengths = [size[x] for x in letters] or [as_expr(1)]
    packed = make_naive_tensor_descriptor(lengths, packed_strides(lengths))
    transforms: list[Transform] = []
    for kind in kinds:
        parts = tuple(size[x] for x in kind)
        transforms.append(Insert(as_expr(1)) if not kind else PassThrough(*parts) if len(kind) == 1 else Merge(parts))
    lower = [[letters.index(x) for x in kind] for kind in kinds]
    upper = [[d] for d in range(len(kinds))]
    if not letters:  # a single number: its one dimension of length 1 is nobody's
        return transform_tensor_descriptor(packed, [PassThrough(lengths[0]), *transforms[1:]], [[0], [], []], upper)
    return transform_tensor_descriptor(packed, transforms, lower, upper)


def _over_columns(columns: Expr, others: Sequence[Expr]) -> TensorDescriptor:
    """One number for each column, whatever the other coordinates."""
    row = make_naive_tensor_descriptor((columns,), (1,))
    inserts = [Insert(n) for n in others]
    return transform_tensor_descriptor(row, [*inserts, PassThrough(columns)], [[], [], [0]], [[0], [1], [2]])


def elements_of(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr]) -> MapElements:
    """What the descriptor means: at the letters' coordinates, the element with those letters."""
    index = {x: var(f"i_{x}", size[x]) for x in letters}

    def elements(tensor: Tensor) -> ElementMap:
        coordinates = tuple(horner([index[x] for x in kind], [size[x] for x in kind]) for kind in kinds)
        offset = horner([index[x] for x in letters], [size[x] for x in letters])
        return ElementMap(tensor, tuple(index.values()), coordinates, offset)

    return elements


# --- launches and entries ---------------------------------------------------------------------------------------------


def contraction_task(
    einsum: str,
    a: Sequence[int],
    b: Sequence[int],
    dtype: str,
    *,
    result: str | None = None,
    target: str = "cpu",
    bias: bool = False,
    relu: bool = False,
    name: str | None = None,
    plan: Plan | None = None,
) -> Task:
    """numpy's einsum of two operands, plus a bias for each column, then relu."""
    plain = parse_einsum(einsum)
    lengths = sizes_of(plain, a, b)
    letters = merged(plain)
    size = {x: product_of(lengths[part] for part in x) for t in (letters.a, letters.b, letters.result) for x in t}
    shape = tuple(lengths[x] for x in plain.result)
    last = [size[t[-1]] if t else 1 for t in (letters.a, letters.b, letters.result)]
    widths = (widest(dtype, last[0]), widest(dtype, last[1]), widest(result or dtype, last[2]))
    kinds = letters.kinds[1:]
    if plan is None and all(kinds):
        each = [[size[x] for x in kind] for kind in kinds]
        sizes = Sizes(
            (product_of(each[0]), product_of(each[1]), product_of(each[2])), (each[0][-1], each[1][-1], each[2][-1])
        )
        plan = tuned("contraction", target, dtype, widths[:2], sizes)
    program = contraction(
        letters, dtype, result, target=target, plan=plan, widths=widths, bias=bias, relu=relu, name=name,
        index_bits=bits_for(product_of(a), product_of(b), product_of(shape)),
    )  # fmt: skip
    return Task(program, {f"N_{x}": n for x, n in size.items()}, shape)


def _emitted(target: str, einsum: str, dtype: str, result: str | None, vector: int) -> Program:
    return contraction(merged(parse_einsum(einsum)), dtype, result, target=target, widths=(vector,) * 3)


def _gemm(target: str, dtype: str, result: str | None, vector: int, bias: bool, relu: bool) -> Program:
    return contraction(
        parse_einsum(GEMM), dtype, result, target=target, widths=(vector,) * 3, bias=bias, relu=relu, name="gemm"
    )


def _work(
    target: str, dtype: str, einsum: str, a: NDArray[Any], b: NDArray[Any], result: str | None,
    bias: NDArray[Any] | None = None, relu: bool = False, name: str | None = None,
) -> Work:  # fmt: skip
    task = contraction_task(
        einsum, a.shape, b.shape, dtype, result=result, target=target, bias=bias is not None, relu=relu, name=name
    )

    def expected() -> NDArray[Any]:
        x, y = (numbers(o, KERNEL_DTYPES[dtype]).astype(np.float64) for o in (a, b))
        found: NDArray[Any] = np.einsum(einsum, x, y, optimize=True)
        found = found if bias is None else found + bias
        return np.maximum(found, 0) if relu else found

    return Work([a, b] if bias is None else [a, b, bias], (task,), expected, exact=False)


GEMM = "mk,kn->mn"
EINSUM = Option("einsum", "text", 'e.g. "ijk,kjmn->imn"')
BIAS = Option("bias", "flag", "Plus a number for each column.", False)
BIASES = Option("bias", "array", "A number (f32) for each column, a .npy file.", None, rank=1, dtype="f32")
RELU = Option("relu", "flag", "Negative results become 0.", False)
KERNELS = (
    Kernel(
        "contraction",
        Command("An einsum of two tensors.", _emitted, (EINSUM, DTYPE, RESULT, VECTOR)),
        Command("An einsum of two tensors.", _work, (EINSUM, A, B, RESULT_OF)),
        golden_for={
            "contraction_f32": lambda target: contraction(merged(parse_einsum("ijk,kjmn->imn")), "f32", target=target),
            "contraction_bf16": lambda target: contraction(
                parse_einsum("bik,bjk->bij"), "bf16", target=target, widths=(8, 8, 8)
            ),
        },
    ),
    Kernel(
        "gemm",
        Command("A matrix product.", _gemm, (DTYPE, RESULT, VECTOR, BIAS, RELU)),
        Command(
            "A matrix product, plus a bias, then relu.",
            lambda **given: _work(einsum=GEMM, name="gemm", **given), (A, B, BIASES, RELU, RESULT_OF),
        ),
        golden_for={"gemm_f16": lambda target: _gemm(target, "f16", None, 8, bias=True, relu=True)},
    ),
)  # fmt: skip
