"""The third reading of the semantics table: C text, one function a kernel, compiled for this processor.

The interpreter is stepped once over each instruction, on a machine whose words are text; what comes out carries out the
kernel's waves one after another, block by block.  It is for results alone, or, with checks, says besides that races,
early reads and values that nothing defined are none; where they may be, the numpy machine has to find them.

| module | holds |
|---|---|
| `machine.h` | what the text stands on: a wave's state, memories, floating-point functions, turns of a block's waves |
| `emission` | words as text; loops over lanes, that run on as long as nothing crosses lanes |
| `values`, `registers`, `lanes`, `memory`, `products` | the interpreter's protocols, as text |
| `defined` | which registers are read that nothing wrote |
| `waits` | which registers may be used before they are loaded, along all ways at once |
| `kernel` | the text of a kernel: its basic blocks, branches and barriers |
| `launch` | a compiled kernel run over its grid |
| `checked` | the same with checks: faultless, or perhaps not |
"""
