"""Symbolic execution of machine code: one unknown lane on all ways, for all sizes.

| room | holds |
|---|---|
| `values` | words, truths and masks; unknowns and who owns them; uninterpreted functions; words modulo 2ⁿ |
| `idioms` | how compilers write what the machine has no instruction for |
| `machine` | one lane: registers, memory, scratch, what is under way; every access is noted in its trace |
| `loops` | all ways through a kernel, loops by their invariants |
| `uses` | which loads of a trace reach a store or a branch |
"""
