"""Files in and out: the spec file (TOML, JSON) and CK Tile C++."""

from layoutalg.formats.errors import SpecError
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    Claim,
    DescriptorItem,
    DistributionItem,
    Item,
    LemmaItem,
    Refusal,
    SpecFile,
    TransformItem,
    Unread,
)
from layoutalg.formats.spec import load, loads

__all__ = [
    "AccessItem", "AdaptorItem", "AgreeItem", "Claim", "DescriptorItem", "DistributionItem", "Item", "LemmaItem",
    "Refusal", "SpecError", "SpecFile", "TransformItem", "Unread", "load", "loads",
]  # fmt: skip
