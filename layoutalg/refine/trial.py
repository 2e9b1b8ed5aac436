"""Trying a binary: a kernel program's binary is carried out on small random inputs and its result compared with numpy.

What must come out is the program's own meaning (`layoutalg.kernel.program`), read element by element in float64:

| meaning        | expected                                                 | compared                                 |
|----------------|----------------------------------------------------------|------------------------------------------|
| `Read`         | the source's element, converted to the target's type     | to the bit                               |
| `Contract` …   | sums of products of small integers, exact in every order | to the bit, after rounding to the target |
| `Attend`       | softmax and sums, of numbers in −1 … 1                   | within `ATTENDED` of the greatest value  |

Around the integers nothing is left to tolerance: a wrong sum is a wrong integer.  Memory that the kernel must not
write is compared as well.  How real numbers are rounded on the way is the business of tests with an error bound.

What it cannot represent: a proof.  It is one run at one choice of sizes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from layoutalg.errors import STEP_LIMIT, Fault, LaunchError, UnsupportedInstructionError
from layoutalg.index import Expr, prod
from layoutalg.index.evaluate import array, value
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.arrays import Array
from layoutalg.isa.run.launch import Execution, execute
from layoutalg.kernel.program import (
    FOLDS,
    FUNCTIONS,
    Attend,
    Compute,
    Contract,
    ContractScaled,
    Meaning,
    Program,
    Read,
    Reduce,
    Tensor,
)
from layoutalg.layout import TensorDescriptor
from layoutalg.records import dataclass
from layoutalg.refine.cycles import compare
from layoutalg.target.dtypes import DType
from layoutalg.target.elements import NO_FORMATS, numbers, stored
from layoutalg.target.known import formats_of

_POISON = 0x5A

#: Integers to compute with are at most this: sums of a few products have more bits than a narrow target keeps.
SMALL = 15

#: Integers to convert are below this: f16 has them, rounded.
LARGE = 60_000

#: How far attention may be from what is meant, of the greatest value's size: its powers are rounded to 11 bits, and so
#: is the result; a tenth is for what f32 and the hardware's powers of 2 add.
ATTENDED = 1.1 * 2.0**-10

#: Sizes that are drawn until some are small and allowed: a program that takes one in twenty is all but sure to be met.
DRAWS = 200

#: The most blocks of a small case, where sizes say how many there are.
BLOCKS = 24


@dataclass(frozen=True)
class LaunchCase:
    """Sizes and arrays (flat, as they lie in memory) to launch a kernel with, and what it must leave in its target."""

    sizes: Mapping[Expr, int]
    grid: tuple[int, ...]
    inputs: tuple[Array, ...]
    target: Array  # the target's memory before the launch
    expected: Array  # and after it


@dataclass(frozen=True)
class TrialResult:
    """What came of carrying out a binary on a case; true where the result is exact."""

    exact: bool
    case: LaunchCase
    execution: Execution

    def __bool__(self) -> bool:
        return self.exact


def attempt(
    code: MachineCode, program: Program, case: LaunchCase, step_limit: int = STEP_LIMIT, order: int | None = None,
    strict: bool = True,
) -> TrialResult:  # fmt: skip
    """Carries out a binary on a case; `order`, a seed, lets waves take turns at random; `strict` is `execute`'s.

    Raises what `execute` raises: `Fault` for what no correct kernel does, and `UnsupportedInstructionError`.

    >>> from layoutalg.isa.container.binary import read_kernels
    >>> from layoutalg.isa.decode.code import decode_kernel
    >>> from layoutalg.device.compile import compile_source
    >>> from layoutalg.kernel.emit import emit_unverified
    >>> from layoutalg.kernel.library.permute import batched_transpose
    >>> program = batched_transpose()
    >>> payload = compile_source(emit_unverified(program), "gfx1201").payload
    >>> code = decode_kernel(read_kernels(payload)[program.name])
    >>> attempt(code, program, make_case(program, small_sizes(program))).exact
    True
    """
    arguments = [*case.inputs, case.target, *(case.sizes[size] for size in program.sizes)]
    run = execute(code, case.grid, program.block, arguments, step_limit, order, strict)
    kept = all(np.array_equal(_raw(a), _raw(b)) for a, b in zip(run.outputs[:-1], case.inputs, strict=True))
    return TrialResult(kept and _as_meant(program, case, run.outputs[-1]), case, run)


def _as_meant(program: Program, case: LaunchCase, found: Array) -> bool:
    """Whether the target is what is expected, to the bit, or of a softmax closely."""
    if not isinstance(program.claimed, Attend):
        return bool(np.array_equal(_raw(found), _raw(case.expected)))
    one, other = (numbers(a, program.target.dtype).astype(np.float64) for a in (found, case.expected))
    values = dict(zip(program.tensors, case.inputs, strict=False))[program.claimed.v]
    most = np.abs(numbers(values, program.claimed.v.dtype).astype(np.float64)).max()
    return bool((np.abs(one - other) <= ATTENDED * most).all())


def _raw(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint8)


def make_case(
    program: Program, sizes: Mapping[Expr, int], seed: int = 0, formats: Mapping[str, str] = NO_FORMATS
) -> LaunchCase:
    """A case at these sizes; the inputs are drawn by the seed. `formats`: the target's, of narrow types."""
    rng = np.random.default_rng(seed)
    target, kind = program.target, program.target.dtype
    moves, attends = isinstance(program.claimed, Read), isinstance(program.claimed, Attend)
    counts = {tensor: value(tensor.descriptor.element_space_size, sizes) for tensor in program.tensors[:-1]}
    inputs = {tensor: stored(rng.uniform(-1, 1, count).astype(np.float32), tensor.dtype) if attends
              else _filled(rng, tensor, count, moves, kind, formats) for tensor, count in counts.items()}  # fmt: skip
    before = np.full(value(target.descriptor.element_space_size, sizes) * kind.bytes, _POISON, np.uint8)
    memory = before.view(kind.numpy)
    offsets, valid = _reached(target.descriptor, sizes)
    known = {tensor: numbers(array, tensor.dtype, formats) for tensor, array in inputs.items()}
    found = _meant(program.claimed, sizes, known)
    expected = memory.copy()
    written = stored(found, kind)
    expected[offsets[valid]] = np.broadcast_to(written, offsets.shape)[valid]
    grid = tuple(value(n, sizes) for n in program.launch)
    return LaunchCase(dict(sizes), grid, tuple(inputs.values()), memory, expected)


