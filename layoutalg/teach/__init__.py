"""Answers to exercises, checked by the prover: a wrong one is told where it is wrong, by a counterexample.

| exercise                                    | checked by    | a wrong answer is told                               |
|---------------------------------------------|---------------|------------------------------------------------------|
| write a descriptor that is this map         | `same_map`    | an index, what it reaches and what it should reach   |
| write a formula                             | `same_formula`| values of the variables at which the two differ      |
| write a tile distribution                   | `same_tile`   | a lane, a register, what it holds and what it should |
| give each lane vectors                      | `in_vectors`  | a lane's register that is no neighbour of its first  |
| make a claim hold                           | `satisfies`   | the witness of the refutation, drawn                 |
| find two indices that collide               | `collide`     | what the two really reach                            |
| make a kernel right                         | `satisfies`   | the first obligation that fails, with its reason     |
| find the largest number that will do        | `largest`     | why it will not do, or that a larger one will        |
| predict a number                            | `equals`      | that it is another (with what to look at)            |

An answer is never executed beyond being an argument, and no answer raises: a learner reads a sentence, and never one of
Python's.  No check compares texts or knows a solution's form: whatever is the same map, or has the property, is right.

In a lesson, a cell with the tag `exercise` has one line `answer = …` and ends with a check of it; the cell with the tag
`solution` has an answer for each under `# Exercise 1`, `# Exercise 2` … tests/test_exercises.py runs both.
What it cannot represent: whether an answer is a good one; only whether it is right.
"""

from layoutalg.teach.checked import Checked
from layoutalg.teach.claims import holds, satisfies
from layoutalg.teach.maps import collide, same_formula, same_map
from layoutalg.teach.predictions import equals, largest
from layoutalg.teach.tiles import in_vectors, same_tile

__all__ = [
    "Checked",
    "collide",
    "equals",
    "holds",
    "in_vectors",
    "largest",
    "same_formula",
    "same_map",
    "same_tile",
    "satisfies",
]
