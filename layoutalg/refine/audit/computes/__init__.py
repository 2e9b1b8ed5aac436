"""What comes out of a kernel, held against the equations of its launch: the claim `computes`.

| an equation's side | the machine's side |
|---|---|
| `formats.equation`: a typed tree | what `refine.symbolic` stores: an expression of what was loaded |
| `wanted`: its term at an index of the output | `terms`: each store's term, offset and guard |

Both are terms, expressions whose unknowns are results of functions, of one thread's variables. Another thread's term is
a substitution: `UninterpretedFunctions.rewritten` goes into the arguments of functions, so into the offsets of loads.

| asked of an equation | by |
|---|---|
| what is read of LDS | `through_lds` |
| where a store goes | `places` |
| that its term is the one wanted there: the same operations on the same values | `agreement` |
| that every element is stored to | `coverage` |
| all of it, for a launch | `claim` |
| a run that refutes it, by what numpy says | `trial`, `evaluation` |

A sum or product over an index has no exact term (`wanted` refuses it): it is shown over the reals, in place of
`agreement`, with the same places and coverage.
"""