def _filled(
    rng: np.random.Generator, tensor: Tensor, count: int, moves: bool, target: DType, formats: Mapping[str, str]
) -> Array:
    """Small integers; for a kernel that only moves, distinct ones where the type has as many.

    Where it converts, integers of more bits than a narrow target keeps: they are rounded up, down and to even.
    """
    if tensor.dtype.name == "e8m0":
        return stored(np.exp2(rng.integers(-2, 3, count)), tensor.dtype)
    if moves and tensor.dtype != target:
        return stored(rng.integers(1, LARGE, count).astype(np.float32), tensor.dtype)
    if moves and tensor.dtype.name == "f32":
        return (rng.permutation(count) + 1).astype(np.float32)
    if moves:
        return (rng.permutation(count) % 2047 + 1).astype(np.uint16).view(tensor.dtype.numpy)
    return stored(rng.integers(-SMALL, SMALL + 1, count).astype(np.float32), tensor.dtype, formats)


def _reached(descriptor: TensorDescriptor, sizes: Mapping[Expr, int]) -> tuple[Array, Array]:
    """The offset of each coordinate, and whether it is data: arrays of the descriptor's shape."""
    lengths = [value(n, sizes) for n in descriptor.lengths]
    axes = np.ix_(*(np.arange(n) for n in lengths))
    at = {**sizes, **dict(zip(descriptor.index, axes, strict=True))}
    offsets, valid = array([descriptor.offset(descriptor.index), descriptor.valid(descriptor.index)], at)
    return np.broadcast_to(offsets, lengths), np.broadcast_to(valid, lengths) != 0


def _meant(meaning: Meaning, sizes: Mapping[Expr, int], memory: Mapping[Tensor, Array]) -> Array:
    """What a meaning says of every coordinate, of the tensors' numbers: in float64, and of a move as they are."""
    match meaning:
        case Read(tensor):
            return _elements(tensor, sizes, memory)
        case Contract(a, b):
            left, right = (_elements(t, sizes, memory).astype(np.float64) for t in (a, b))
            return np.asarray(left @ right.swapaxes(1, 2))
        case ContractScaled(a, b, a_scale, b_scale, block):
            left, right = (
                _elements(t, sizes, memory).astype(np.float64)
                * np.repeat(_elements(scale, sizes, memory).astype(np.float64), block, axis=2)
                for t, scale in ((a, a_scale), (b, b_scale))
            )
            return np.asarray(left @ right.swapaxes(1, 2))
        case Reduce(tensor, how):
            elements = _elements(tensor, sizes, memory).astype(np.float64)
            return np.asarray(FOLDS[how].numbers(elements))
        case Attend(q, k, v):
            asked, keys, found = (_elements(t, sizes, memory).astype(np.float64) for t in (q, k, v))
            scores = asked @ keys.swapaxes(1, 2)
            row, key = np.ix_(*map(np.arange, scores.shape[1:]))
            (kept,) = array([meaning.keep], {**sizes, **dict(zip(meaning.coordinates, (row, key), strict=True))})
            scores = np.where(kept, scores, -np.inf) * meaning.factor
            weights = np.exp2(scores - scores.max(-1, keepdims=True))
            return np.asarray(weights @ found.swapaxes(1, 2) / weights.sum(-1, keepdims=True))
        case Compute(function, operands):
            parts = [_meant(operand, sizes, memory) for operand in operands]
            shape = [min(lengths) for lengths in zip(*(np.shape(part) for part in parts), strict=True)]
            common = [part[tuple(map(slice, shape))] for part in parts]  # a bias may be said to be longer
            return np.asarray(FUNCTIONS[function].numbers(*common))


