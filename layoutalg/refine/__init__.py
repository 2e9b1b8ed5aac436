"""Refinement: what machine code does, held against what is claimed of it, for all sizes.

| room | holds |
|---|---|
| `simulation` | each access of the binary beside the program's |
| `refinement` | the claims, decided; `replay`: a refutation carried out; `trial`: runs on random inputs |
| `listing` | a binary to read, with what was decided of each access; `cycles`: its LDS cycles beside the program's |

>>> from layoutalg.refine.refinement import prove_binary
>>> from layoutalg.isa.container.binary import read_kernels
>>> from layoutalg.isa.decode.code import decode_kernel
>>> from layoutalg.device.compile import compile_source
>>> from layoutalg.kernel.emit import emit_unverified
>>> from layoutalg.kernel.library.transpose import register_transpose
>>> program = register_transpose(64, 32)
>>> code = compile_source(emit_unverified(program), "gfx942")
>>> prove_binary(decode_kernel(read_kernels(code.payload)[program.name]), program).name
'proved'
"""
