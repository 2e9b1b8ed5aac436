"""`explain`: everything that is told of one descriptor, found and decided."""

from __future__ import annotations

from collections.abc import Sequence

from layoutalg.explain import fix, lds, memory
from layoutalg.explain.finding import Fix, Prover
from layoutalg.explain.report import Explanation
from layoutalg.explain.words import steps
from layoutalg.formats import AccessItem, DescriptorItem
from layoutalg.index import TRUE, simplify
from layoutalg.layout import TensorDescriptor
from layoutalg.layout.transform import listed
from layoutalg.prove import Limits
from layoutalg.target import DEFAULT_EXPLAINED
from layoutalg.target.dtypes import DTYPES


def explain(
    what: DescriptorItem | TensorDescriptor,
    targets: Sequence[str] = DEFAULT_EXPLAINED,
    limits: Limits | None = None,
    accesses: Sequence[AccessItem] = (),
) -> Explanation:
    """What a descriptor does, what holds of it and what does not, and what would put it right.

    `what`: a file's descriptor with its claims, or one that stands for itself, of which the usual claims are decided.
    `accesses`: the file's own of it, which are told of in place of the usual reads.

    >>> from layoutalg.formats import loads
    >>> text = '[[descriptor]]\\nname = "a"\\nbase = { kind = "naive", lengths = [6, 6], strides = [4, 1] }'
    >>> [f.text for f in explain(loads(text).descriptors[0]).risks][0]  # doctest: +ELLIPSIS
    'Indices share elements: offsets differ: not at index (0, 4), offset 4 and index (1, 0), offset 4. 36 indices ...'
    """
    if not isinstance(what, DescriptorItem | TensorDescriptor):
        raise TypeError(
            f"a descriptor is explained, not a {type(what).__name__}; make_naive_tensor_descriptor makes one"
        )
    item = what if isinstance(what, DescriptorItem) else DescriptorItem(name="layout", descriptor=what)
    prover = Prover(limits or Limits())
    d = item.descriptor
    results = prover.results(item)
    found = list(memory.findings(item, prover))
    fixes = list(fix.fixes(item, prover, found))
    found += lds.of_accesses(accesses, prover.limits)
    untold = "" if any(a.instruction for a in accesses) else lds.why_not(item, targets) or ""
    if accesses and any(f.about == "banks" and f.grade == "cost" for f in found):
        text = f"Another layout for these accesses: layoutalg synth FILE --descriptor {item.name}."
        fixes.append(Fix("banks", text))
    if not accesses and not untold:
        banks = list(lds.findings(item, prover, targets))
        found += banks
        untold = "" if banks else "no usual read divides it evenly"
        one = lds.fix(item, prover, targets, banks)
        fixes += [one] if one is not None else []
    valid = d.valid(d.index)
    return Explanation(
        item, _summary(item), steps(d.adaptor), str(simplify(d.offset(d.index))),
        "" if valid is TRUE else str(simplify(valid)), results, tuple(found), tuple(fixes), tuple(targets), untold,
    )  # fmt: skip


def _summary(item: DescriptorItem) -> str:
    d = item.descriptor
    of = f" of {item.dtype}" if item.dtype else ""
    size = d.element_space_size
    text = f"{' × '.join(map(str, d.lengths))} elements{of} ({listed(d.index)}) in a memory of "
    text += f"{size} elements"
    if item.dtype and size.op == "const" and int(size) * DTYPES[item.dtype].bits % 8 == 0:
        text += f", {int(size) * DTYPES[item.dtype].bits // 8:,} bytes"
    return text
