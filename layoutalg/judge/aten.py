"""ATen's core operations, of which PyTorch's exported graphs are, as terms of an equation.

`torch.export.export(…).run_decompositions()` gives such a graph; what each computes is said at
https://docs.pytorch.org/docs/stable/torch.compiler_ir.html and in torch's documentation of the function of that name.

What it cannot represent: statistics of a batch, indices as results (argmax), random numbers;
NaN, which torch's `max` and `relu` hand on, and an equation's `max` does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from layoutalg.judge.graph import Indices, MadeElement, NodeOperands, UnsaidError, number
from layoutalg.judge.windows import (
    as_type,
    batch_norm,
    convolution,
    layer_norm,
    matrix_product,
    norm,
    pool,
    reduction,
    running,
    softmax,
    times,
)  # fmt: skip


def _each(text: str, *names: str) -> MadeElement:
    """An operation of single elements, in the type of its result: `text` with the operands in place of {0}, {1} …

    A number or value that is no f16 is none beside f16 either: it is done in f32, and the result is one
    (`at::opmath_type`).
    """
    operands = names or ("self",)

    def made(of: NodeOperands) -> Callable[[Indices], str]:
        of.wanted(alpha=1, rounding_mode=None)
        compares = of.node.dtype == "bool"
        wanted = of.common_type(operands) if compares else of.node.dtype
        narrow = wanted == "f16" and not compares and not all(of.fits(name, wanted) for name in operands)
        inner = "f32" if narrow else wanted
        tensors = [of.tensor(name, inner) for name in operands]
        return lambda at: as_type(
            text.format(*(as_type(one.over(at), one.dtype, inner) for one in tensors)), inner, wanted
        )

    return made


def _power(of: NodeOperands) -> Callable[[Indices], str]:
    base, power = of.tensor("self"), of["exponent"]
    forms = {2: "({0} * {0})", 3: "({0} * {0} * {0})", 0.5: "sqrt({0})", -1: "(1.0 / {0})", 1: "{0}"}
    if power not in forms or of.node.dtype != base.dtype:
        raise UnsaidError(f"no equation says a power of {power}")
    return lambda at: forms[power].format(base.over(at))


def _clamp(of: NodeOperands) -> Callable[[Indices], str]:
    least, most = ("min", "max") if of.node.operation.startswith("aten.clamp") else ("min_val", "max_val")
    text = "{0}"
    if of[least] is not None:
        text = f"max({text}, {number(of[least], of.node.dtype)})"
    if of[most] is not None:
        text = f"min({text}, {number(of[most], of.node.dtype)})"
    one = of.tensor("self")
    return lambda at: text.format(one.over(at))


def _leaky(of: NodeOperands) -> Callable[[Indices], str]:
    one, said = of.tensor("self"), of["negative_slope"]
    slope = number(0.01 if said is None else said, of.node.dtype)
    return lambda at: f"where({one.over(at)} > 0.0, {one.over(at)}, {one.over(at)} * {slope})"


def _gelu(of: NodeOperands) -> Callable[[Indices], str]:
    one, cube = of.tensor("self"), "{0} * {0} * {0}"
    by_tanh = f"tanh({math.sqrt(2 / math.pi)!r} * ({{0}} + 0.044715 * ({cube})))"
    inner = by_tanh if of["approximate"] == "tanh" else f"erf({{0}} * {math.sqrt(0.5)!r})"
    return lambda at: f"({{0}} * 0.5 * (1.0 + {inner}))".format(one.over(at))


def _elu(of: NodeOperands) -> Callable[[Indices], str]:
    one, dtype = of.tensor("self"), of.node.dtype
    alpha, scale, inner = (
        number(1 if of[name] is None else of[name], dtype) for name in ("alpha", "scale", "input_scale")
    )
    below = f"(exp({{0}} * {inner}) - 1.0) * {alpha}"
    text = f"(where({{0}} > 0.0, {{0}}, {below}) * {scale})"
    return lambda at: text.format(one.over(at))


def _where(of: NodeOperands) -> Callable[[Indices], str]:
    asked, wanted = of.tensor("condition"), of.node.dtype
    both = [of.tensor(name) for name in ("self", "other")]

    def at(indices: Indices) -> str:
        then, otherwise = (as_type(one.over(indices), one.dtype, wanted) for one in both)
        return f"where({asked.over(indices)}, {then}, {otherwise})"

    return at


def _full(of: NodeOperands) -> Callable[[Indices], str]:
    text = number(of["fill_value"] if of["fill_value"] is not None else of["s"], of.node.dtype)
    return lambda _: text


def _counted_from(of: NodeOperands) -> Callable[[Indices], str]:
    start, step = of["start"], 1 if of["step"] is None else of["step"]
    if not isinstance(start, int) or not isinstance(step, int):
        raise UnsaidError(f"no equation says a range from {start} by {step}")
    return lambda at: f"({start} + {step} * ({at[0]}))"


def _convert(of: NodeOperands) -> Callable[[Indices], str]:
    one = of.tensor("self")
    return lambda at: as_type(one.over(at), one.dtype, of.node.dtype)


# --- other places of the same elements ---


def _expand(of: NodeOperands) -> Callable[[Indices], str]:
    return of.tensor("self").over


def _permute(of: NodeOperands) -> Callable[[Indices], str]:
    one = of.tensor("self")
    places = of.axes("dims", len(one.lengths))
    return lambda at: one.at(tuple(at[places.index(axis)] for axis in range(len(places))))


def _select(of: NodeOperands) -> Callable[[Indices], str]:
    one = of.tensor("self")
    (axis,), index = of.axes("dim", len(one.lengths)), of["index"]
    if not isinstance(index, int):
        raise UnsaidError(f"no equation says the element at {getattr(index, 'name', index)}")
    text = f"{index}" if index >= 0 else f"{one.lengths[axis]} - {-index}"
    return lambda at: one.at((*at[:axis], text, *at[axis:]))


def _slice(of: NodeOperands) -> Callable[[Indices], str]:
    one = of.tensor("self")
    axis, start, step = (of["dim"] or 0) % len(one.lengths), of["start"] or 0, of["step"] or 1
    if not isinstance(start, int) or start < 0 or not isinstance(step, int):
        raise UnsaidError(f"no equation says a slice from {start} by {step}")
    return lambda at: one.at((*at[:axis], f"{times(at[axis], step)} + {start}", *at[axis + 1 :]))


def _flip(of: NodeOperands) -> Callable[[Indices], str]:
    one = of.tensor("self")
    axes = of.axes("dims", len(one.lengths))
    return lambda at: one.at(
        tuple(f"({one.lengths[axis]}) - 1 - ({i})" if axis in axes else i for axis, i in enumerate(at))
    )


def _view(of: NodeOperands) -> Callable[[Indices], str]:
    """The same elements, counted in the same order, in another shape."""
    one, new = of.tensor("self"), of.node.lengths
    old, head, tail = one.lengths, 0, 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    inner, outer = old[head : len(old) - tail], new[head : len(new) - tail]

    def at(indices: Indices) -> str:
        middle = indices[head : len(new) - tail]
        return one.at((*indices[:head], *_counted(middle, outer, inner), *indices[len(new) - tail :]))

    return at


def _counted(indices: Sequence[str], lengths: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """The indices in a shape of what is counted in the same order in another; a length of 1 counts nothing."""
    kept = [(index, length) for index, length in zip(indices, lengths, strict=True) if length != "1"]
    dims = [place for place, length in enumerate(wanted) if length != "1"]
    if [length for _, length in kept] == [wanted[place] for place in dims]:
        direct = iter(index for index, _ in kept)
        yield from ("0" if length == "1" else next(direct) for length in wanted)
        return
    behind = [[f"({length})" for _, length in kept[place + 1 :]] for place in range(len(kept))]
    flat = " + ".join(" * ".join((f"({index})", *factors)) for (index, _), factors in zip(kept, behind, strict=True))
    for place, length in enumerate(wanted):
        inner = [f"({one})" for one in wanted[place + 1 :] if one != "1"]
        over = f"({flat}) // ({' * '.join(inner)})" if inner else f"({flat})"
        yield "0" if length == "1" else over if place == (dims or [0])[0] else f"({over}) % ({length})"


def _first(of: NodeOperands) -> Callable[[Indices], str]:
    if of["index"] != 0:
        raise UnsaidError(f"no equation says the indices that {of['self'].name} gives")
    return of.tensor("self").at


#: Functions of one element that ATen and equations call the same.
EACH = (
    "abs", "sqrt", "exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tanh", "erf", "floor", "ceil",
    "trunc",
)  # fmt: skip

OPERATIONS: Mapping[str, MadeElement] = {
    "aten.add.Tensor": _each("({0} + {1})", "self", "other"),
    "aten.sub.Tensor": _each("({0} - {1})", "self", "other"),
    "aten.mul.Tensor": _each("({0} * {1})", "self", "other"),
    "aten.div.Tensor": _each("({0} / {1})", "self", "other"),
    **{
        f"aten.{name}.Scalar": _each(f"({{0}} {sign} {{1}})", "self", "other")
        for name, sign in {"add": "+", "sub": "-", "mul": "*", "div": "/"}.items()
    },
    "aten.maximum.default": _each("max({0}, {1})", "self", "other"),
    "aten.minimum.default": _each("min({0}, {1})", "self", "other"),
    **{
        f"aten.{name}.{kind}": _each(f"({{0}} {sign} {{1}})", "self", "other")
        for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items()
        for kind in ("Tensor", "Scalar")
    },
    **{f"aten.{name}.default": _each(f"{name}({{0}})") for name in EACH},
    "aten.round.default": _each("rint({0})"),
    "aten.neg.default": _each("(-{0})"),
    "aten.relu.default": _each("max({0}, 0.0)"),
    "aten.reciprocal.default": _each("(1.0 / {0})"),
    "aten.rsqrt.default": _each("(1.0 / sqrt({0}))"),
    "aten.sigmoid.default": _each("(1.0 / (1.0 + exp(-{0})))"),
    "aten.pow.Tensor_Scalar": _power,
    "aten.clamp.default": _clamp,
    "aten.hardtanh.default": _clamp,
    "aten.gelu.default": _gelu,
    "aten.elu.default": _elu,
    "aten.logical_not.default": _each("(not {0})"),
    "aten.logical_and.default": _each("({0} and {1})", "self", "other"),
    "aten.logical_or.default": _each("({0} or {1})", "self", "other"),
    "aten.leaky_relu.default": _leaky,
    "aten.where.self": _where,
    "size": lambda of: lambda _: f"({of['size']})",
    "aten.arange.start_step": _counted_from,
    "aten.full.default": _full,
    "aten.scalar_tensor.default": _full,
    "aten._to_copy.default": _convert,
    **{f"aten.{name}.default": _convert for name in ("clone", "alias", "detach")},
    "aten.expand.default": _expand,
    "aten.permute.default": _permute,
    "aten.select.int": _select,
    "aten.slice.Tensor": _slice,
    "aten.flip.default": _flip,
    **{
        f"aten.{name}": _view
        for name in (
            "view.default",
            "unsqueeze.default",
            "squeeze.dims",
            "squeeze.dim",
            "squeeze.default",
            "_unsafe_view.default",
        )
    },
    "aten.sum.dim_IntList": reduction("sum"),
    "aten.sum.default": reduction("sum"),
    "aten.prod.dim_int": reduction("prod"),
    "aten.mean.dim": reduction("sum", mean=True),
    "aten.mean.default": reduction("sum", mean=True),
    "aten.amax.default": reduction("max"),
    "aten.amin.default": reduction("min"),
    "aten.max.dim": reduction("max"),
    "aten.min.dim": reduction("min"),
    "aten.mm.default": matrix_product("self", "mat2"),
    "aten.bmm.default": matrix_product("self", "mat2"),
    "aten.mv.default": matrix_product("self", "vec"),
    "aten.addmm.default": matrix_product("mat1", "mat2"),
    "aten._softmax.default": softmax,
    "aten._log_softmax.default": softmax,
    **{f"aten.avg_pool{rank}d.default": pool("sum") for rank in (1, 2, 3)},
    **{f"aten.max_pool{rank}d_with_indices.default": pool("max") for rank in (2, 3)},
    "aten.convolution.default": convolution,
    "aten.cumsum.default": running("sum"),
    "aten.cumprod.default": running("prod"),
    "aten.linalg_vector_norm.default": norm,
    "aten.native_layer_norm.default": layer_norm,
    "aten._native_batch_norm_legit_no_training.default": batch_norm,
    "getitem": _first,
}
