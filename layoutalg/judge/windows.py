"""ATen's operations that put together elements over indices: sums, products of matrices, windows, norms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from layoutalg.judge.graph import Indices, MadeElement, NodeOperands, UnsaidError, number
from layoutalg.records import dataclass

#: What sums of a type are accumulated in, and handed on as.
SUMS: Mapping[str, str] = {"f16": "f32", "f32": "f32", "f64": "f64", "i64": "i64", "i32": "i64"}


def as_type(text: str, had: str, wanted: str) -> str:
    if had == wanted:
        return text
    if wanted == "bool":
        raise UnsaidError("no equation says a number as a truth")
    if had == "bool":
        return f"where({text}, {wanted}(1), {wanted}(0))"
    return f"{wanted}({text})"


def times(index: str, step: int) -> str:
    return index if step == 1 else f"({index}) * {step}"


def indices_below(of: NodeOperands, lengths: Sequence[str]) -> tuple[Indices, str]:
    """New indices, and how far each goes as a reduction writes it; of a length of 1 there is one alone."""
    new = tuple("0" if length == "1" else of.new("r") for length in lengths)
    return new, ", ".join(f"{r} < {length}" for r, length in zip(new, lengths, strict=True) if r != "0")


def put_together(name: str, ranges: str, body: str) -> str:
    """Terms over indices, as one."""
    return f"({name}[{ranges}] {body})" if ranges else f"({body})"


def reduction(name: str, *, mean: bool = False, body: str = "{0}") -> MadeElement:
    """Elements put together over dimensions, sums in a type that is wide enough."""

    def made(of: NodeOperands) -> Callable[[Indices], str]:
        one = of.tensor("self")
        axes, kept = of.axes("dim", len(one.lengths)), bool(of["keepdim"])
        wide = SUMS.get(one.dtype, "") if name in ("sum", "prod") else one.dtype
        narrower = of.node.dtype == "f16" and one.dtype != "f16"  # torch makes each element one first, or none
        if not wide or narrower or (of.node.dtype != one.dtype and wide != SUMS.get(of.node.dtype)):
            raise UnsaidError(f"no equation says {of.node.operation} of {one.dtype} as {of.node.dtype}")
        many = " * ".join(f"({one.lengths[axis]})" for axis in axes)

        def at(indices: Indices) -> str:
            names, ranges = indices_below(of, [one.lengths[axis] for axis in axes])
            new = dict(zip(axes, names, strict=True))
            left = iter(index for axis, index in enumerate(indices) if not (kept and axis in axes))
            own = tuple(new[axis] if axis in axes else next(left) for axis in range(len(one.lengths)))
            text = put_together(name, ranges, body.format(as_type(one.at(own), one.dtype, wide)))
            return as_type(f"({text} / {wide}({many}))" if mean else text, wide, of.node.dtype)

        return at

    return made


def matrix_product(left: str, right: str) -> MadeElement:
    """A product of matrices, of the same batch where there are batches; perhaps with something added."""

    def made(of: NodeOperands) -> Callable[[Indices], str]:
        of.wanted(alpha=1, beta=1)
        a, b = of.tensor(left), of.tensor(right)
        added = of.tensor("self") if left != "self" else None
        wide = SUMS[a.dtype]
        vectors = len(b.lengths) == 1

        def at(indices: Indices) -> str:
            (k,), ranges = indices_below(of, a.lengths[-1:])
            rows = indices if vectors else indices[:-1]
            columns = (k,) if vectors else (*indices[:-2], k, indices[-1])
            factors = (as_type(a.at((*rows, k)), a.dtype, wide), as_type(b.at(columns), b.dtype, wide))
            text = put_together("sum", ranges, " * ".join(factors))
            text = f"({text} + {as_type(added.over(indices), added.dtype, wide)})" if added else text
            return as_type(text, wide, of.node.dtype)

        return at

    return made


def softmax(of: NodeOperands) -> Callable[[Indices], str]:
    one = of.tensor("self")
    (axis,) = of.axes("dim", len(one.lengths))
    log = of.node.operation == "aten._log_softmax.default"

    def at(indices: Indices) -> str:
        def along(index: str) -> str:
            return one.at((*indices[:axis], index, *indices[axis + 1 :]))

        other, summed, length = of.new("r"), of.new("r"), one.lengths[axis]
        most = f"(max[{other} < {length}] {along(other)})"
        total = f"(sum[{summed} < {length}] exp({along(summed)} - {most}))"
        less = f"({along(indices[axis])} - {most})"
        return f"({less} - log({total}))" if log else f"(exp({less}) / {total})"

    return at


@dataclass(frozen=True)
class _Window:
    """A window that moves over the last dimensions of a tensor, by steps, and takes elements so far apart."""

    step: Sequence[int]
    around: Sequence[int]
    apart: Sequence[int]

    def places(self, indices: Indices, new: Indices, lengths: Sequence[str]) -> tuple[Indices, str]:
        """Where its elements are, and a condition that they are within; "" where they always are."""
        found, inside = list[str](), list[str]()
        for axis, (index, r) in enumerate(zip(indices, new, strict=True)):
            around = self.around[axis]
            place = f"{times(index, self.step[axis])} + {times(r, self.apart[axis])}" + f" - {around}" * bool(around)
            found.append(place)
            inside += [f"{place} >= 0", f"{place} < {lengths[axis]}"] * bool(around)
        return tuple(found), " and ".join(inside)

    def sources(self, indices: Indices, new: Indices, lengths: Sequence[str]) -> tuple[Indices, str]:
        """Of which elements a transposed one makes an element, and a condition that there is such."""
        found, inside = list[str](), list[str]()
        for axis, (index, r) in enumerate(zip(indices, new, strict=True)):
            step, moved = self.step[axis], f"({index} + {self.around[axis]} - {times(r, self.apart[axis])})"
            place = moved if step == 1 else f"{moved} // {step}"
            inside += [
                f"{moved} >= 0",
                *([] if step == 1 else [f"{moved} % {step} == 0"]),
                f"{place} < {lengths[axis]}",
            ]
            found.append(place)
        return tuple(found), " and ".join(inside)


def pool(name: str) -> MadeElement:
    """The mean or the largest of each window; what is beyond the tensor counts in a mean as 0."""

    def made(of: NodeOperands) -> Callable[[Indices], str]:
        of.wanted(ceil_mode=False, divisor_override=None)
        one = of.tensor("self")
        rank = 1 + of.node.operation.count("2d") + 2 * of.node.operation.count("3d")
        sizes = of.pair("kernel_size", rank, [1])
        around = of.pair("padding", rank, [0])
        window = _Window(of.pair("stride", rank, sizes), around, of.pair("dilation", rank, [1] * rank))
        if name == "sum" and any(around):
            of.wanted(count_include_pad=True)

        def at(indices: Indices) -> str:
            new, ranges = indices_below(of, [str(size) for size in sizes])
            places, inside = window.places(indices[-rank:], new, one.lengths[-rank:])
            text = one.at((*indices[:-rank], *places))
            nothing = "0.0" if name == "sum" else "-inf"
            text = f"where({inside}, {text}, {nothing})" if inside else text
            text = put_together(name, ranges, text)
            return text if name == "max" else f"({text} / {number(math.prod(sizes), one.dtype)})"

        return at

    return made


def convolution(of: NodeOperands) -> Callable[[Indices], str]:
    """A convolution, perhaps in groups of channels, perhaps transposed."""
    x, weight = of.tensor("input"), of.tensor("weight")
    bias = of.tensor("bias") if of["bias"] is not None else None
    rank, wide, groups, turned = len(x.lengths) - 2, SUMS[x.dtype], of["groups"] or 1, bool(of["transposed"])
    window = _Window(of.pair("stride", rank, [1]), of.pair("padding", rank, [0]), of.pair("dilation", rank, [1]))
    made = of.node.lengths[1]
    ours, theirs = (f"({length}) // {groups}" for length in (made, x.lengths[1]))  # channels of a group

    def at(indices: Indices) -> str:
        image, channel, *outer = indices
        length = (x.lengths[1] if groups == 1 else theirs) if turned else weight.lengths[1]
        (c, *new), ranges = indices_below(of, [length, *weight.lengths[2:]])
        places, inside = (window.sources if turned else window.places)(tuple(outer), tuple(new), x.lengths[2:])
        source = c if groups == 1 else f"({channel}) // ({ours}) * ({theirs}) + {c}"
        of_weight = (source, channel if groups == 1 else f"({channel}) % ({ours})") if turned else (channel, c)
        factors = x.at((image, source, *places)), weight.at((*of_weight, *new))
        text = " * ".join(as_type(one, x.dtype, wide) for one in factors)
        text = f"where({inside}, {text}, 0.0)" if inside else text
        text = put_together("sum", ranges, text)
        text = f"({text} + {as_type(bias.at((channel,)), bias.dtype, wide)})" if bias else text
        return as_type(text, wide, of.node.dtype)

    return at


def running(name: str) -> MadeElement:
    """What is put together of the elements up to each."""

    def made(of: NodeOperands) -> Callable[[Indices], str]:
        one = of.tensor("self")
        (axis,) = of.axes("dim", len(one.lengths))

        def at(indices: Indices) -> str:
            new = of.new("r")
            own = one.at((*indices[:axis], new, *indices[axis + 1 :]))
            return f"({name}[{new} < {indices[axis]} + 1] {as_type(own, one.dtype, of.node.dtype)})"

        return at

    return made


def norm(of: NodeOperands) -> Callable[[Indices], str]:
    """The root of the sum of squares over dimensions."""
    of.wanted(ord=2)
    squares = reduction("sum", body="{0} * {0}")(of)
    return lambda at: f"sqrt({squares(at)})"


def layer_norm(of: NodeOperands) -> Callable[[Indices], str]:
    """What is left of a row without its mean, over the root of its variance and a little."""
    one, rank = of.tensor("input"), len(of["normalized_shape"])
    weight, bias = (of.tensor(name) if of[name] is not None else None for name in ("weight", "bias"))
    many = f"{one.dtype}({' * '.join(f'({length})' for length in one.lengths[-rank:])})"
    little = number(of["eps"], one.dtype)

    def at(indices: Indices) -> str:
        outer = indices[:-rank]

        def mean(of_element: Callable[[str], str]) -> str:
            new, ranges = indices_below(of, one.lengths[-rank:])
            return f"({put_together('sum', ranges, of_element(one.at((*outer, *new))))} / {many})"

        middle = mean(lambda element: element)
        spread = mean(lambda element: f"({element} - {middle}) * ({element} - {middle})")
        text = f"(({one.at(indices)} - {middle}) / sqrt({spread} + {little}))"
        text = f"({text} * {weight.at(indices[-rank:])})" if weight else text
        return f"({text} + {bias.at(indices[-rank:])})" if bias else text

    return at


def batch_norm(of: NodeOperands) -> Callable[[Indices], str]:
    """What is left without a channel's mean, over the root of its variance and a little: as they were learnt."""
    one, little = of.tensor("input"), number(of["eps"], of.node.dtype)
    mean, spread = of.tensor("running_mean"), of.tensor("running_var")
    weight, bias = (of.tensor(name) if of[name] is not None else None for name in ("weight", "bias"))

    def at(indices: Indices) -> str:
        channel = indices[1:2]
        text = f"(({one.at(indices)} - {mean.at(channel)}) / sqrt({spread.at(channel)} + {little}))"
        text = f"({text} * {weight.at(channel)})" if weight else text
        return f"({text} + {bias.at(channel)})" if bias else text

    return at
