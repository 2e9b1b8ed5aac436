"""Contractions by einsum string, as products of matrices behind descriptors: no data is moved to reshape.

The letters of a kind (`einsum`) are merged into its coordinate, in one order for all tensors (the result's; for k, that
of a).  That a's and b's contracted letters are merged in the same order is what a kernel may get wrong unseen; it is
proved, for each tensor, at each value of every letter: the descriptor finds the element that the einsum means.
Letters that stay neighbours wherever they occur are one letter from the start.  Then an epilogue (`epilogues`): a
function of the sums, of D tensors that have some of the result's letters, and of scalars.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod as product_of
from string import ascii_letters
from typing import Any

from layoutalg.index import Expr, all_of, prod, symbol
from layoutalg.kernel.access.matrix_loads import transposing
from layoutalg.kernel.library.block_order import ordered, parts_for, plan_name
from layoutalg.kernel.library.copies import LARGEST
from layoutalg.kernel.library.einsum import Einsum, Letters, elements_of, merged, parse_einsum, sizes_of, view
from layoutalg.kernel.library.entry import Command, Kernel, Option, Task, Work
from layoutalg.kernel.library.epilogues import (
    PASS_THROUGH,
    Epilogue,
    ProductD,
    broadcast,
    broadcast_elements,
    d_tensors,
    finished,
    scalars_of,
)
from layoutalg.kernel.library.fit import bits_for, widest
from layoutalg.kernel.library.options import DTYPE, RESULT, RESULT_OF, VECTOR, A, B
from layoutalg.kernel.library.plans import Plan, ProblemShape, enlarged, packed, ranged, tuned
from layoutalg.kernel.library.product import MatrixProduct, ProductExtra, ProductOperand
from layoutalg.kernel.library.reduce import reduce_tasks
from layoutalg.kernel.obligations.memory import RANGE, RANGED_BYTES
from layoutalg.kernel.program import Program
from layoutalg.layout import LayoutError
from layoutalg.lazy import lazy_imports
from layoutalg.target.dtypes import KERNEL_DTYPES, OPERAND_DTYPES
from layoutalg.target.elements import numbers
from layoutalg.target.known import formats_of, is_tiled

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

BEHIND = 1 << 10
"""Bytes that a tile of rows of k may begin behind a tensor's end: a turn of the loop, at most."""


