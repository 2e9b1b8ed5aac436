"""What is stored is what the program means: values of tiles beside `Program.meaning`.

| value of the tile                  | meaning    | what must hold                                           |
|------------------------------------|------------|----------------------------------------------------------|
| an element of a tensor             | `Read`     | its origin is the target's                               |
| a function of values               | `Compute`  | the function is the same, and each operand means its own |
| a sum of products                  | `Contract` | rows, columns and k belong together; it is complete      |
| … of elements with scales          | `ContractScaled` | the same, and scales are those of their elements' blocks |
| a sum of elements, or the greatest | `Reduce`   | rows are the target's; it is complete                    |
| a quotient of sums of powers       | `Attend`   | both sums have the powers of each key that is kept, once |

When a sum is complete, `complete` says; of powers and their quotients, `attends`.
"""

from __future__ import annotations

from collections.abc import Iterator

from layoutalg.index import FALSE, TRUE, Expr, all_equal, all_of, as_expr, eq
from layoutalg.kernel.obligations.attends import attends
from layoutalg.kernel.obligations.base import Requirement
from layoutalg.kernel.obligations.complete import Contracted, complete, products_complete
from layoutalg.kernel.obligations.held import Computed, Element, Quotient, Scaled, Term, Total, Value, text_of
from layoutalg.kernel.program import (
    Attend,
    Compute,
    Contract,
    ContractScaled,
    Meaning,
    Program,
    Read,
    Reduce,
    Store,
    Tensor,
)
from layoutalg.layout import LayoutError
from layoutalg.prove import ForAll, Shown


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
        case ContractScaled(a, b, a_scale, b_scale, block):
            yield from shapes(program, Contract(a, b))
            sides = ((a, a_scale), (b, b_scale))
            pairs = [(_blocks(scale, block), tensor.descriptor.lengths) for tensor, scale in sides]
            for _, scale in sides:
                data = as_expr(int(scale.descriptor.valid(scale.descriptor.index) is TRUE))
                yield Requirement(f"{scale.name} is not padded", ForAll("every scale is data", data))
        case Reduce(tensor):
            pairs = [(tensor.descriptor.lengths[:-1], target)]
        case Attend(q, k, v):
            (gq, m, d), (gk, n, dk), (gv, e, nv) = (t.descriptor.lengths for t in (q, k, v))
            pairs = [((gq, m, e), target), ((gk, gv, dk, nv), (gq, gq, d, n))]
    for one, other in pairs:
        shown = (Shown("lengths", one), Shown("lengths", other))
        goal = all_equal(one, other) if len(one) == len(other) else FALSE
        yield Requirement("shapes agree", ForAll("source and target have one shape", goal, TRUE, shown))


def _blocks(scale: Tensor, block: int) -> tuple[Expr, ...]:
    """The lengths of what has a scale for each block along its last coordinate."""
    *rows, blocks = scale.descriptor.lengths
    return (*rows, blocks * block)


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
        case Total("sum", (Term(Element(ta) as one, Element(tb) as other) as term,), True, None, shift=None), Contract(
            a, b
        ) if (ta, tb) == (a, b):
            yield from products_complete(program, number, term, one, other, x)
        case Total(
            "sum", (Term(Scaled() as left, Scaled() as right) as term,), True, None, shift=None
        ), ContractScaled() if _tensors(left, right) == meaning:
            yield from products_complete(program, number, term, left.element, right.element, x)
            yield from (_own_scales(program, number, term, factor) for factor in (left, right))
        case Total(how, (Term(Element(tensor) as one, None) as term,), True, None, shift=None), Reduce(
            wanted, wanted_how
        ) if (tensor, how) == (wanted, wanted_how):
            pairs = tuple(zip(one.origin[:-1], x, strict=True))
            yield from complete(program, number, Contracted(one.origin[-1], tensor.descriptor.lengths[-1]), term, pairs)
        case Quotient(), Attend():
            yield from attends(program, number, x, value, meaning)
        case _:
            wrong = ForAll(f"{text_of(value)} is not {text_of(meaning)}", FALSE)
            yield Requirement(f"{number}: what is stored is what is meant", wrong)


def _tensors(left: Scaled, right: Scaled) -> ContractScaled | None:
    """The sum of products that two factors are of, where both have blocks of one length."""
    tensors = (left.element.tensor, right.element.tensor, left.scale.tensor, right.scale.tensor)
    return ContractScaled(*tensors, left.block) if left.block == right.block else None


def _own_scales(program: Program, number: int, term: Term, factor: Scaled) -> Requirement:
    """A tile of scales begins where its elements do, which is where a block begins."""
    begins, scales = factor.element.origin, factor.scale.origin
    shown = (Shown("loops at", term.over), Shown("elements", begins), Shown("scales", scales))
    goal = all_equal(begins, (*scales[:-1], scales[-1] * factor.block))
    name, of = factor.scale.tensor.name, factor.element.tensor.name
    together = ForAll("both begin at one block", goal, program.requires, shown)
    return Requirement(f"{number}: {name} has the scales of {of}", together)


def _zero_in_padding(number: int, value: Element) -> Requirement:
    """A value that is passed on is 0 where there is none."""
    zero = as_expr(int(value.fill == "sum"))
    return Requirement(
        f"{number}: {value.tensor.name} is 0 in padding", ForAll("0 is put where there is no data", zero)
    )


__all__ = ["shapes", "stored"]
