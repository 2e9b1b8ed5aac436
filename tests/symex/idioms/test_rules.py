"""Every rule of the table: z3 proves its lemma, and it reads what is written so and leaves what is nearly so.

Words are read by `prove`'s own formulas: integers, or bit-vectors that hold every value.  A function's result is what
IEEE 754 says: z3's theory of floating-point numbers.
"""

import itertools

import pytest
import z3

from layoutalg.index import (
    ONE,
    TRUE,
    ZERO,
    any_of,
    const,
    div,
    eq,
    mod,
    negation,
    postorder,
    select,
    simplify,
    symbol,
    value,
    var,
    variables,
)  # fmt: skip
from layoutalg.prove.encodings import BitVectors, Integers
from layoutalg.symex.idioms import division, floats
from layoutalg.symex.idioms.reciprocal import MOST_ERROR
from layoutalg.symex.idioms.rules import Lemma, Rule, first
from layoutalg.symex.idioms.short_division import SHORT_ERROR
from layoutalg.symex.idioms.table import RULES
from layoutalg.symex.machine.arithmetic import IndexValues
from layoutalg.symex.values.unknowns import call_of, kind_of

EVERY = {rule.name: rule for rules in RULES.values() for rule in rules}
LEMMAS = {name: rule.lemma for name, rule in EVERY.items() if rule.lemma is not None} | {
    "the quotient of a quotient and a sum": division.two_quotients(1 << 32, 4),
}
F32, BF16 = z3.FPSort(8, 24), z3.FPSort(8, 8)


def is_bitwise(e):
    """Whether integers are not enough: bits, or a product or quotient of two that are not constant."""
    return e.op in ("xor", "and") or (e.op in ("mul", "div", "mod") and e.args[1].op != "const")


def result_of(v, leaves, width):
    """What z3 says of a comparison of f32, or the number whose upper half is x rounded to bf16."""
    name, arguments = call_of(v)
    words = [z3.BitVecVal(a.value, 32) if a.op == "const" else z3.Extract(31, 0, leaves[a]) for a in arguments]
    numbers = [z3.fpBVToFP(x, F32) for x in words]
    if name == "bf16_above":
        return z3.ZeroExt(width - 32, bf16_above(words[0]))
    holds = {"lt_f32": lambda a, b: a < b, "u_f32": lambda a, b: z3.Or(z3.fpIsNaN(a), z3.fpIsNaN(b))}[name](*numbers)
    return z3.If(holds, z3.BitVecVal(1, width), z3.BitVecVal(0, width))


def bf16_above(x):
    nearest = x + (z3.LShR(x, 16) & 1) + 0x7FFF
    return z3.If(z3.fpIsNaN(z3.fpBVToFP(x, F32)), x | 0x400000, nearest)


def refuted(lemma):
    """What z3 says of the lemma's negation."""
    roots = [lemma.written, lemma.read, lemma.where]
    nodes = postorder(*roots)
    encoding = (BitVectors if any(map(is_bitwise, nodes)) or results_in(roots) else Integers)(nodes)
    given = [v for v in variables(*roots, *(a for r in results_in(roots) for a in call_of(r)[1])) if not call_of(v)[0]]
    leaves = encoding.copy(given, {}, "")
    leaves |= {v: result_of(v, leaves, encoding.width) for v in results_in(roots)}
    written, read, where = (encoding.as_number(e) for e in encoding.read(roots, leaves))
    solver = z3.SolverFor("QF_FPBV") if results_in(roots) else z3.Solver()
    solver.set("timeout", 60_000)
    solver.add(*(condition for _, condition in encoding.conditions), where != 0)
    if lemma.bits is None:
        solver.add(written != read)
    elif z3.is_bv(written):
        solver.add(z3.Extract(lemma.bits - 1, 0, written) != z3.Extract(lemma.bits - 1, 0, read))
    else:
        solver.add((written - read) % (1 << lemma.bits) != 0)
    return solver.check()


def results_in(roots):
    return [v for v in variables(*roots) if call_of(v)[0]]


@pytest.mark.parametrize("name", LEMMAS)
def test_z3_proves_the_lemma(name):
    lemma = LEMMAS[name]
    assert lemma.written is not lemma.read, "a lemma says something"
    assert refuted(lemma) == z3.unsat


@pytest.mark.parametrize(("a", "n"), [(1, 7), (3, 2), (5, 6), (1 << 16, 1 << 9), (1 << 32, 3), (1 << 32, 1 << 31)])
def test_two_quotients_are_one_for_all_constants(a, n):
    assert refuted(division.two_quotients(a, n)) == z3.unsat


