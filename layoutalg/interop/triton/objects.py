"""Layout objects of Triton's wheel as attributes: Gluon's classes, and its LinearLayout, told by their names alone.

Nothing of Triton is imported: an object is read by the fields that its class has (Triton 3.9,
`triton/experimental/gluon/language/_layouts.py`, `amd/_layouts.py`, `triton/tools`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from layoutalg.errors import LayoutError
from layoutalg.interop.triton.attribute import Attribute, Value
from layoutalg.interop.triton.linear import LinearLayout

_FIELDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "BlockedLayout": ("blocked", {
        "sizePerThread": "size_per_thread", "threadsPerWarp": "threads_per_warp", "warpsPerCTA": "warps_per_cta",
        "order": "order", "CGALayout": "cga_layout",
    }),
    "SliceLayout": ("slice", {"dim": "dim", "parent": "parent"}),
    "DotOperandLayout": ("dot_op", {"opIdx": "operand_index", "parent": "parent", "kWidth": "k_width"}),
    "DistributedLinearLayout": ("linear", {
        "register": "reg_bases", "lane": "lane_bases", "warp": "warp_bases", "block": "block_bases",
    }),
    "AMDMFMALayout": ("amd_mfma", {
        "version": "version", "warpsPerCTA": "warps_per_cta", "instrShape": "instr_shape",
        "isTransposed": "transposed", "tilesPerWarp": "tiles_per_warp", "elementBitWidth": "element_bitwidth",
        "CGALayout": "cga_layout",
    }),
    "AMDWMMALayout": ("amd_wmma", {
        "version": "version", "isTranspose": "transposed", "instrShape": "instr_shape", "CGALayout": "cga_layout",
    }),
    "NVMMADistributedLayout": ("nvidia_mma", {
        "warpsPerCTA": "warps_per_cta", "instrShape": "instr_shape", "CGALayout": "cga_layout",
    }),
    "SwizzledSharedLayout": ("swizzled_shared", {
        "vec": "vec", "perPhase": "per_phase", "maxPhase": "max_phase", "order": "order", "CGALayout": "cga_layout",
    }),
    "PaddedSharedLayout": ("padded_shared", {
        "pads": "interval_padding_pairs", "offset": "offset_bases", "block": "cga_layout",
    }),
    "NVMMASharedLayout": ("nvmma_shared", {
        "swizzlingByteWidth": "swizzle_byte_width", "transposed": "transposed", "elementBitWidth": "element_bitwidth",
        "fp4Padded": "fp4_padded", "rank": "rank", "CGALayout": "cga_layout",
    }),
    "PartitionedSharedLayout": ("partitioned_shared", {
        "numPartitions": "num_partitions", "numGroups": "num_groups", "partitionDim": "partition_dim",
        "partitionLayout": "partition_layout",
    }),
    "SharedLinearLayout": ("shared_linear", {
        "offset": "offset_bases", "block": "block_bases", "alignment": "alignment",
    }),
}  # fmt: skip
"""Gluon's classes: the mnemonic, and each field with the name that the class gives it."""

_MORE: Mapping[str, Callable[[Any], dict[str, Value]]] = {
    "AMDWMMALayout": lambda given: {
        "ctaLayout": {"register": _plain(given.reg_bases), "warp": _plain(given.warp_bases)}
    },
    "NVMMADistributedLayout": lambda given: dict(
        zip(("versionMajor", "versionMinor"), map(int, given.version), strict=True)
    ),
}
"""Fields that a class has in another form."""


def attribute_of(given: Any) -> Attribute:
    """The attribute that a Gluon layout stands for; LayoutError where it is none that is known.

    >>> from types import SimpleNamespace
    >>> class SliceLayout(SimpleNamespace): pass
    >>> class SwizzledSharedLayout(SimpleNamespace): pass
    >>> print(attribute_of(SwizzledSharedLayout(vec=8, per_phase=1, max_phase=8, order=[1, 0], cga_layout=[])))
    #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
    """
    kind = type(given).__name__
    if kind not in _FIELDS:
        raise LayoutError(f"{kind} is no layout of Triton's that is known: a text, or one of {', '.join(_FIELDS)}")
    name, fields = _FIELDS[kind]
    try:
        found = {key: _plain(getattr(given, field)) for key, field in fields.items()}
        found |= _MORE.get(kind, lambda _: {})(given)
    except (AttributeError, TypeError, ValueError) as error:
        raise LayoutError(f"{kind} lacks what the one of Triton 3.9 has: {error}") from None
    return Attribute(name, {key: value for key, value in found.items() if (key, value) != ("CGALayout", [])})


def _plain(value: Any) -> Value:
    """A field's value as an attribute has it."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "value") and type(value).__name__ == "constexpr":
        return _plain(value.value)
    return attribute_of(value)


def linear_of(given: Any) -> LinearLayout | None:
    """A linear layout, ours or Triton's own (of `triton/tools`); None where it is another thing."""
    if isinstance(given, LinearLayout):
        return given
    if type(given).__name__ != "LinearLayout":
        return None
    return LinearLayout.of(dict(given.bases), dict(given.out_dims))
