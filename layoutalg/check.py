"""Checking a file: every item's claims, decided by the prover, and held against what the file expects.

    for result in check(load("layouts.toml")):
        print(result.item.name, result.claim, result.verdict)

A claim that the file expects to be refuted passes when it is refuted; a layout that must be refused, when it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import ClassVar

from layoutalg.formats.claims import USUAL
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    DescriptorItem,
    DistributionItem,
    Example,
    Item,
    LemmaItem,
    Refusal,
    SpecFile,
    TransformItem,
)
from layoutalg.formats.model import Claim as Stated
from layoutalg.index import TRUE, Expr, all_of, as_expr, eq, postorder, var
from layoutalg.layout import LayoutError, NoInverseError, TensorAdaptor, make_single_stage_tensor_adaptor
from layoutalg.layout.increments import increment_of
from layoutalg.prove import (
    Bijective,
    Claim,
    Contiguous,
    FitsIndexType,
    ForAll,
    InBounds,
    Injective,
    InjectiveMap,
    Limits,
    Obligation,
    Proved,
    Refuted,
    Shown,
    Unknown,
    Verdict,
    prove,
)
from layoutalg.prove.claims import in_range
from layoutalg.prove.domain import digit_form


@dataclass(frozen=True)
class Result:
    """One claim of one item: the verdict, and what the file expects of it."""

    item: Item
    claim: str
    verdict: Verdict
    expect: str = "proved"

    @property
    def passed(self) -> bool:
        """Whether the verdict is the one that is expected."""
        return isinstance(self.verdict, Refuted if self.expect == "refuted" else Proved)


@dataclass(frozen=True)
class Question:
    """One claim of one item, to be decided; `verdict` where building the claim decided it already."""

    item: Item
    text: str
    expect: str = "proved"
    claim: Claim | Obligation | None = None
    verdict: Verdict | None = None


def check(
    spec: SpecFile,
    *,
    strategy: str | None = None,
    limits: Limits | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[Result]:
    """The result of each claim of a file, in the file's order; in parallel with `jobs` or on an executor."""
    asked = [question for item in spec.items for question in questions(item)]
    if jobs == 1 and executor is None:
        for question in asked:
            yield _answered(question, _decided(question, strategy, limits or Limits()))
        return
    from layoutalg.prove.parallel import prove_all

    open_claims = [q.claim for q in asked if q.claim is not None and not isinstance(q.item, AccessItem)]
    verdicts = iter(prove_all(open_claims, jobs=jobs, executor=executor, strategy=strategy, limits=limits or Limits()))
    for q in asked:
        sent = q.claim is not None and not isinstance(q.item, AccessItem)
        yield _answered(q, next(verdicts) if sent else _decided(q, strategy, limits or Limits()))


def _answered(question: Question, verdict: Verdict) -> Result:
    return Result(question.item, question.text, verdict, question.expect)


def _decided(question: Question, strategy: str | None, limits: Limits) -> Verdict:
    """The verdict; banks and numpy are loaded for accesses only, so that a check starts fast."""
    if question.verdict is not None:
        return question.verdict
    assert question.claim is not None
    if not isinstance(question.item, AccessItem):
        return prove(question.claim, strategy=strategy, limits=limits)
    from layoutalg.check_access import decide

    return decide(question.claim, strategy=strategy, limits=limits)


def questions(item: Item) -> Iterator[Question]:
    """The claims of one item, then its examples."""
    if isinstance(item, Refusal):
        yield _refusal(item)
    elif isinstance(item, LemmaItem):
        lemma = ForAll(item.name, item.goal, item.given, _lemma_shown(item))
        yield Question(item, "holds", item.expect, lemma)
    elif isinstance(item, AgreeItem):
        yield Question(item, "agree", item.expect, _agree(item))
    else:
        for stated in item.claims or tuple(Stated(name) for name in _usual(item)):
            yield _stated(item, stated)
        for example in getattr(item, "examples", ()):
            reaches = ForAll(example.name, example.goal, example.given, _reached(item, example))
            yield Question(example, "holds", example.expect, reaches)


