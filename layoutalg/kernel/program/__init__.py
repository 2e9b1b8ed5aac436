"""Kernel programs: what each thread does, said in layouts (`program`), in statements (`statements`)."""

from layoutalg.kernel.program.program import (
    Compute,
    Contract,
    Meaning,
    Program,
    Read,
    Reduce,
    Says,
    extent_of,
    walk,
)
from layoutalg.kernel.program.statements import (
    FUNCTIONS,
    Access,
    Await,
    Barrier,
    Clear,
    Commit,
    Copy,
    Elementwise,
    Fold,
    GlobalAccess,
    How,
    Load,
    LoadShared,
    Loop,
    Multiply,
    Registers,
    Shared,
    SharedAccess,
    Statement,
    Store,
    StoreShared,
    Tensor,
    Vector,
    memory_of,
    registers_of,
    vector_width,
    vector_ys,
)

__all__ = [
    "FUNCTIONS", "Access", "Await", "Barrier", "Clear", "Commit", "Compute", "Contract", "Copy", "Elementwise", "Fold",
    "GlobalAccess", "How", "Load", "LoadShared", "Loop", "Meaning", "Multiply", "Program", "Read", "Reduce",
    "Registers", "Says", "Shared", "SharedAccess", "Statement", "Store", "StoreShared", "Tensor", "Vector",
    "extent_of", "memory_of", "registers_of", "vector_width", "vector_ys", "walk",
]  # fmt: skip
