"""Kernel programs: what each thread does, said in layouts (`program`), in statements (`statements`)."""

from layoutalg.kernel.program.accesses import (
    GlobalAccess,
    Load,
    LoadShared,
    MemoryAccess,
    SharedAccess,
    Store,
    StoreShared,
)
from layoutalg.kernel.program.exchange import Exchange
from layoutalg.kernel.program.functions import FOLDS, FUNCTIONS, NEUTRAL
from layoutalg.kernel.program.program import (
    LOADERS,
    Attend,
    Compute,
    Contract,
    ContractScaled,
    ElementMap,
    Meaning,
    Program,
    Read,
    Reduce,
)
from layoutalg.kernel.program.reading import Reading
from layoutalg.kernel.program.rows import Divide, Exponentiate, MaskScores, Move, Rescale, Rows
from layoutalg.kernel.program.statement import Composite, Statement, walk
from layoutalg.kernel.program.statements import (
    AsyncCopy,
    Await,
    Barrier,
    BoxCopy,
    Clear,
    Commit,
    Elementwise,
    Fold,
    Loop,
    Multiply,
    MultiplyShared,
    StraightCopy,
    apart,
)
from layoutalg.kernel.program.tiles import How, Pixels, Registers, Shared, Tensor, Tile, Vector

__all__ = [
    "FOLDS", "FUNCTIONS", "LOADERS", "NEUTRAL", "AsyncCopy", "Attend", "Await", "Barrier", "BoxCopy", "Clear", "Commit",
    "Composite", "Compute", "Contract", "ContractScaled", "Divide", "ElementMap", "Elementwise", "Exchange",
    "Exponentiate", "Fold", "GlobalAccess", "How", "Load", "LoadShared", "Loop", "MaskScores", "Meaning",
    "MemoryAccess", "Move", "Multiply", "MultiplyShared", "Pixels", "Program", "Read", "Reading", "Reduce", "Registers",
    "Rescale", "Rows", "Shared", "SharedAccess", "Statement", "Store", "StoreShared", "StraightCopy", "Tensor", "Tile",
    "Vector", "apart", "walk",
]  # fmt: skip
