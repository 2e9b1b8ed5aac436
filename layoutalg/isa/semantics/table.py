"""What each arithmetic instruction does: one table, an entry a line, read by every machine.

An entry is a signature and a function.  The signature names what is written, then what is read, by the roles of
`decode` with a width, or by a state bit; the function takes the operations of `Values` and the words read, and returns
the words written, in order.

| token | is |
|---|---|
| `d32` `d64` | the result |
| `a32` `b64` `c32` … | a source; `d32` on the right is the old value of the result |
| `a16` `d16` … | the half of a register that the instruction names; the result's other half is kept |
| `m`, `n` | a truth for each lane: a mask written, a mask read |
| `scc` | the scalar condition code |
| `exec32` `exec64` | the execution mask as a word |
| `lane` | the lane's number in its wave |
| `k` | the 16-bit immediate, sign-extended to 32 |

Names are those of every generation: CDNA's, RDNA 3's and RDNA 4's name of one operation share an entry.
The rows stand where their meaning is: `scalar`, `vector`, `narrow` (16 bits and less), `bits` (counts and searches),
`comparisons`, `floats`; small functions that several of them are made of in `words`.
The test suite reads AMD's own pseudocode for each name and compares the two on random words; the few names without a
text of their own are reviewed by hand.  Many are compared with LLVM's constant folding as well.
What it cannot represent: operations between lanes (`interpreter.moves`).
"""

from __future__ import annotations

from collections.abc import Mapping

from layoutalg.isa.semantics.bits import BITS
from layoutalg.isa.semantics.comparisons import COMPARISONS
from layoutalg.isa.semantics.entries import Alu
from layoutalg.isa.semantics.floats import FLOATS
from layoutalg.isa.semantics.narrow import NARROW
from layoutalg.isa.semantics.scalar import SCALAR
from layoutalg.isa.semantics.vector import VECTOR

#: Every arithmetic instruction that is known, by the name any generation gives it.
ALU: Mapping[str, Alu] = {**SCALAR, **VECTOR, **NARROW, **BITS, **COMPARISONS, **FLOATS}
