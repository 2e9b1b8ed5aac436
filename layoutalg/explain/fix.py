"""What would put a fault right: each proposal is built and proved before it is made.

| fault                                          | proposal                                                          |
|------------------------------------------------|-------------------------------------------------------------------|
| xor of a length that is no power of two        | the cyclic shift in its place                                     |
| strides that overlap                           | the packed strides, in the order of the given ones                |
| 32 bits overflow, one size is a symbol         | the largest value of the symbol for which they suffice            |
| 32 bits overflow, all sizes are numbers        | the offset in 64 bits (CK's `long_index_t`)                       |

What it cannot represent: faults of a design (a chain that means something else).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from layoutalg.explain.finding import Fix, Prover, Remark
from layoutalg.formats import DescriptorItem
from layoutalg.index import ONE, ZERO, Expr, substitute, symbol, variables
from layoutalg.layout import CyclicShift, Embed, TensorDescriptor, Transform, Xor, XorNoModulo
from layoutalg.layout.bind import bind, expressions
from layoutalg.prove import Proved, Refuted


def fixes(item: DescriptorItem, prover: Prover, risks: Sequence[Remark]) -> Iterator[Fix]:
    """A proposal for each fault that has one."""
    faults = {f.about for f in risks if f.grade == "fault"}
    if faults & {"overlap", "bounds"}:
        yield from _apart(item, prover)
    if "index" in faults:
        yield _narrower(item, prover)


def _apart(item: DescriptorItem, prover: Prover) -> Iterator[Fix]:
    """Other transforms in the place of those that make indices meet, where they are injective and in bounds."""
    for what, changed in _variants(item.descriptor):
        other = replace(item, descriptor=changed)
        verdicts = prover(other, "injective"), prover(other, "in_bounds")
        if all(isinstance(v, Proved) for v in verdicts):
            yield Fix("overlap", f"{what}: then no two indices share an element (proved).", verdicts)
            return
    if isinstance(prover(item, "injective"), Refuted):
        yield Fix("overlap", 'If the overlap is meant (windows, copies), state claims = ["in_bounds"] in the file.')


def _variants(d: TensorDescriptor) -> Iterator[tuple[str, TensorDescriptor]]:
    transforms = d.adaptor.transforms
    mixed = [t for t in transforms if isinstance(t, Xor | XorNoModulo)]
    if mixed:
        other = tuple(CyclicShift(t.lengths) if isinstance(t, Xor | XorNoModulo) else t for t in transforms)
        told = ", ".join(f"{t} by {CyclicShift(t.lengths)}" for t in mixed)
        yield f"Replace {told}", _with(d, other)
    first = transforms[0]
    if isinstance(first, Embed) and d.adaptor.lower_ids[0] == d.adaptor.bottom_ids:
        strides, size = _packed(first)
        if strides != first.strides:
            other = (Embed(first.lengths, strides), *transforms[1:])
            told = f"strides ({', '.join(map(str, strides))}) in place of ({', '.join(map(str, first.strides))})"
            yield f"Give {first.lengths} the {told}", replace(_with(d, other), element_space_size=size)


def _with(d: TensorDescriptor, transforms: Sequence[Transform]) -> TensorDescriptor:
    return replace(d, adaptor=replace(d.adaptor, transforms=tuple(transforms)))


def _packed(embed: Embed) -> tuple[tuple[Expr, ...], Expr]:
    """The strides without gaps, the dimensions in the order of the given strides, and the size."""
    order = sorted(range(len(embed.lengths)), key=lambda n: (embed.strides[n].lo, -n))
    strides, size = [ZERO] * len(order), ONE
    for n in order:
        strides[n], size = size, size * embed.lengths[n]
    return tuple(strides), size


def _narrower(item: DescriptorItem, prover: Prover) -> Fix:
    """The largest value of the only symbol for which 32 bits suffice."""
    sizes = {v for e in expressions(item.descriptor) for v in _symbols(e)}
    wide = (
        "Compute the offset in 64 bits (CK's long_index_t), or move the tensor's base pointer by the outer dimension."
    )
    if len(sizes) != 1:
        return Fix("index", wide)
    (size,) = sizes
    low, step = int(size.value.lo), size.value.multiple_of
    if size.value.power_of_two or size.hi == float("inf"):
        return Fix("index", f"{wide} Or give {size} a maximum.")
    fits, fails = low - step, int(size.value.hi)
    while fails - fits > step:
        middle = fits + (fails - fits) // step // 2 * step
        if isinstance(prover(_up_to(item, size, middle), "fits_index"), Proved):
            fits = middle
        else:
            fails = middle
    if fits < low:
        return Fix("index", wide)
    verdict = prover(_up_to(item, size, fits), "fits_index")
    return Fix(
        "index", f"32 bits suffice for {size} ≤ {fits:,} (proved). Beyond: {wide[0].lower()}{wide[1:]}", (verdict,)
    )


def _symbols(e: Expr) -> list[Expr]:
    return [v for v in variables(e) if v.value.extent is None]


def _up_to(item: DescriptorItem, size: Expr, most: int) -> DescriptorItem:
    s = size.value
    smaller = symbol(s.name, min=int(s.lo), max=most, multiple_of=s.multiple_of)
    given = substitute(item.given, {size: smaller})
    return replace(item, descriptor=bind(item.descriptor, {size: smaller}), given=given)