def test_a_lemma_that_is_wrong_is_refuted():
    """Each with its side condition left out, or its result one off."""
    for lemma in LEMMAS.values():
        assert refuted(Lemma(lemma.written, lemma.read + 1, lemma.where, lemma.bits)) == z3.sat
        if lemma.where is not TRUE:
            assert refuted(Lemma(lemma.written, lemma.read, TRUE, lemma.bits)) == z3.sat


def test_the_upper_half_of_bf16_above_is_the_number_rounded():
    """To the nearest, ties to even; of a NaN, one that is quiet and of its sign."""
    x = z3.BitVec("x", 32)
    number, upper = z3.fpBVToFP(x, F32), z3.Extract(31, 16, bf16_above(x))
    solver = z3.Solver()
    solver.add(z3.Not(z3.fpIsNaN(number)), upper != z3.fpToIEEEBV(z3.fpFPToFP(z3.RNE(), number, BF16)))
    assert solver.check() == z3.unsat
    quiet = z3.And(z3.fpIsNaN(z3.fpBVToFP(upper, BF16)), z3.Extract(6, 6, upper) == 1)
    solver = z3.Solver()
    solver.add(z3.fpIsNaN(number), z3.Not(z3.And(quiet, z3.Extract(15, 15, upper) == z3.Extract(31, 31, x))))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize(
    ("factor", "places", "divisor", "bits"),
    [(715827883, 32, 6, 31), (0xAAAAAAAB, 33, 3, 31), (0xCCCCCCCD, 34, 5, 31), (2454267027, 34, 7, 30), (43, 7, 3, 7)],
)
def test_reciprocals_of_compilers_are_proved_at_their_width(factor, places, divisor, bits):
    x = symbol("x", min=0, max=(1 << bits) - 1)
    written = div(x * factor, 1 << places)
    found = first(RULES["quotient"], x * factor, places, TRUE)
    assert found is div(x, divisor)
    assert refuted(Lemma(written, found)) == z3.unsat


def test_a_rule_has_a_name_of_its_own_and_a_lemma_or_a_source():
    assert len(EVERY) == sum(map(len, RULES.values()))
    large = [f"large words, {name}" for name in ("and", "or", "xor")]
    assert [name for name, rule in EVERY.items() if rule.lemma is None] == [
        "a mask with many runs of ones",
        *large,
        "a step of a division by reciprocal",
        "a quotient estimated in f32",
        "an integer scaled in f32",
        "what a quotient estimated in f32 leaves",
    ]
    for lemma, source in ((None, ""), (LEMMAS["all ones"], "somebody")):
        with pytest.raises(ValueError, match="a lemma or a source"):
            Rule("a rule", first, lemma, source)


# --- what is read, and what is left -----------------------------------------------------------------------------------

W = IndexValues(lambda goal, given: False)
T, J, K, BIT = var("i", 9), var("j", 200), symbol("K", min=0), var("bit", 2)
X = symbol("x", min=0, max=(1 << 32) - 1)
N, D = symbol("n", min=0, max=(1 << 32) - 1), symbol("d", max=(1 << 32) - 1)
E = W.unknown_of("error", MOST_ERROR + 1, N, D)
SHORT = W.unknown_of(SHORT_ERROR, 2, N, D)
Q = div(N, D) - E
LEFT = N - Q * D
UNORDERED = W.functions.relation("u_f32", X, X)
GREATER = any_of(W.functions.relation("gt_f32", X, const(floats.LEAST)), UNORDERED)
WHOLE = W.word(symbol("y", min=0, max=(1 << 64) - 1), 64)
LOW, HIGH = W.low(WHOLE), W.high(WHOLE)
SIGNED = W.word(symbol("s", min=-9, max=9))
SIGN = W.ashr(SIGNED, W.const(31, 32))
NEVER = W.ult(W.const(0, 32), W.const(0, 32))
CARRY = W.add_carry(W.word(X), W.word(J), NEVER)[1]


LANE = select(J < 32, J, 32)


def word(e):
    return W.word(e)


