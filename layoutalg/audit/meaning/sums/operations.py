"""Results of functions as sums and products: arithmetic, conversions, matrix instructions, sums of integers."""

from __future__ import annotations

from fractions import Fraction

from layoutalg.audit.ask import Open, each_seen
from layoutalg.audit.meaning.sums.addends import Addend, Sum, Value, candidate, combined, product, scaled, total
from layoutalg.audit.meaning.sums.matrix import element_of, products, thread_of
from layoutalg.audit.meaning.sums.numbers import EXTREMES, FORMATS, INTEGERS
from layoutalg.audit.meaning.sums.reading import WordAt, WordReader
from layoutalg.audit.meaning.sums.words import halves, is_one_word, together, words_of
from layoutalg.index.normal import normal
from layoutalg.isa.semantics.matrix import registers_of
from layoutalg.symex.values.unknowns import Call, call_of
from layoutalg.target.matrix import matrix_instruction, matrix_table

_BITS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64}


def sum_of_integers(reader: WordReader, word: WordAt) -> Value | None:
    """A sum of products of words, modulo 2³²."""
    if word.dtype not in INTEGERS or word.expr.op not in ("add", "mul"):
        return None
    if is_one_word(word.made_of, reader.kernel.history.read):
        return None
    if word.how != "add":
        return Open(f"a {word.how} of integers")
    terms = words_of(normal(word.expr), word.expr, reader.kernel.history.read)
    if isinstance(terms, Open):
        return terms
    found = []
    for scale, atoms in terms:
        factors = each_seen(reader.read(word.of(atom)) for atom in atoms)
        if isinstance(factors, Open):
            return factors
        one: Value = Sum((Addend(),))
        for factor in factors:
            one = product(one, factor)
        found.append(scaled(one, Fraction(scale)))
    return total(*found)


def _call(word: WordAt) -> Call:
    """The function whose result a word is, perhaps in two registers."""
    pair = halves(word.expr)
    return call_of(word.expr) if pair is None else together(*map(call_of, pair))


def matrix_sum(reader: WordReader, word: WordAt) -> Value | None:
    """One element of a matrix instruction's result: of all that the wave holds."""
    name, arguments = _call(word)
    if "[" not in name:
        return None
    builtin, _, number = name.removesuffix("]").partition("[")
    if not number.isdigit() or builtin not in matrix_table():
        return Open(f"the result of {name}")
    matrix = matrix_instruction(builtin)
    if matrix.accumulator != word.dtype:
        return Open(f"the result of {name} as {word.dtype}")
    counts = registers_of(matrix)
    a, b = arguments[: counts["a"]], arguments[counts["a"] : counts["a"] + counts["b"]]
    found, each = [reader.read(word.summed.of(arguments[-1]))], products(matrix, int(number))
    if isinstance(each, Open):
        return each
    for pair in each:
        operands = []
        for held, words, kind in zip(pair, (a, b), (matrix.a_dtype, matrix.b_dtype), strict=True):
            there = thread_of(held.lane, matrix.wave, reader.kernel.history.block.indices, word.env)
            if isinstance(there, Open):
                return there
            operand = word.summed.of(element_of(tuple(words), held.element, kind), kind)
            operands.append(operand.at({**word.env, **there}))
        factors = each_seen(map(reader.elsewhere, operands))
        if isinstance(factors, Open):
            return factors
        found.append(product(*factors))
    reader.rounded.types[matrix.accumulator] = None
    summed = total(*found)
    return summed if word.how == "add" else candidate(summed)


def arithmetic(reader: WordReader, word: WordAt) -> Value | None:
    """The result of a function of floats: of those that are sums, products or extremes of real numbers."""
    name, arguments = _call(word)
    if not name:
        return None
    operation, kind = name.rsplit("_", 1)
    wanted, _, given = name.partition("_of_")
    if given in FORMATS and wanted in FORMATS:
        if wanted != word.dtype:
            return Open(f"the result of {name} as {word.dtype}")
        if _BITS[wanted] < _BITS[given] and word.expr is not reader.stored:
            reader.rounded.operands[wanted] = None
        return reader.read(word.of(arguments[0], given))
    if kind in FORMATS and kind != word.dtype:
        return Open(f"the result of {name} as {word.dtype}")
    if operation in EXTREMES and arguments[0] is arguments[1]:
        return reader.read(word.of(arguments[0], kind))
    if operation == word.how != "add":
        each = each_seen(reader.read(word.of(x, kind)) for x in arguments)
        return each if isinstance(each, Open) else combined(lambda one: tuple(dict.fromkeys(one)), total(*each))
    if operation not in ("add", "sub", "mul", "fma", "mad") or kind not in FORMATS:
        return Open(f"the result of {name}")
    operands = each_seen(reader.read(word.summed.of(x, kind)) for x in arguments)
    if isinstance(operands, Open):
        return operands
    reader.rounded.types[kind] = None
    found = _arithmetic(operation, *operands)
    return found if word.how == "add" else candidate(found)


def _arithmetic(operation: str, one: Value, other: Value, *addend: Value) -> Value:
    match operation:
        case "add":
            return total(one, other)
        case "sub":
            return total(one, scaled(other, Fraction(-1)))
    return total(product(one, other), *addend)