def _stated(item: Item, stated: Stated) -> Question:
    try:
        if stated.name in CLAIMS:
            claim = _under(item.given, CLAIMS[stated.name](item, *stated.args))
        else:
            from layoutalg.check_access import ACCESS_CLAIMS

            claim = ACCESS_CLAIMS[stated.name](item, *stated.args)
    except (NoInverseError, LayoutError) as error:
        why = Unknown(str(stated), "statement", 0.0, why=str(error))
        return Question(item, str(stated), stated.expect, verdict=why)
    return Question(item, str(stated), stated.expect, claim)


def _usual(item: Item) -> tuple[str, ...]:
    kinds = {DescriptorItem: "descriptor", TransformItem: "transform", AdaptorItem: "adaptor",
             DistributionItem: "distribution", AccessItem: "access"}  # fmt: skip
    return USUAL[kinds[type(item)]]


def _refusal(item: Refusal) -> Question:
    claim = f"a {item.kind} that must be refused"
    if item.reason is None:
        built = Unknown(claim, "construction", 0.0, why="it was built; no reason to refuse it")
        return Question(item, "refused", verdict=built)
    return Question(item, "refused", verdict=Proved(f"{claim}: {item.reason}", "construction", 0.0))


def _lemma_shown(item: LemmaItem) -> tuple[Shown, ...]:
    return tuple(Shown(v.value.name, (v,)) for v in item.variables)


def _reached(item: Item, example: Example) -> tuple[Shown, ...]:
    """What an example's index really reaches."""
    adaptor = _adaptor(item)
    lower = adaptor.lower(example.index)
    what = "offset" if isinstance(item, DescriptorItem) else "lower index"
    return Shown("index", example.index), Shown(what, lower), Shown("valid", (adaptor.valid(example.index),))


def _agree(item: AgreeItem) -> Claim:
    one, other = item.left.descriptor, item.right.descriptor
    offsets = one.offset(item.left_index), other.offset(item.right_index)
    valid = one.valid(item.left_index), other.valid(item.right_index)
    shown = (Shown("at", item.variables), Shown("offsets", offsets))
    return Statement(
        f"{item.left.name} and {item.right.name} address the same word",
        (
            ForAll("both reach data", eq(*valid) if valid != (TRUE, TRUE) else TRUE, item.given, shown),
            ForAll("offsets are equal", eq(*offsets), all_of(item.given, valid[0]), shown),
        ),
    )


@dataclass(frozen=True)
class Statement(Claim):
    """A claim given by its obligations."""

    text: str
    parts: tuple[Obligation, ...]
    name: ClassVar[str] = "statement"

    def statement(self) -> str:
        return self.text

    def obligations(self) -> Iterator[Obligation]:
        return iter(self.parts)


@dataclass(frozen=True)
class _Under(Claim):
    """A claim under an assumption on the sizes."""

    claim: Claim
    given: Expr
    name: ClassVar[str] = "under"

    def statement(self) -> str:
        return f"{self.claim.statement()}, where {self.given}"

    def obligations(self) -> Iterator[Obligation]:
        return (replace(o, given=all_of(o.given, self.given)) for o in self.claim.obligations())

    def local_obligations(self) -> Iterator[Obligation] | None:
        local = self.claim.local_obligations()
        return local and (replace(o, given=all_of(o.given, self.given)) for o in local)


def _under(given: Expr, claim: Claim) -> Claim:
    return claim if given is TRUE else _Under(claim, given)


# --- each claim of a file ---------------------------------------------------------------------------------------------


