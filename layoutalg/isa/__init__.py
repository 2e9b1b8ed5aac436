"""The AMD machine: code objects read, instructions decoded, and whole grids carried out without an AMD GPU.

| room | holds |
|---|---|
| `container` | what a loader takes: ELF, code objects, metadata, kernel descriptors; a kernel's bytes and arguments |
| `semantics` | one table, instruction → effect, over any kind of value; what memory instructions move |
| `decode` | bytes to instructions, basic blocks; what no assembler writes is refused |
| `interpreter` | what every reading of the table shares: operands, masks, addresses, over a machine's own storage |
| `run` | the reading in numpy: whole grids are carried out, and every misuse is a fault |

A room imports those above it and none below; `container` and `semantics` know nothing of each other.

The reading in index expressions, one unknown lane on all paths, is `layoutalg.refine`.
"""
