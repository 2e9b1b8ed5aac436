"""What is stored is what the program means: values of tiles beside `Program.meaning`.

| value of the tile                  | meaning    | what must hold                                           |
|------------------------------------|------------|----------------------------------------------------------|
| an element of a tensor             | `Read`     | its origin is the target's                               |
| a function of values               | `Compute`  | the function is the same, and each operand means its own |
| a sum of products                  | `Contract` | rows, columns and k belong together; it is complete      |
| a sum of elements, or the greatest | `Reduce`   | rows are the target's; it is complete                    |

A sum is complete when its origins in k and the tile's k together run through the contracted index, each value once:
(loop indices, k of the tile) ↦ k is one to one, and reaches every k; beyond the tensor's end both factors are 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import FALSE, TRUE, Expr, all_equal, all_of, as_expr, eq, extent_of, internal, substitute
from layoutalg.index.radix import digits
from layoutalg.kernel.obligations.base import Requirement, inside
from layoutalg.kernel.obligations.held import Computed, Element, Term, Total, Value, text_of
from layoutalg.kernel.program import Compute, Contract, Meaning, Program, Read, Reduce, Store, Tensor
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, InjectiveMap, Shown


def shapes(program: Program, meaning: Meaning) -> Iterator[Requirement]:
    """Tensors that are combined have the lengths that the combination needs."""
    target = program.target.descriptor.lengths
    match meaning:
        case Compute(_, operands):
            for operand in operands:
                yield from (
                    [_reaches(program, operand.tensor)] if isinstance(operand, Read) else shapes(program, operand)
                )
            return
        case Read(tensor):
            pairs = [(tensor.descriptor.lengths, target)]
        case Contract(a, b):
            (ga, m, ka), (gb, n, kb), (g, rows, columns) = a.descriptor.lengths, b.descriptor.lengths, target
            pairs = [((ga, m, gb, n, ka), (g, rows, g, columns, kb))]
        case Reduce(tensor):
            pairs = [(tensor.descriptor.lengths[:-1], target)]
    for one, other in pairs:
        shown = (Shown("lengths", one), Shown("lengths", other))
        goal = all_equal(one, other) if len(one) == len(other) else FALSE
        yield Requirement("shapes agree", ForAll("source and target have one shape", goal, TRUE, shown))


def _reaches(program: Program, tensor: Tensor) -> Requirement:
    """A tensor that takes part in a function has an element at each of the target's coordinates (it may have more)."""
    one, other = tensor.descriptor.lengths, program.target.descriptor.lengths
    shown = (Shown("lengths", one), Shown("lengths", other))
    goal = all_of(*(n >= m for n, m in zip(one, other, strict=True))) if len(one) == len(other) else FALSE
    about = f"{tensor.name} has every coordinate of {program.target.name}"
    return Requirement(about, ForAll("it is as long as the target", goal, TRUE, shown))


def stored(program: Program, number: int, s: Store, value: Value) -> Iterator[Requirement]:
    """What is stored is what the program means, in its place."""
    if s.tensor != program.target:
        raise LayoutError(f"statement {number} stores to {s.tensor.name}; the target is {program.target.name}")
    meaning = program.claimed
    if isinstance(meaning, Read) and isinstance(value, Element) and value.tensor == meaning.tensor:
        goal = all_of(
            *(all_of(eq(a, b), eq(b, c)) for a, b, c in zip(value.origin, s.origin, program.origin, strict=True))
        )
        shown = (Shown("block", program.grid), Shown("from", value.origin), Shown("to", s.origin))
        about = f"{number}: {program.target.name}[x] = {meaning.tensor.name}[x]"
        yield Requirement(about, ForAll("values keep their coordinates", goal, TRUE, shown))
        yield _zero_in_padding(number, value)
        return
    where = (Shown("block", program.grid), Shown("to", s.origin))
    at = ForAll("the tile goes to its place", all_equal(s.origin, program.origin), TRUE, where)
    yield Requirement(f"{number}: stored where the block's tile is", at)
    yield from means(program, number, s.origin, value, meaning)


def means(program: Program, number: int, x: tuple[Expr, ...], value: Value, meaning: Meaning) -> Iterator[Requirement]:
    """The value of the tile at x is what is meant."""
    match value, meaning:
        case Element(tensor, origin), Read(wanted) if tensor == wanted:
            yield _zero_in_padding(number, value)
            shown = (Shown("from", origin), Shown("to", x))
            goal = ForAll("values keep their coordinates", all_equal(origin, x), TRUE, shown)
            yield Requirement(f"{number}: {tensor.name} is read at the target's coordinates", goal)
        case Computed(function, values), Compute(wanted_function, meanings) if function == wanted_function and len(
            values
        ) == len(meanings):
            for one, other in zip(values, meanings, strict=True):
                yield from means(program, number, x, one, other)
        case Total("sum", (Term(Element(ta), Element(tb)) as term,), True, None), Contract(a, b) if (
            ta, tb,
        ) == (a, b):  # fmt: skip
            assert term.b is not None
            rows = (*zip(term.a.origin[:2], x[:2], strict=True), *zip(term.b.origin[:2], (x[0], x[2]), strict=True))
            yield from complete(program, number, term, (*rows, (term.a.origin[2], term.b.origin[2])))
        case Total(how, (Term(Element(tensor), None) as term,), True, None), Reduce(wanted, wanted_how) if (
            tensor,
            how,
        ) == (wanted, wanted_how):
            yield from complete(program, number, term, tuple(zip(term.a.origin[:-1], x, strict=True)))
        case _:
            wrong = ForAll(f"{text_of(value)} is not {text_of(meaning)}", FALSE)
            yield Requirement(f"{number}: what is stored is what is meant", wrong)


def complete(program: Program, number: int, term: Term, pairs: tuple[tuple[Expr, Expr], ...]) -> Iterator[Requirement]:
    """A sum has its rows and columns, and takes each contracted index exactly once."""
    shown = (Shown("loops at", term.over), Shown("origins", tuple(a for a, _ in pairs)))
    rows = ForAll("origins agree", all_of(*(eq(a, b) for a, b in pairs)), program.requires, shown)
    yield Requirement(f"{number}: rows, columns and k belong together", rows)
    within = internal("k_within", term.length)
    reached = term.a.origin[-1] + within
    over = (*term.over, within)
    about = f"{number}: no contracted index is summed twice"
    yield Requirement(about, InjectiveMap("k differ", over, (reached,), TRUE, (Shown("k", (reached,)),)))
    contracted = internal("k", term.a.tensor.descriptor.lengths[-1])
    extents = [extent_of(v) for v in over]
    found = digits(contracted, extents)
    put: dict[Expr, Expr | int] = dict(zip(over, found, strict=True))
    goal = all_of(inside(found, extents), eq(substitute(reached, put), contracted))
    shown = (Shown("k", (contracted,)), Shown("loops at", found))
    about = f"{number}: every contracted index is summed"
    yield Requirement(about, ForAll("an iteration takes it", goal, program.requires, shown))


def _zero_in_padding(number: int, value: Element) -> Requirement:
    """A value that is passed on is 0 where there is none."""
    zero = as_expr(int(value.fill == "sum"))
    return Requirement(
        f"{number}: {value.tensor.name} is 0 in padding", ForAll("0 is put where there is no data", zero)
    )


__all__ = ["shapes", "stored"]
