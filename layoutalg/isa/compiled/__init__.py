"""The third reading of the semantics table: C text, one function a kernel, compiled for this processor.

The interpreter is stepped once over each instruction, on a machine whose words are text; what comes out carries out the
kernel's waves one after another, block by block.  It is for results alone: nothing is said of races, waits and values
that nothing defined.

| module | holds |
|---|---|
| `machine.h` | what the text stands on: a wave's state, memories, floating-point functions, turns of a block's waves |
| `emission` | words as text; loops over lanes, that run on as long as nothing crosses lanes |
| `values`, `registers`, `lanes`, `memory`, `products` | the interpreter's protocols, as text |
| `kernel` | the text of a kernel: its basic blocks, branches and barriers |
| `launch` | a compiled kernel run over its grid |
"""