def contraction(
    einsum: Einsum,
    dtype: str = "f32",
    result: str | None = None,
    *,
    target: str = "cpu",
    plan: Plan | None = None,
    widths: tuple[int, int, int] = (1, 1, 1),
    epilogue: Epilogue = PASS_THROUGH,
    index_bits: int = 32,
    name: str | None = None,
) -> Program:
    """The contraction for all sizes: N_x is the length of letter x.

    `widths`: elements that are moved at a time along the last letter of a, of b and of the result.
    `epilogue`: what is done with the sums.

    >>> contraction(parse_einsum("ik,kj->ij")).name
    'contraction_ik_kj_ij_f32_fma'
    """
    held = widths[:2] if einsum.kinds[3] else (1, 1)
    plan = plan or _plan(einsum, dtype, target, held, index_bits)
    tensors = (einsum.a, einsum.b, einsum.result)
    result = result_of(dtype, result)
    g, m, n, k = einsum.kinds
    multiples = _multiples(einsum, widths, plan)
    size = {x: symbol(f"N_{x}", min=1, max=LARGEST, multiple_of=m) for x, m in multiples.items()}
    bytes_each = OPERAND_DTYPES[dtype].bytes if plan.ranged or plan.straight else 1
    behind = plan.turn if plan.straight and not plan.whole else 0  # a tile may begin so far behind its tensor
    most = [(1 << (index_bits - 1)) // bytes_each - behind] * 2 + [1 << (index_bits - 1)]
    spaces = [prod([size[x] for x in t]) < n for t, n in zip(tensors, most, strict=True)]
    merges = [prod([size[x] for x in kind]) <= LARGEST for kind in (m, n, k) if len(kind) > 1]
    wide = f"_v{'x'.join(map(str, widths))}" if max(widths) > 1 else ""
    made = f"contraction_{str(einsum).replace(',', '_').replace('->', '_')}"
    made += "" if epilogue == PASS_THROUGH else f"_{epilogue.name.lower()}"
    kinds = f"{dtype}{'' if result == dtype else f'_{result}'}"
    short = plan_name(plan, dtype)
    stored = widths[2] if einsum.result and einsum.result[-1] in n[-1:] else 1
    scalars = [ProductD((), "f32", scalar) for scalar in epilogue.rule.scalars]
    extras = [
        ProductExtra(
            d.name, d.dtype, broadcast(d.letters, (g, m, n), size, (1, plan.m, plan.n)),
            broadcast_elements(d.letters, (g, m, n), size), stored > 1 and d.letters[-1:] == einsum.result[-1:],
        )
        for d in (*epilogue.ds, *scalars)
    ]  # fmt: skip
    return MatrixProduct(
        f"{name or made}_{kinds}_{short}{wide}{'_i64' if index_bits == 64 else ''}",
        replace(_operand(einsum.a, (g, m, k), size, widths[0]), guarded=not plan.whole),
        replace(_operand(einsum.b, (g, n, k), size, widths[1]), guarded=not plan.whole),
        view(einsum.result, (g, m, n), size),
        tuple(size.values()), plan, (dtype, result),
        epilogue.rule.meaning, tuple(extras), stored, index_bits, all_of(*spaces, *merges),
        elements_of(einsum.result, (g, m, n), size), not plan.whole,
    ).program()  # fmt: skip


def result_of(dtype: str, result: str | None) -> str:
    """The result's element type: that of the operands unless given; f32 of such as no kernel computes with.

    >>> result_of("f16", None), result_of("f8", None), result_of("f8", "f16")
    ('f16', 'f32', 'f16')
    """
    return result or (dtype if dtype in KERNEL_DTYPES else "f32")


def _multiples(einsum: Einsum, widths: tuple[int, int, int], plan: Plan) -> dict[str, int]:
    """What divides each letter's length: vectors, and tiles where they must be whole."""
    tensors = (einsum.a, einsum.b, einsum.result)
    multiples = {x: 1 for t in tensors for x in t}
    for letters, width in zip(tensors, widths, strict=True):
        if letters:
            multiples[letters[-1]] = max(multiples[letters[-1]], width)
    if plan.whole:
        for kind, tile in zip(einsum.kinds[1:], (plan.m * plan.group, plan.n, plan.turn), strict=True):
            if not kind:
                raise LayoutError(
                    f"einsum {einsum}: whole tiles need letters for rows, columns and what is summed over"
                )
            multiples[kind[-1]] = max(multiples[kind[-1]], tile)
    return multiples


def _walked(einsum: Einsum, index_bits: int) -> bool:
    """Whether each coordinate of the operands is one letter, so that it has one stride, and fits 32 bits."""
    return index_bits == 32 and all(len(kind) <= 1 for kind in einsum.kinds)


def _plan(
    einsum: Einsum, dtype: str, target: str, widths: tuple[int, int], index_bits: int,
    sizes: ProblemShape | None = None, alone: bool = False, few: bool = False,
) -> Plan:  # fmt: skip
    """The library's own; `alone`: an epilogue takes no registers, so that a large tile has them for its sums.

    `few`: a and b are known to be of so much less than 2³¹ bytes that a tile may begin behind them.
    """
    walked = _walked(einsum, index_bits)
    _, m, n, k = einsum.kinds
    along_k = all(set(letters[-1:]) & set(k) for letters in (einsum.a, einsum.b))
    rows = all(set(of[-1:]) & {*kind, *k} for of, kind in ((einsum.a, m), (einsum.b, n)))
    straight = along_k or (rows and bool(transposing(target, OPERAND_DTYPES[dtype].bits)))
    plan = tuned("contraction", target, dtype, widths, sizes, walked, walked and few and straight)
    if plan.straight and not (plan.whole or along_k):  # a tile may begin rows behind its tensor, out of reach
        plan = tuned("contraction", target, dtype, widths, sizes, walked)
    whole = index_bits == 32 and min(widths) * OPERAND_DTYPES[dtype].bytes == RANGED_BYTES
    plan = ranged(plan, target) if whole else plan
    if OPERAND_DTYPES[dtype].bits <= 16 and min(widths) * OPERAND_DTYPES[dtype].bytes >= 16:
        if sizes and walked and alone:
            plan = enlarged(plan, target, sizes)
        if along_k:
            plan = packed(plan)
    return ordered(plan, target, sizes) if sizes else plan


def _operand(letters: Letters, kinds: tuple[Letters, ...], size: Mapping[str, Expr], width: int) -> ProductOperand:
    """A tensor of the product; vectors only where its last letter is the last of its kind."""
    last = letters[-1:]
    along_k = bool(last) and last[0] in kinds[2]
    whole = last in [kind[-1:] for kind in kinds[1:]]
    return ProductOperand(view(letters, kinds, size), along_k, width if whole else 1, elements_of(letters, kinds, size))


# --- launches and entries ---------------------------------------------------------------------------------------------


def contraction_task(
    einsum: str,
    a: Sequence[int],
    b: Sequence[int],
    dtype: str,
    *,
    result: str | None = None,
    target: str = "cpu",
    epilogue: Epilogue = PASS_THROUGH,
    name: str | None = None,
    plan: Plan | None = None,
) -> Task:
    """numpy's einsum of two operands, and an epilogue of the sums."""
    plain, result = parse_einsum(einsum), result_of(dtype, result)
    lengths = sizes_of(plain, a, b)
    letters = merged(plain) if all(d.letters == plain.result for d in epilogue.ds) else plain
    size = {x: product_of(lengths[part] for part in x) for t in (letters.a, letters.b, letters.result) for x in t}
    shape = tuple(lengths[x] for x in plain.result)
    last = [size[t[-1]] if t else 1 for t in (letters.a, letters.b, letters.result)]
    widths = (widest(dtype, last[0]), widest(dtype, last[1]), widest(result, last[2]))
    bits = bits_for(product_of(a), product_of(b), product_of(shape))
    if plan is None:
        held = widths[:2] if letters.kinds[3] else (1, 1)
        few = max(product_of(a), product_of(b)) * OPERAND_DTYPES[dtype].bytes <= RANGE - BEHIND
        plan = _plan(letters, dtype, target, held, bits, _sizes(letters, lengths), epilogue.rule.alone, few)
        plan = replace(plan, ranged=plan.ranged and few)
    ds = tuple(replace(d, letters=letters.result) if d.letters == plain.result else d for d in epilogue.ds)
    program = contraction(
        letters, dtype, result, target=target, plan=plan, widths=widths, epilogue=replace(epilogue, ds=ds), name=name,
        index_bits=bits,
    )  # fmt: skip
    return Task(program, {f"N_{x}": n for x, n in size.items()}, shape)


def _sizes(letters: Einsum, lengths: Mapping[str, int]) -> ProblemShape | None:
    """The lengths that a plan is chosen by; None where the product has no rows, columns or sum."""
    batches, *each = [[product_of(lengths[part] for part in x) for x in kind] for kind in letters.kinds]
    if not all(each):
        return None
    m, n, k = each
    return ProblemShape((product_of(m), product_of(n), product_of(k)), (m[-1], n[-1], k[-1]), product_of(batches))


def contraction_tasks(
    einsum: str, a: Sequence[int], b: Sequence[int], dtype: str, *, result: str | None = None, target: str = "cpu",
    parts: int | None = None,
) -> tuple[Task, ...]:  # fmt: skip
    """The launches of an einsum without an epilogue: one, or products of so many parts of the sum, and then their sum.

    `parts` are chosen by `block_order.parts_for` unless given: so many that blocks fill the card.

    >>> [task.program.name for task in contraction_tasks("ik,jk->ij", (256, 8192), (256, 8192), "f16", target="sm_90")]
    ['contraction_isk_jsk_sij_f16_f32_m64n64k16_f16_64x64x64_ring8_v8x8x4', 'reduce_sum_rk_f32_f16_v4_128x8_p8']
    """
    one = contraction_task(einsum, a, b, dtype, result=result, target=target)
    plain = parse_einsum(einsum)
    lengths, letters = sizes_of(plain, a, b), merged(plain)
    batches, _, _, summed = letters.kinds
    alone = not batches and len(summed) == 1 and _walked(letters, one.program.index_bits)
    if parts is None:
        parts = _parts(letters, lengths, dtype, target) if alone else 1
    if parts == 1:
        return (one,)
    if parts < 1 or not summed or lengths[summed[0][0]] % parts:
        raise LayoutError(f"einsum {einsum}: its sum cannot be cut into {parts} parts, which divide its first letter")
    letter = summed[0][0]
    other = next(x for x in f"s{ascii_letters}" if x not in lengths)
    cut = einsum.replace(letter, other + letter, 2).replace("->", f"->{other}")
    first_shape, second_shape = (
        tuple(part for x, n in zip(t, shape, strict=True) for part in ((parts, n // parts) if x == letter else (n,)))
        for t, shape in ((plain.a, a), (plain.b, b))
    )
    first = contraction_task(cut, first_shape, second_shape, dtype, result="f32", target=target)
    return (first, *reduce_tasks((parts, *one.shape), (0,), "sum", "f32", result_of(dtype, result)))


def _parts(letters: Einsum, lengths: Mapping[str, int], dtype: str, target: str) -> int:
    """Into how many parts the sum is cut: a divisor of its first letter."""
    sizes = _sizes(letters, lengths)
    if sizes is None:
        return 1
    last = [product_of(lengths[part] for part in t[-1]) for t in (letters.a, letters.b)]
    plan = tuned("contraction", target, dtype, (widest(dtype, last[0]), widest(dtype, last[1])), sizes, True)
    return parts_for(target, plan, sizes, lengths[letters.kinds[3][0][0]])


def _emitted(
    target: str, einsum: str, dtype: str, result: str | None, vector: int, epilogue: str, ds: str
) -> Program:  # fmt: skip
    letters = parse_einsum(einsum)
    letters = letters if ds else merged(letters)
    finish = Epilogue(epilogue, d_tensors(letters.result, epilogue, result_of(dtype, result), ds))
    return contraction(letters, dtype, result, target=target, widths=(vector,) * 3, epilogue=finish)


def _straight(target: str, einsum: str) -> Program | None:
    """The product whose tiles go straight to LDS, of a target that has such a plan."""
    sizes = ProblemShape((256, 256, 256), (256, 256, 256))
    plan = tuned("contraction", target, "f16", (8, 8), sizes, straight=True)
    product = parse_einsum(einsum)
    return contraction(product, "f16", target=target, plan=plan, widths=(8, 8, 8)) if plan.straight else None


def _finished(bias: bool, relu: bool) -> dict[str, Any]:
    """A gemm's name, epilogue and D: a number for each column."""
    name = f"gemm{'_bias' if bias else ''}{'_relu' if relu else ''}"
    epilogue = ("Add" if bias else "") + ("Relu" if relu else "") or "PassThrough"
    return {"name": name, "epilogue": Epilogue(epilogue, (ProductD(("n",), "f32", "bias"),) * bias)}


def _gemm(target: str, dtype: str, result: str | None, vector: int, bias: bool, relu: bool) -> Program:
    return contraction(parse_einsum(GEMM), dtype, result, target=target, widths=(vector,) * 3, **_finished(bias, relu))


def _gemm_work(
    target: str,
    dtype: str,
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    result: str | None,
    bias: npt.NDArray[Any] | None,
    relu: bool,
) -> Work:
    task = contraction_task(
        GEMM, a.shape, b.shape, dtype, result=result, target=target, **_finished(bias is not None, relu)
    )

    def expected() -> npt.NDArray[Any]:
        x, y = (numbers(o, OPERAND_DTYPES[dtype], formats_of(target)).astype(np.float64) for o in (a, b))
        found: npt.NDArray[Any] = x @ y
        found = found if bias is None else found + bias
        return np.maximum(found, 0) if relu else found

    return Work([a, b] if bias is None else [a, b, bias], (task,), expected, exact=False)


def _work(
    target: str, dtype: str, einsum: str, a: npt.NDArray[Any], b: npt.NDArray[Any], result: str | None, epilogue: str,
    ds: str, d0: npt.NDArray[Any] | None, d1: npt.NDArray[Any] | None, scalars: str,
) -> Work:  # fmt: skip
    plain, held = parse_einsum(einsum), [d for d in (d0, d1) if d is not None]
    found = d_tensors(plain.result, epilogue, result_of(dtype, result), ds)
    size = sizes_of(plain, a.shape, b.shape)
    values = scalars_of(epilogue, scalars)
    if len(held) != len(found):
        raise LayoutError(f"{epilogue} takes {len(found)} D tensors; --d0 and --d1 give {len(held)}")
    for d, array in zip(found, held, strict=True):
        wanted = tuple(size[x] for x in d.letters)
        if array.shape != wanted:
            raise LayoutError(f"{d.name} has shape {array.shape}; its letters {''.join(d.letters)!r} are {wanted} long")
    if epilogue == "PassThrough":
        tasks = contraction_tasks(einsum, a.shape, b.shape, dtype, result=result, target=target)
    else:
        shapes = a.shape, b.shape
        finish = Epilogue(epilogue, found)
        tasks = (contraction_task(einsum, *shapes, dtype, result=result, target=target, epilogue=finish),)

    def expected() -> npt.NDArray[Any]:
        x, y = (numbers(o, OPERAND_DTYPES[dtype], formats_of(target)).astype(np.float64) for o in (a, b))
        given = [np.einsum(einsum, x, y, optimize=True)]
        for d, array in zip(found, held, strict=True):
            wide = numbers(array, KERNEL_DTYPES[d.dtype]).astype(np.float64)
            order = [x for x in plain.result if x in d.letters]
            turned = wide.transpose([d.letters.index(x) for x in order])
            given.append(turned.reshape([size[x] if x in order else 1 for x in plain.result]))
        return finished(epilogue, [*given, *values])

    return Work([a, b, *held, *values], tasks, expected, exact=False)


GEMM = "mk,kn->mn"
OPERANDS = replace(DTYPE, help="f32, f16, bf16; f8 or bf8 where the target multiplies them.")
EINSUM = Option("einsum", "text", 'e.g. "ijk,kjmn->imn"')
BIAS = Option("bias", "flag", "Plus a number for each column.", False)
BIASES = Option("bias", "array", "A number (f32) for each column, a .npy file.", None, rank=1, dtype="f32")
EPILOGUE = Option("epilogue", "text", "What is done with the sums, by CK's name: Bilinear, Scale …", "PassThrough")
DS = Option("ds", "text", "The letters of each D tensor, by commas; the result's unless given.", "")
D_ARRAYS = tuple(Option(f"d{n}", "array", "A D tensor of the epilogue, a .npy file.", None) for n in range(2))
SCALARS = Option("scalars", "text", "The epilogue's scalars, by commas: 1.5,2.", "")
RELU = Option("relu", "flag", "Negative results become 0.", False)
KERNELS = (
    Kernel(
        "contraction",
        Command(
            "An einsum of two tensors, and an epilogue.", _emitted, (EINSUM, OPERANDS, RESULT, VECTOR, EPILOGUE, DS)
        ),
        Command(
            "An einsum of two tensors, and an epilogue.",
            _work, (EINSUM, A, B, RESULT_OF, EPILOGUE, DS, *D_ARRAYS, SCALARS),
        ),
        golden_for={
            "contraction_f32": lambda target: contraction(merged(parse_einsum("ijk,kjmn->imn")), "f32", target=target),
            "contraction_bilinear_f32": lambda target: contraction(
                merged(parse_einsum("ijk,kjmn->imn")), "f32", target=target,
                epilogue=Epilogue("Bilinear", (ProductD(("i", "mn"), "f32", "d0"),)),
            ),
            "contraction_bf16": lambda target: contraction(
                parse_einsum("bik,bjk->bij"), "bf16", target=target, widths=(8, 8, 8)
            ),
            "contraction_f8": lambda target: (
                contraction(parse_einsum("ik,jk->ij"), "f8", "f16", target=target, widths=(16, 16, 8))
                if is_tiled(target, "f8") else None
            ),
            "contraction_straight_f16": lambda target: _straight(target, "mk,nk->mn"),
            "contraction_transposed_f16": lambda target: _straight(target, GEMM),
        },
    ),
    Kernel(
        "gemm",
        Command("A matrix product.", _gemm, (OPERANDS, RESULT, VECTOR, BIAS, RELU)),
        Command(
            "A matrix product, plus a bias, then relu.",
            _gemm_work, (A, B, BIASES, RELU, RESULT_OF),
        ),
        golden_for={"gemm_f16": lambda target: _gemm(target, "f16", None, 8, bias=True, relu=True)},
    ),
)  # fmt: skip
