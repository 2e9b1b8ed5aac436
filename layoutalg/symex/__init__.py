"""Symbolic execution of machine code: one unknown lane on all ways, for all sizes.

| room | holds |
|---|---|
| `values` | words, truths and masks; unknowns and who owns them; uninterpreted functions; words modulo 2ⁿ, in range |
| `idioms` | how compilers write what the machine has no instruction for |
| `machine` | one lane: registers, memory, scratch, what is under way; what it is given, and the trace that it makes |
| `loops` | all ways through a kernel, loops by their invariants, and what holds of the unknowns that they leave |
| `trace` | `follow`: the one way in, which gives one frozen `Trace` |
| `uses` | which loads of a trace reach a store or a branch |
"""
