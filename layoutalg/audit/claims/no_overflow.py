"""No address, and no index that becomes one, wraps: no word of 32 or 64 bits that it is made of was cut.

A word that a sum or product does not fit in is followed modulo 2ⁿ; where its value is looked at, and is not seen to be
in range (without a sign or with one, as the code takes it), the remainder stands in the address.  So an address without
such remainders is the number that its indices make, and this claim says that each remainder changes nothing.  Of
what is made of loaded data it says so where the remainder is the index itself, and nothing of a word that goes on into
other operations (hashes wrap), or that is the loaded one.  It fails where sizes and indices alone show it: the
remainder is what the machine computes there, so no run is needed, which at such sizes would be long.

A word does not say whether its upper half stands for negative numbers: `n - 1` is n + 4294967295 there.  So a number
that is cut has readings, by what its coefficients and its constant are.  It is uncut where one reading is in range in
all cases (n + 4294967295 in one case and n − 1 in another is a wrap), and is cut where none of them is in range.

What a choice goes by is no index, as a branch's condition is none: compilers ask of i mod 3 by a product that wraps.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from layoutalg.audit.accesses import TracedAccess
from layoutalg.audit.ask import WHOLE, Answer, Open, unseen
from layoutalg.audit.claims import ends, followed
from layoutalg.audit.followed import Followed
from layoutalg.index import FALSE, TRUE, ZERO, Expr, all_of, any_of, eq, mod, negation, postorder, simplify, variables
from layoutalg.index.normal import normal
from layoutalg.index.ranges import BOOLEAN
from layoutalg.prove import Proved, Refuted, Unknown
from layoutalg.symex.values.instances import origin_of
from layoutalg.symex.values.modular import outermost, readings, remainders
from layoutalg.symex.values.unknowns import dependencies, kind_of

NAME = "no_overflow"
SAYS = "no address, and no index that becomes one, wraps"
OF = "access"
RESTS_ON: tuple[str, ...] = (followed.NAME, ends.NAME)
FAULTS: frozenset[str] | None = None

#: What words are cut to.
WORDS = (1 << 32, 1 << 64)


def subjects(kernel: Followed) -> Sequence[TracedAccess]:
    """Each access."""
    return kernel.accesses


def decided(kernel: Followed, access: TracedAccess) -> Answer:
    """Proved by one reading of its words, refuted where none of them holds."""
    somehow, ways = _uncut(access.offset, kernel)
    each = (kernel.decide(NAME, access, way, WHOLE) for way in ways)
    read = next((one for one in each if isinstance(one.verdict, Proved)), None)
    return read or _by_any_reading(kernel, access, somehow, several=bool(ways))


def _by_any_reading(kernel: Followed, access: TracedAccess, somehow: Expr, *, several: bool) -> Answer:
    """Refuted where no reading holds, sizes and indices alone decide, and nothing has what was cut off."""
    answer = kernel.decide(NAME, access, somehow)
    verdict, launched = answer.verdict, kernel.launched
    if several and isinstance(verdict, Proved):
        return unseen(answer.about, Open("whether a word stands for a negative number differs from case to case"))
    given = {*launched.blocks, *launched.threads, *variables(*launched.sizes.values())}
    decides = given.issuperset(variables(somehow, kernel.given(access))) and not _has_upper_words(access.offset)
    if not isinstance(verdict, Refuted) or decides:
        return answer
    why = f"perhaps: {verdict.reason}"
    return answer._replace(verdict=Unknown(NAME, verdict.strategy, verdict.seconds, (), why))


def _uncut(offset: Expr, kernel: Followed) -> tuple[Expr, tuple[Expr, ...]]:
    """Whether what is cut to a word in an offset is in range by some reading, but for what was loaded; and by each."""
    loaded, cuts = kernel.trace.loaded, kernel.trace.cuts
    counts = _where_it_counts(offset)
    indices = {node.args[0] for node, _ in outermost(offset) if node.op in ("mod", "div") and _is_sum(node.args[0])}
    words = [
        [any_of(negation(counts.get(x, FALSE)), way) for way in _in_word(x, n, factor, _above(offset, factor * n))]
        for x, factor, n in remainders(offset)
        if (n in WORDS or any(n == size and factor % each == 0 for each, size in cuts))
        and (not _of_loaded(x, loaded) or (x in indices and not (n in WORDS and _is_loaded(x))))
    ]
    if not all(words):
        return TRUE, (FALSE,)  # readings too many to say which holds
    as_written, nearest = (all_of(*(ways[k] for ways in words)) for k in (0, -1))
    somehow = all_of(*(any_of(*ways) for ways in words))
    several = any(len(ways) > 1 for ways in words)
    return somehow, (nearest, as_written) if several else ()


def _where_it_counts(offset: Expr) -> Mapping[Expr, Expr]:
    """Where what each part of an offset is made of counts: where choices take it; a condition is made into no index."""
    counts: dict[Expr, Expr] = {offset: TRUE}
    for node in reversed(postorder(offset)):
        if node not in counts or node.op in BOOLEAN:
            continue
        taken: tuple[Expr, ...] = tuple(TRUE for _ in node.args)
        if node.op == "select":
            taken = FALSE, node.args[0], negation(node.args[0])
        for part, where in zip(node.args, taken, strict=True):
            here = all_of(counts[node], where)
            counts[part] = any_of(counts[part], here) if part in counts else here
    return counts


def _has_upper_words(offset: Expr) -> bool:
    """Whether a quotient may be the upper word of a number in two: by what a remainder is of, or above all of it."""
    both = [{node.args[1] for node in postorder(offset) if node.op == op} for op in ("div", "mod")]
    sizes = {factor * n for _, factor, n in remainders(offset)}
    above = (k for node, k in outermost(offset) if node.op == "div")
    return not both[0].isdisjoint(both[1]) or any(k > 0 and k % size == 0 for k in above for size in sizes)


def _of_loaded(x: Expr, loaded: Container[Expr]) -> bool:
    return any(origin_of(v) in loaded for v in dependencies(x))


def _is_sum(x: Expr) -> bool:
    """Whether a word is a sum of products of what was given or loaded: an index, and no hash of them."""
    return all(node.op in ("var", "const", "add", "mul") for node in postorder(x))


def _is_loaded(x: Expr) -> bool:
    """Whether a word is of unknowns alone."""
    return all(kind_of(v) is not None for v in variables(x))


def _above(offset: Expr, size: int) -> Expr:
    """What of a sum is a multiple of a size: the upper word, of which a remainder is the lower one."""
    return sum((node * k for node, k in outermost(offset) if k % size == 0 and node.op != "div"), start=ZERO)


def _in_word(x: Expr, size: int, factor: int, above: Expr) -> list[Expr]:
    """That a number is not changed by a cut, by each of its readings; with its sign, where half the size is added.

    Or the upper word has what was cut off, as a carry or a borrow.
    """
    half = size // 2 if normal(x).terms.get((), 0) == size // 2 else 0
    ways = readings(simplify(x - half), size)
    within = (all_of(one + half >= 0, one + half < size) for one in ways)
    if above is ZERO:
        return list(within)
    return [
        any_of(here, eq(mod(x, size) * factor + above, (one + half) * factor))
        for one, here in zip(ways, within, strict=True)
    ]
