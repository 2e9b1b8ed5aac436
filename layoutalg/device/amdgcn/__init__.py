"""The AMD machine code itself: decoded, listed, and run without an AMD GPU.

| module | holds |
|---|---|
| `binary` | the kernel of a code object: code bytes, descriptor, arguments |
| `decode`, `program` | its instructions, basic blocks and listing |
| `semantics` | one table, instruction → effect, over an abstract value type |
| `machine` | what both readings of the table share: operands, masks, addresses |
| `concrete`, `launch` | the reading in numpy: whole grids are run, and every misuse is a fault |
"""