def _adaptor(item: Item) -> TensorAdaptor:
    if isinstance(item, DescriptorItem):
        return item.descriptor.adaptor
    if isinstance(item, AdaptorItem):
        return item.adaptor
    if isinstance(item, DistributionItem):
        return item.distribution.adaptor
    assert isinstance(item, TransformItem)
    lower, upper = len(item.transform.lower_lengths), len(item.transform.upper_lengths)
    return make_single_stage_tensor_adaptor([item.transform], [list(range(lower))], [list(range(upper))])


def _in_bounds(item: Item) -> Claim:
    if isinstance(item, DescriptorItem):
        return InBounds(item.descriptor)
    if isinstance(item, AccessItem):
        return _access_in_bounds(item)
    adaptor = _adaptor(item)
    form = digit_form(adaptor)
    parts = []
    for i, index in form.hidden.items():
        length = adaptor.hidden_lengths.get(i)
        if length is not None and i not in adaptor.top_ids:
            shown = (Shown("index", form.top), Shown(f"hidden index of dimension {i}", (index,)))
            parts.append(ForAll(f"dimension {i} is in range", in_range(index, length), form.valid, shown))
    return Statement("every valid index stays in its dimensions", tuple(parts))


def _injective(item: Item) -> Claim:
    if isinstance(item, DescriptorItem):
        return Injective(item.descriptor)
    if isinstance(item, AccessItem):
        index = tuple(dict.fromkeys(v for v in (item.lane, *item.variables) if v.op == "var"))
        offset = item.descriptor.descriptor.offset(item.index)
        return Statement("different lanes reach different words", (InjectiveMap("offsets differ", index, (offset,)),))
    adaptor = _adaptor(item)
    form = digit_form(adaptor)
    below = tuple(form.hidden[i] for i in adaptor.bottom_ids)
    shown = (Shown("index", form.top), Shown("lower index", below))
    return Statement(
        "different valid indices have different lower indices",
        (InjectiveMap("lower indices differ", form.variables, below, form.valid, shown),),
    )


def _bijective(item: Item) -> Claim:
    if isinstance(item, DescriptorItem):
        return Bijective(item.descriptor)
    parts = (*_round_trip(item).obligations(), *_round_trip_lower(item).obligations())
    return Statement("upper and lower indices belong to each other one to one", parts)


def _fits_index(item: Item, bits: Expr | None = None) -> Claim:
    width = 32 if bits is None else int(bits)
    if isinstance(item, DescriptorItem):
        return FitsIndexType(item.descriptor, width)
    adaptor, limit = _adaptor(item), 1 << (width - 1)
    hidden = adaptor.hidden_index(adaptor.index)
    parts = tuple(
        ForAll(
            f"{e} fits", all_of(e >= -limit, e < limit), TRUE, (Shown("index", adaptor.index), Shown(f"{e} is", (e,)))
        )
        for e in postorder(*hidden.values())
        if not -limit <= e.lo <= e.hi < limit
    )
    return Statement(f"every intermediate value fits {width} bits", parts)


def _contiguous(item: Item, count: Expr, dimension: Expr | None = None) -> Claim:
    assert isinstance(item, DescriptorItem)
    d = item.descriptor
    return Contiguous(d, d.rank - 1 if dimension is None else int(dimension), int(count))


