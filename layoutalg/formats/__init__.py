"""Files in and out: the spec file (TOML, JSON) and CK Tile C++."""

from layoutalg.errors import SpecError
from layoutalg.formats.dump import dump
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    DescriptorItem,
    DistributionItem,
    Example,
    Item,
    LemmaItem,
    Refusal,
    SpecFile,
    StatedClaim,
    TransformItem,
    Unread,
)
from layoutalg.formats.offsets import offsets
from layoutalg.formats.spec import load, loads, read_text

__all__ = [
    "AccessItem", "AdaptorItem", "AgreeItem", "DescriptorItem", "DistributionItem", "Example", "Item", "LemmaItem",
    "Refusal", "SpecError", "SpecFile", "StatedClaim", "TransformItem", "Unread", "dump", "load", "loads", "offsets",
    "read_text",
]  # fmt: skip