#: Rule → operands that it reads, and operands like them that no rule of the operation may read so.
READ = {
    "a number below the divisor": ((T, 4, TRUE), (T, 3, TRUE)),
    "a product with a rounded reciprocal": ((J * 43, 7, J < 128), (J * 43, 7, TRUE)),
    "a mask with a run of ones": ((word(X), word(const(0xFF00))), (word(X), word(J))),
    "all bits or none": ((word(-1 * BIT), word(X)), (word(-1 * T), word(X))),
    "the bits of both": ((word(X), word(J)), None),
    "a constant's bits are set": ((word(X), word(const(6))), (word(X), word(J))),
    "no bit can be in both": ((word(T * 16), word(J % 16)), (word(T * 16), word(J % 17))),
    "a sum, less what is in both": ((word(X), word(J)), None),
    "all ones": ((word(X), word(const(-1))), (word(X), word(const(-2)))),
    "multiples of one power of two": ((word(T * 16), word(J * 16)), (word(T * 16), word(J))),
    "no bit is the constant's": ((word(T), word(const(128))), None),
    "the complement of a choice": ((word(select(J < 5, -1, 0)),), (word(J),)),
    "the complement of a number": ((word(J),), None),
    "the magnitude of a number": ((W, -1 * T < T, T, -1 * T), (W, -1 * SIGNED.expr < SIGNED.expr, T, -1 * T)),
    "the lesser of two in order": ((W, X < X + T, X, X + T), (W, X < X + T, X, X + T + 1)),
    "the lesser of two": ((W, X < T, X, T), (W, X < T, X, T + 1)),
    "one number either way": ((W, J < 32, LANE, LANE + (J - 32)), (W, J < 32, LANE, LANE + (J - 31))),
    "the correction of an estimated quotient": ((W, negation(LEFT < D), Q + 1, Q), (W, J < 5, Q + 1, Q)),
    "a correction that is the error": ((W, eq(SHORT, 1), ONE, ZERO), (W, eq(SHORT, 1), ZERO, ONE)),
    "a rounding to bf16": (
        (W.functions, UNORDERED, X + (1 << 22) - mod(div(X, 1 << 22), 2) * (1 << 22),
         X + mod(div(X, 1 << 16), 2) + 0x7FFF, 32),
        (W.functions, UNORDERED, X + (1 << 22), X + mod(div(X, 1 << 16), 2) + 0x7FFF, 32),
    ),
    "the greater of a number and the least": (
        (W.functions, GREATER, X, const(floats.LEAST), 32), (W.functions, UNORDERED, X, const(floats.LEAST), 32),
    ),
    "what an estimated quotient leaves": ((W, LEFT, D), (W, LEFT, D + 1)),
    "the halves of one word": ((W, LOW, HIGH), (W, word(X), HIGH)),
    "a word and its sign": ((W, SIGNED, SIGN), (W, word(X), SIGN)),
    "a word and zeros": ((W, word(X), word(ZERO)), (W, word(X), word(T))),
    "the halves of a base of 48 bits": (
        (W, LOW, word(mod(HIGH.expr, 1 << 16))), (W, word(LOW.expr + 1), word(mod(HIGH.expr, 1 << 16))),
    ),
    "the upper words of a sum": ((W, word(T), word(K), CARRY), (W, word(T), word(K), NEVER)),
    "the sign of what is not negative": ((W, word(T)), (W, SIGNED)),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, rule in EVERY.items() if rule.lemma is not None])
def test_a_rule_reads_what_is_written_so_and_nothing_that_is_nearly_so(name):
    rule, (written, nearly) = EVERY[name], READ[name]
    if isinstance(written[0], type(word(X))):
        written, nearly = (W, *written), nearly and (W, *nearly)
    rules = next(rules for rules in RULES.values() if rule in rules)
    assert next(r for r in rules if r.matches(*written) is not None) is rule, "it is the first of its operation"
    assert nearly is None or rule.matches(*nearly) is None


def test_what_is_read_of_an_estimate_is_so_for_every_error():
    chosen = first(RULES["choice"], W, negation(LEFT < D), Q + 1, Q)
    order = first(RULES["order"], W, LEFT, D)
    (left,) = (v for v in variables(chosen) if v not in (N, D))
    for n, d, e in itertools.product((20, 21, 100), (1, 3, 7), range(MOST_ERROR + 1)):
        at = {N: n, D: d, E: e}
        assert value(order, at) == value(LEFT < D, at)
        assert value(chosen, {**at, left: max(e - 1, 0)}) == value(select(negation(LEFT < D), Q + 1, Q), at)


def test_what_nothing_reads_is_what_the_machine_does():
    assert (word(X) & word(J)).expr is X & J
    assert (word(X) ^ word(J)).expr is X ^ J
    assert W.ite(W.eq(word(T), word(const(3))), word(X), word(J)).expr is select(eq(T, 3), X, J)
    assert division.shifted(J, 3, TRUE) is simplify(J // 8)
    assert kind_of(E) is not None
