"""What is known of unknowns holds for some values of them at all sizes, of all threads: else nothing would be claimed
where it does not, and all were proved there.
"""

from collections.abc import Iterator, Mapping
from random import Random

import pytest

from layoutalg.audit.followed import Followed, LaunchedKernel
from layoutalg.formats.spec import loads
from layoutalg.index import Expr, substitute, variables
from layoutalg.index.evaluate import admits, value
from layoutalg.launch.block_sizes import ManyBlocksError, of_each_block
from layoutalg.prove.vacuity import met
from layoutalg.symex.values.unknowns import dependencies, kind_of
from tests.audit.test_audit_cases import CASES, Question, questions
from tests.matrix import each

#: Points at which sizes and threads are tried.
DRAWS = 12

QUICK = {
    "blocks_of_any_size", "halved_in_turns", "left_by_data_or_a_count", "never_comes_to_its_loop", "scaled_in_f32",
    "triangular",
}  # fmt: skip


def points(given: Expr, over: tuple[Expr, ...]) -> Iterator[Mapping[Expr, int]]:
    """Values of sizes and indices, the least, the greatest, those beside and between them."""
    random = Random(0)
    for _ in range(DRAWS):
        point: dict[Expr, int] = {}
        for v in over:
            s, least = v.value, int(max(v.value.lo, -(2**31)))
            most = int(min(v.hi, 2**31)) if s.extent is None else value(s.extent, point) - 1
            near = random.choice((least, least + 1, most, most - 1, random.randint(least, max(least, most))))
            point[v] = near // s.multiple_of * s.multiple_of
            if not admits(v, point):
                break
        else:
            if not variables(held := substitute(given, point)) and value(held, {}):
                yield point


def is_given(v: Expr) -> bool:
    """Whether a variable is a size or an index, below what such are made of alone."""
    return all(kind_of(u) is None for u in sources(v))


def sources(v: Expr) -> list[Expr]:
    """A variable behind those that its extent is made of."""
    extent = v.value.extent
    return [*(u for w in variables(extent) for u in sources(w)), v] if extent is not None else [v]


def contradictions(kernel: Followed) -> Iterator[str]:
    """Of what nothing is known that could be so, and where."""
    facts, given = kernel.trace.facts, kernel.launched.given
    for v in (*facts.loops.facts, *facts.functions):
        known = next(iter(facts.of(v)))
        roots = sorted(dependencies(known, given), key=str)
        over = tuple(dict.fromkeys(w for u in roots if is_given(u) for w in sources(u)))
        for point in points(given, over):
            if met(substitute(known, point)) is False:
                yield f"{v}: {known} at {point}"


def followed(question: Question) -> Iterator[Followed]:
    file = loads(question.launch)
    try:
        each = [one for _, one in of_each_block(file)]
    except ManyBlocksError:
        each = [file]
    for one in each:
        yield LaunchedKernel.of(question.code, one).follow()


EVERY = [one for path in sorted(CASES.glob("*.toml")) for one in questions(path) if not one.cell and not one.more]


@pytest.mark.parametrize("question", each(EVERY, *(one for one in EVERY if one.case in QUICK)), ids=str)
def test_what_is_known_may_be_so_at_all_sizes(question: Question) -> None:
    assert not [text for kernel in followed(question) for text in contradictions(kernel)]
