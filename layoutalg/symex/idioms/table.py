"""All rules on idioms, by the operation that they read, in the order in which they are tried.

| operation | rules look at | what else it is |
|---|---|---|
| quotient by 2ᵏ | its range; the factor of a product | the quotient |
| and, or, xor, not | a constant, a choice; the bits that may be set | (the last rule always matches) |
| choice | its condition and ways as integers, then as floating-point numbers | `select` |
| order | what an estimated quotient leaves | `<` |
| upper half of a product | whether it is a step of a division | the quotient by 2³² |
| conversion and comparison of numbers in f32 | whether they are steps of a short division, or scale | functions |
| pair, sum above a carry, sign | how the words came about | a sum, a quotient |

Where the arithmetic (`machine.arithmetic`) asks for an operation, the first rule that matches says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.symex.idioms.bitwise import COMPLEMENTS, CONJUNCTIONS, DISJUNCTIONS, EXCLUSIVES
from layoutalg.symex.idioms.choices import CHOICES
from layoutalg.symex.idioms.division import QUOTIENTS
from layoutalg.symex.idioms.floats import FLOAT_CHOICES
from layoutalg.symex.idioms.halves import PAIRS, SIGNS, SUMS
from layoutalg.symex.idioms.reciprocal import ORDERS, UPPER_HALVES
from layoutalg.symex.idioms.rules import Rule
from layoutalg.symex.idioms.scaled import SCALED
from layoutalg.symex.idioms.short_division import CONVERSIONS, RELATION

RULES: Mapping[str, tuple[Rule, ...]] = {
    "quotient": QUOTIENTS,
    "and": CONJUNCTIONS,
    "or": DISJUNCTIONS,
    "xor": EXCLUSIVES,
    "not": COMPLEMENTS,
    "choice": CHOICES,
    "float choice": FLOAT_CHOICES,
    "order": ORDERS,
    "upper half": UPPER_HALVES,
    "conversion": (*CONVERSIONS, *SCALED),
    "comparison": (RELATION,),
    "pair": PAIRS,
    "sum": SUMS,
    "sign": SIGNS,
}
