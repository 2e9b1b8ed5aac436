"""Layouts as one index map, read in many ways: proved, evaluated, drawn and emitted from the same expression.

    import layoutalg as la

    d = la.make_naive_tensor_descriptor((8, 64), (66, 1))
    d[7, 2]                                   # 464; of arrays, an array
    la.prove(la.Injective(d))                 # proved, refuted with a witness, or unknown
    print(la.explain(d))
    la.draw(d, by="bank")                     # in a notebook, d alone shows its transform graph

Here is what one reaches for first, flat; each name is imported when it is first asked for.  The rooms have the rest:
`layoutalg.layout`, `layoutalg.prove`, `layoutalg.memory` …
"""

from layoutalg.display import Displayed as _Displayed
from layoutalg.lazy import exports, lazy_imports

with exports():
    from layoutalg.audit.call import audit
    from layoutalg.counters.call import counters
    from layoutalg.counters.formulas.call import counter_formulas
    from layoutalg.draw import explore
    from layoutalg.draw import show as draw
    from layoutalg.errors import LayoutError, SpecError
    from layoutalg.explain import explain
    from layoutalg.formats import load, loads
    from layoutalg.formats.check import check
    from layoutalg.formats.dump import dump
    from layoutalg.index import symbol, var, xor
    from layoutalg.interop import cute, triton
    from layoutalg.interop.einops import rearrange
    from layoutalg.interop.strided import Strided, from_dlpack, from_numpy, from_torch
    from layoutalg.layout import (
        Embed,
        Freeze,
        LeftPad,
        Merge,
        Modulo,
        Offset,
        Pad,
        PassThrough,
        Replicate,
        RightPad,
        Slice,
        TensorAdaptor,
        TensorDescriptor,
        TileDistribution,
        TileDistributionEncoding,
        Unmerge,
        Xor,
        make_naive_tensor_descriptor,
        make_naive_tensor_descriptor_aligned,
        make_naive_tensor_descriptor_packed,
        make_naive_tensor_descriptor_with_offset,
        transform_tensor_descriptor,
    )
    from layoutalg.layout.bind import bind
    from layoutalg.memory import ConflictFree, Cycles, access, lane_map
    from layoutalg.prove import (
        Agree,
        Aligned,
        All,
        Bijective,
        Contiguous,
        Covers,
        Equivalent,
        FitsIndexType,
        InBounds,
        Injective,
        Limits,
        Monotone,
        Proved,
        Refuted,
        RoundTrip,
        Surjective,
        Unknown,
        default_claims,
        prove,
    )

with lazy_imports():
    from layoutalg.draw import notebook as _notebook

_Displayed.shown_by(_notebook)  # of all rooms the lowest asks, and one of the highest answers

__version__ = "0.2.0"
"""Semantic: what a minor version breaks, CHANGELOG.md says."""

__all__ = [
    "Agree", "Aligned", "All", "Bijective", "ConflictFree", "Contiguous", "Covers", "Cycles", "Embed", "Equivalent",
    "FitsIndexType", "Freeze", "InBounds", "Injective", "LayoutError", "LeftPad", "Limits", "Merge", "Modulo",
    "Monotone", "Offset", "Pad", "PassThrough", "Proved", "Refuted", "Replicate", "RightPad", "RoundTrip", "Slice",
    "SpecError", "Strided", "Surjective", "TensorAdaptor", "TensorDescriptor", "TileDistribution",
    "TileDistributionEncoding", "Unknown", "Unmerge", "Xor", "access", "audit", "bind", "check", "counter_formulas",
    "counters", "cute", "default_claims", "draw", "dump", "explain", "explore", "from_dlpack", "from_numpy",
    "from_torch", "lane_map", "load", "loads",
    "make_naive_tensor_descriptor", "make_naive_tensor_descriptor_aligned", "make_naive_tensor_descriptor_packed",
    "make_naive_tensor_descriptor_with_offset", "prove", "rearrange", "symbol", "transform_tensor_descriptor",
    "triton", "var", "xor",
]  # fmt: skip


def __dir__() -> list[str]:
    return __all__
