"""Words as sums of others: halves and bytes put together, choices lifted out, what a loop makes of what it carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from layoutalg.audit.ask import Open
from layoutalg.index import ZERO, Expr, const, div, mod, postorder, rebuild, select, simplify
from layoutalg.index.normal import normal
from layoutalg.index.poly import Poly
from layoutalg.symex.loops.record import LoopRecord
from layoutalg.symex.values.unknowns import Call, dependencies
from layoutalg.target.dtypes import dtype_of

Bytes = Mapping[Expr, tuple[int, int]]
"""Of what is read of LDS, the number of the access, and which of its bytes it is."""


def bits_of(dtype: str) -> int:
    """The bits of an element type."""
    return 8 * int(dtype_of(dtype).bytes)


def chosen_by(word: Expr) -> Expr | None:
    """The condition of a choice in a word, of one that holds no other; None where there is none."""
    return next((node.args[0] for node in postorder(word) if node.op == "select"), None)


def lifted(word: Expr, condition: Expr) -> Expr:
    """A word in which choices by one condition occur, as one choice.

    >>> from layoutalg.index import var
    >>> x, y = var("x", 300), var("y", 300)
    >>> lifted(select(x < 9, y, 0) // 256 * 256 + select(x < 9, y, 0) % 256, x < 9)
    select(x < 9, y, 0)
    """
    ways = []
    for k in (1, 2):
        new: dict[Expr, Expr] = {}
        for node in postorder(word):
            chosen = node.op == "select" and node.args[0] is condition
            new[node] = new[node.args[k]] if chosen else rebuild(node, [new[part] for part in node.args])
        ways.append(simplify(new[word]))
    return select(condition, *ways)


def halves(word: Expr) -> tuple[Expr, Expr] | None:
    """The two variables whose halves of 32 bits a word is put together of."""
    terms = {k: atoms for atoms, k in normal(word).terms.items()}
    if set(terms) != {1, 1 << 32} or any(len(atoms) != 1 for atoms in terms.values()):
        return None
    return terms[1][0], terms[1 << 32][0]


def is_one_word(unknowns: Sequence[Expr], read: Bytes) -> bool:
    """Whether all are bytes of one word that is read from LDS."""
    reads = {(read[v][0], read[v][1] // 4) if v in read else None for v in unknowns}
    return len(reads) == 1 and None not in reads


def words_of(poly: Poly, word: Expr, read: Bytes) -> list[tuple[int, tuple[Expr, ...]]] | Open:
    """The terms of a sum, bytes of LDS put together to words."""
    found: list[tuple[int, tuple[Expr, ...]]] = []
    bytes_: dict[tuple[int, int], dict[int, tuple[Expr, int]]] = {}
    for atoms, scale in poly.terms.items():
        if len(atoms) == 1 and atoms[0] in read:
            number, k = read[atoms[0]]
            bytes_.setdefault((number, k // 4), {})[k % 4] = atoms[0], scale
        else:
            found.append((scale, atoms))
    for four in bytes_.values():
        scale = four[0][1] if 0 in four else 0
        if sorted(four) != [0, 1, 2, 3] or any(each != scale << 8 * k for k, (_, each) in four.items()):
            return Open(f"parts of words in {word}")
        found.append((scale, (simplify(sum((v * (1 << 8 * k) for k, (v, _) in four.items()), start=ZERO)),)))
    return found


def together(low: Call, high: Call) -> Call:
    """The element of 64 bits that two registers of a matrix instruction's result hold."""
    name, _, number = low[0].removesuffix("]").partition("[")
    if not number or int(number) % 2 or high[0] != f"{name}[{int(number) + 1}]" or low[1][:-1] != high[1][:-1]:
        return "", ()
    return f"{name}[{int(number) // 2}]", (*low[1][:-1], simplify(mod(low[1][-1], 1 << 32) + high[1][-1] * (1 << 32)))


def made_by_iterations(loops: LoopRecord) -> dict[Expr, Expr]:
    """What one iteration makes of what a loop carries, out of it → what is carried; of the halves of one, their sum."""
    found: dict[Expr, Expr] = {}
    made = {v: simplify(one.after) for v, one in loops.carried.items()}
    for v, after in made.items():
        if v not in dependencies(after):
            continue
        one = loops.carried[v]
        if one.left is not None:
            found.setdefault(simplify(one.left), v)
        wide = after.args[0] if after.op == "mod" and after.args[1] is const(1 << 32) else after
        if after.op == "var" and after.hi <= v.hi:
            found.setdefault(after, v)
        elif wide.op == "var":
            upper = div(wide, 1 << 32)
            high = next((u for u, e in made.items() if e is upper and loops.carried[u].loop is one.loop), None)
            if high is not None:
                found.setdefault(wide, simplify(v + high * (1 << 32)))
    return found
