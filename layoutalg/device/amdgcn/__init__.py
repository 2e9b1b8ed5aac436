"""The AMD machine code itself: decoded, listed, and run without an AMD GPU.

| module | holds |
|---|---|
| `descriptor`, `binary` | the kernel of a code object: code bytes, what the machine sets up, arguments |
| `decode`, `allowed`, `program` | its instructions, what no assembler writes refused; basic blocks and listing |
| `semantics` | one table, instruction → effect, over an abstract value type |
| `machine` | what both readings of the table share: operands, masks, addresses |
| `concrete`, `launch` | the reading in numpy: whole grids are run, and every misuse is a fault |
| `words`, `symbolic` | the reading in index expressions: every access of one unknown lane, on all paths |
| `signature`, `expected`, `against` | the claims on a binary: its accesses are the kernel program's, for all sizes |

>>> from layoutalg.device.amdgcn.against import prove_binary
>>> from layoutalg.device.amdgcn.binary import read_kernels
>>> from layoutalg.device.amdgcn.program import decode_kernel
>>> from layoutalg.device.compile import compile_source
>>> from layoutalg.kernel.emit import emit_unverified
>>> from layoutalg.kernel.library.transpose import register_transpose
>>> program = register_transpose(64, 32)
>>> code = compile_source(emit_unverified(program), "gfx942")
>>> prove_binary(decode_kernel(read_kernels(code.payload)[program.name]), program).name
'proved'
"""
