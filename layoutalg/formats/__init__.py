"""Files in and out: the spec file (TOML, JSON) and CK Tile C++."""

from layoutalg.errors import SpecError
from layoutalg.formats.dump import dump
from layoutalg.formats.model import (
    AccessItem,
    AdaptorItem,
    AgreeItem,
    Claim,
    DescriptorItem,
    DistributionItem,
    Example,
    Item,
    LemmaItem,
    Refusal,
    SpecFile,
    TransformItem,
    Unread,
)
from layoutalg.formats.offsets import offsets
from layoutalg.formats.spec import load, loads

__all__ = [
    "AccessItem", "AdaptorItem", "AgreeItem", "Claim", "DescriptorItem", "DistributionItem", "Example", "Item",
    "LemmaItem", "Refusal", "SpecError", "SpecFile", "TransformItem", "Unread", "dump", "load", "loads", "offsets",
]  # fmt: skip
