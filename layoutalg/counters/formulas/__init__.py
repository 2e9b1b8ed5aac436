"""Counters of a launch as formulas in its sizes, from the machine code followed for all of them.

| module | holds |
|---|---|
| `sums` | how many points of a box satisfy conditions |
| `waves` | the waves that come to an instruction, as such points |
| `instructions` | how often each instruction is issued |
| `lanes` | the lanes that make an access, as such points |
| `traffic` | bytes, and segments that waves touch |
| `formula` | one counter as a formula, or why there is none |
| `call` | the counters of these, each with what it rests on |
"""
