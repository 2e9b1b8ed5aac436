"""One interpreter of the semantics table, over any machine: `Values`, `RegisterStorage`, `MemoryStorage`, `Lanes`.

| module | holds |
|---|---|
| `storage` | the protocols that a machine brings: registers, memory, lanes |
| `operands` | what the roles of an instruction's operands mean: registers, constants, masks, halves |
| `arithmetic` | an entry of the table read, computed and written; modifiers, dual instructions |
| `sub_dword` | parts of sources and of the result |
| `parallel` | data-parallel primitives: a source from other lanes |
| `addresses` | the address of each element of a memory instruction |
| `moves` | moves that name a lane or a register by a number |
| `exchanges` | moves of a whole register between lanes |
| `step` | one instruction carried out |
"""
