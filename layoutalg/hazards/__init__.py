"""What is wrong with a kernel's machine code, whatever its launch: hazards found on the control flow graph alone.

`flow` makes the graph of a kernel, `sweep` asks every analysis of `analyses` of it, and `hazard` is what comes out.
"""