def _elements(tensor: Tensor, sizes: Mapping[Expr, int], memory: Mapping[Tensor, Array]) -> Array:
    offsets, valid = _reached(tensor.descriptor, sizes)
    known = memory[tensor]
    return np.asarray(np.where(valid, known[np.where(valid, offsets, 0)], known.dtype.type(0)))


def small_sizes(program: Program, seed: int = 0, most: int = 40, elements: int = 1 << 13) -> dict[Expr, int]:
    """Sizes that the program takes, at random: ragged, small, tensors of at most so many elements, and few blocks.

    Of a program whose least sizes have more, tensors are of as many as these.

    Raises `LaunchError` when none of many are.
    """
    rng, least = random.Random(seed), {s: _least(s) for s in program.sizes}
    counts = [tensor.descriptor.element_space_size for tensor in program.tensors]
    elements = max(elements, *(value(count, least) for count in counts if count.op != "const"), 0)
    for _ in range(DRAWS):
        sizes = {s: _drawn(rng, s, most) for s in program.sizes}
        while not _few(program, sizes, elements) and (large := [s for s, n in sizes.items() if n > _least(s)]):
            chosen = rng.choice(large)
            sizes[chosen] = _drawn(rng, chosen, sizes[chosen] * 3 // 4)
        if _few(program, sizes, elements) and value(program.requires, sizes):
            return sizes
    raise LaunchError(f"{program.name}: no small sizes satisfy {program.requires}")


def _few(program: Program, sizes: Mapping[Expr, int], elements: int) -> bool:
    counts = [tensor.descriptor.element_space_size for tensor in program.tensors]
    few = all(value(count, sizes) <= elements for count in counts if count.op != "const")
    return few and (not program.sizes or value(prod(program.launch), sizes) <= BLOCKS)


def _drawn(rng: random.Random, size: Expr, most: int) -> int:
    step, least = int(size.value.multiple_of), _least(size)
    return step * rng.randint(least // step, max(least, most) // step)


def _least(size: Expr) -> int:
    step = int(size.value.multiple_of)
    return -(-int(size.lo) // step) * step


def report(code: MachineCode, program: Program, seed: int = 0) -> Mapping[str, Any]:
    """A binary carried out on a small case: the sizes, whether the result is exact, and the LDS cycles by instruction.

    A fault is told as `fault`, and nothing is exact then; an instruction without an entry, and a launch that is not
    made, as `refused`, and `exact` is None: nothing is known.
    """
    sizes = small_sizes(program, seed)
    named = {s.value.name: n for s, n in sizes.items()}
    try:
        trial = attempt(code, program, make_case(program, sizes, seed, formats_of(code.kernel.target)))
    except Fault as error:
        return {"sizes": named, "exact": False, "fault": str(error)}
    except (UnsupportedInstructionError, LaunchError) as error:
        return {"sizes": named, "exact": None, "refused": str(error)}
    lds = compare(trial.execution.lds, program, code.kernel.target, sizes)
    found = {"sizes": named, "exact": trial.exact}
    return {**found, "lds": lds.report} if lds else found


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """A report in words; the LDS instructions as a table."""
    at = ", ".join(f"{name} = {n}" for name, n in found["sizes"].items())
    result = found.get("fault") or found.get("refused") or ("exact" if found["exact"] else "WRONG")
    yield f"executed{f' at {at}' if at else ''}: {result}"
    if "lds" in found:
        yield found["lds"]["text"]
        yield f"  {'accesses':>8} {'cycles':>7} {'lost':>5}  instruction"
        for one in found["lds"]["instructions"]:
            unpriced = f"  not priced: {one['unpriced']}" if one["unpriced"] else ""
            lost = one["cycles"] - one["least"]
            yield f"  {one['accesses']:>8} {one['cycles']:>7} {lost:>5}  {one['where']}{unpriced}"
