"""A layout in another notation, and the proof that what is written there is the same map.

| notation | written                                  | read again by              | cannot say                       |
|----------|------------------------------------------|----------------------------|----------------------------------|
| `cute`   | CuTe's shape:stride, or a swizzle of one | `layoutalg.interop.cute`   | padding; what no layout is       |
| `triton` | Triton's linear or padded layout         | `layoutalg.interop.triton` | sizes; lengths of no power of 2  |
| `ck`     | CK Tile's function that makes it         | `layoutalg.cpp`            | xor without modulo               |
| `spec`   | a spec file's table                      | `layoutalg.formats.loads`  | a first transform of no base     |
| `cpp`    | a plain function from index to offset,   | `layoutalg.cpp`            | a table; values beyond 64 bits   |
|          | −1 where an index reaches no data        |                            |                                  |

Nothing is given that is not proved: what is written is read again, and must agree on the shape, on which indices reach
data, and on every offset.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from layoutalg.cpp import reader
from layoutalg.errors import LayoutError
from layoutalg.formats import ck_write
from layoutalg.formats.dump import dump, size_text
from layoutalg.formats.model import DescriptorItem, DistributionItem, SpecFile, StatedClaim
from layoutalg.formats.spec import loads
from layoutalg.index import TRUE, Expr, eq, select, simplify, unused, variables
from layoutalg.index.c import RESERVED, c_expression
from layoutalg.layout import TensorDescriptor, TileDistribution
from layoutalg.layout.bind import bind, expressions
from layoutalg.lazy import lazy_imports
from layoutalg.prove import Agree, Claim, ForAll, Limits, Proved, Shown, Verdict, prove
from layoutalg.prove.claims.given import ExplicitClaim, under
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg.interop import cute, triton

Item = DescriptorItem | DistributionItem
Layout = TensorDescriptor | TileDistribution


@dataclass(frozen=True)
class Conversion:
    """A layout in another notation: its text and the proof; or no text, and why.

    `verdict` is None where nothing could be written; where it is not Proved, what was written is withheld.
    """

    name: str
    text: str
    verdict: Verdict | None
    reason: str = ""

    def __bool__(self) -> bool:
        return isinstance(self.verdict, Proved)


def convert(item: Item, to: str, limits: Limits | None = None) -> Conversion:
    """The layout of an item in one of NOTATIONS.

    >>> [item] = loads('[[descriptor]]\\nname = "a"\\nbase = { kind = "packed", lengths = [4, 8] }').descriptors
    >>> convert(item, "cute").text, convert(item, "triton").text[:60]
    ('(4,8):(8,1)', '#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0]')
    >>> print(convert(item, "cpp").text, end="")
    // a: 4 x 8 over 32 elements
    constexpr long long a(long long i0, long long i1)
    {
        return i0 * 8 + i1;
    }
    """
    layout = item.descriptor if isinstance(item, DescriptorItem) else item.distribution
    try:
        text, same = NOTATIONS[to](item, layout)
        verdict = prove(under(item.given, same), limits=limits or Limits())
    except (LayoutError, ValueError) as error:
        return Conversion(item.name, "", None, str(error))
    return Conversion(item.name, text if isinstance(verdict, Proved) else "", verdict, verdict.reason)


def read_text(notation: str, text: str, shape: Sequence[int] = ()) -> DescriptorItem | DistributionItem:
    """The layout of a text of CuTe's, or of Triton's on a tensor of that shape; LayoutError, ParseError say where not.

    >>> read_text("cute", "(4,8):(8,1)").descriptor.lengths
    (4, 8)
    """
    if notation == "cute":
        return DescriptorItem(name="layout", descriptor=cute.descriptor(cute.parse(text)))
    made = triton.from_triton(text, shape)
    if isinstance(made, TileDistribution):
        return DistributionItem(name="layout", distribution=made)
    return DescriptorItem(name="layout", descriptor=made)


def _agree(one: Layout, other: Layout) -> Claim:
    """That both are one map; of distributions, from lane and register to element."""
    if isinstance(one, TileDistribution) and isinstance(other, TileDistribution):
        return Agree(one.adaptor, other.adaptor)
    assert isinstance(one, TensorDescriptor) and isinstance(other, TensorDescriptor)  # noqa: PT018
    return Agree(one, other)


def _sizes(of: object) -> dict[str, Expr]:
    """The sizes of a layout, or of all that an item says, by name."""
    found = (v for e in expressions(of) for v in variables(e) if not v.value.index)
    return {v.value.name: v for v in found}


def _spec(item: Item, layout: Layout) -> tuple[str, Claim]:
    own = alone(item)
    text = dump(SpecFile("", _sizes(own) | _sizes(own.limits), (own,)))  # `limits` has the file's own sizes
    file = loads(text)
    (again,) = _layouts(file)
    return text, _agree(layout, again)


def alone(item: Item) -> Item:
    """The item without claims on others, which its own file has; where these were all, it claims to stay in bounds."""
    own = tuple(c for c in item.claims if c.other is None)
    return replace(item, claims=own or (StatedClaim("in_bounds"),))


def one_file(texts: Sequence[str]) -> str:
    """Spec files as one, which has the sizes of all.

    >>> one, other = (f'[[descriptor]]\\nname = "{n}"\\nbase = {{ kind = "packed", lengths = [4] }}' for n in "ab")
    >>> [item.name for item in loads(one_file([one, other])).items]
    ['a', 'b']
    """
    files = [loads(text) for text in texts]
    sizes = {name: size for file in files for name, size in file.symbols.items()}
    return dump(SpecFile("", sizes, tuple(item for file in files for item in file.items)))


def _ck(item: Item, layout: Layout) -> tuple[str, Claim]:
    text = ck_write.to_ck(layout, _identifier(item.name))
    names = {v: name for name, v in _sizes(layout).items()}
    in_c = ck_write.parameter_names(layout)
    file = reader.loads(text, "", {in_c[v]: size_text(v) for v in names})
    found = _layouts(file)
    if len(found) != 1:
        why = "; ".join(part.reason for part in file.unread) or "nothing is read"
        raise LayoutError(f"what CK's text says is not read again: {why}")
    return text, _agree(layout, bind(found[0], {file.symbols[in_c[v]]: v for v in names if in_c[v] in file.symbols}))


def _layouts(file: SpecFile) -> list[Layout]:
    return [*(d.descriptor for d in file.descriptors), *(d.distribution for d in file.distributions)]


def _cpp(item: Item, layout: Layout) -> tuple[str, Claim]:
    d = _of_memory(layout)
    sizes, name = _sizes(d), _identifier(item.name)
    index = () if d.is_empty else d.index
    if not index:
        raise LayoutError("a tensor without an index has no offset to compute")
    wanted = select(simplify(d.valid(index)), simplify(d.offset(index)), -1)
    taken: dict[Expr, str] = {}
    for v in (*index, *sizes.values()):
        taken[v] = unused(v.value.name, {*RESERVED, name, *taken.values()})
    listed = ", ".join(f"long long {given}" for given in taken.values())
    head = f"// {item.name}: {' x '.join(map(str, d.lengths))} over {d.element_space_size} elements"
    head += "" if d.valid(index) is TRUE else "; -1 where an index reaches no data"
    text = f"{head}\nconstexpr long long {name}({listed})\n{{\n    return {c_expression(wanted, taken, bits=64)};\n}}\n"
    computed = reader.value_of(text, name, [*taken])
    shown = (Shown("index", index), Shown("values", (computed, wanted)))
    offset = select(d.valid(index), d.offset(index), -1)
    same = ForAll("the C++ computes the offset", eq(computed, offset), TRUE, shown)
    return text, ExplicitClaim("the C++ computes the same map", (same,), (d,))


def _cute(item: Item, layout: Layout) -> tuple[str, Claim]:
    d = _of_memory(layout)
    text = str(cute.layout_of(d))
    return text, Agree(d, cute.descriptor(cute.parse(text, _sizes(d))))


def _triton(item: Item, layout: Layout) -> tuple[str, Claim]:
    text = triton.to_triton(layout)
    lengths = layout.lengths
    if any(n.op != "const" for n in lengths):
        raise LayoutError(f"lengths {lengths}: Triton's layouts are of numbers")
    return text, _agree(layout, triton.from_triton(text, [int(n) for n in lengths]))


def _of_memory(layout: Layout) -> TensorDescriptor:
    if isinstance(layout, TensorDescriptor):
        return layout
    raise LayoutError("a distribution lies over no memory; its notations are spec, ck and triton")


def _identifier(name: str) -> str:
    """The name as one of C++."""
    return unused(re.sub(r"\W", "_", name, flags=re.ASCII), RESERVED)


NOTATIONS: Mapping[str, Callable[[Item, Layout], tuple[str, Claim]]] = {
    "cute": _cute, "triton": _triton, "ck": _ck, "spec": _spec, "cpp": _cpp,
}  # fmt: skip
"""How a layout is written, and the claim that the text, read again, is that layout."""