def _aligned(item: Item, count: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    d, n = item.descriptor, int(count)
    vector = var("vector", (d.lengths[-1] + n - 1) // n)
    index = (*d.index[:-1], vector * n)
    offset = d.offset(index)
    given = all_of(index[-1] < d.lengths[-1], d.valid(index))
    goal = ForAll("offsets are aligned", eq(offset % n, 0), given, (Shown("index", index), Shown("offset", (offset,))))
    return Statement(f"vectors begin at a multiple of {n}", (goal,))


def _round_trip(item: Item) -> Claim:
    adaptor = _adaptor(item)
    form = digit_form(adaptor)
    back = adaptor.upper([form.hidden[i] for i in adaptor.bottom_ids])
    goal = all_of(*(eq(a, b) for a, b in zip(back, form.top, strict=True)))
    shown = (Shown("u", form.top), Shown("upper(lower(u))", back))
    return Statement("upper(lower(u)) = u", (ForAll("upper(lower(u)) = u", goal, form.valid, shown),))


def _round_trip_lower(item: Item) -> Claim:
    adaptor = _adaptor(item)
    lengths = [n for n in adaptor.bottom_lengths if n is not None]
    if isinstance(item, DescriptorItem):
        lengths = [item.descriptor.element_space_size]
    if len(lengths) < len(adaptor.bottom_ids):
        raise LayoutError("a bottom dimension has no prescribed length: nothing says what d runs over")
    below = tuple(var(f"d{n}", length) for n, length in enumerate(lengths))
    top = adaptor.upper(below)
    down = adaptor.lower(top)
    goal = all_of(
        *(eq(a, b) for a, b in zip(down, below, strict=True)),
        *(in_range(i, n) for i, n in zip(top, adaptor.lengths, strict=True)),
    )
    shown = (Shown("d", below), Shown("upper(d)", top), Shown("lower(upper(d))", down))
    return Statement("lower(upper(d)) = d", (ForAll("lower(upper(d)) = d", goal, TRUE, shown),))


def _increments(item: Item) -> Claim:
    step = increment_of(item.transform if isinstance(item, TransformItem) else _adaptor(item))
    shown = (Shown("from", step.start), Shown("to", step.end), Shown("moved", step.moved),
             Shown("recomputed", step.recomputed))  # fmt: skip
    return Statement("moving equals recomputing", (ForAll("moving equals recomputing", step.holds, TRUE, shown),))


def _lengths(item: Item, *expected: Expr) -> Claim:
    actual = _adaptor(item).lengths if not isinstance(item, DistributionItem) else item.distribution.lengths
    same = len(actual) == len(expected)
    goal = all_of(*(eq(a, b) for a, b in zip(actual, expected, strict=True))) if same else as_expr(0)
    return Statement(f"the lengths are {expected}", (ForAll("lengths", goal, TRUE, (Shown("lengths", actual),)),))


def _element_space_size(item: Item, expected: Expr) -> Claim:
    assert isinstance(item, DescriptorItem)
    size = item.descriptor.element_space_size
    goal = ForAll("element space size", eq(size, expected), TRUE, (Shown("element space size", (size,)),))
    return Statement(f"the element space has {expected} elements", (goal,))


def _access_in_bounds(item: AccessItem) -> Claim:
    d = item.descriptor.descriptor
    parts = []
    for n, (i, length) in enumerate(zip(item.index, d.lengths, strict=True)):
        last = i + item.width - 1 if n == d.rank - 1 else i
        shown = (Shown("lane", (item.lane,)), Shown("index", item.index))
        parts.append(ForAll(f"coordinate {n} is in range", all_of(i >= 0, last < length), TRUE, shown))
    return Statement("every lane stays in the tensor", tuple(parts))


CLAIMS: Mapping[str, Callable[..., Claim]] = {
    "in_bounds": _in_bounds,
    "injective": _injective,
    "bijective": _bijective,
    "fits_index": _fits_index,
    "contiguous": _contiguous,
    "aligned": _aligned,
    "round_trip": _round_trip,
    "round_trip_lower": _round_trip_lower,
    "increments": _increments,
    "lengths": _lengths,
    "element_space_size": _element_space_size,
}
"""What each claim of a file says, as a claim of the prover; those of accesses alone are in `check_access`."""


def facts(item: DescriptorItem) -> dict[str, object]:
    """What else is true of a descriptor: bijective or not, and the widest vector along its last dimension."""
    d = item.descriptor
    widest = next((n for n in (16, 8, 4, 2) if isinstance(prove(Contiguous(d, d.rank - 1, n)), Proved)), 1)
    return {
        "bijective": prove(Bijective(d)).name,
        "vector": widest,
        "lengths": [str(n) for n in d.lengths],
        "element_space_size": str(d.element_space_size),
    }
