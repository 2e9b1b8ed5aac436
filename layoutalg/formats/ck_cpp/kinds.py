"""Kinds of statements by how they are treated, and the texts that say that a layout is built."""

from __future__ import annotations

import re

from layoutalg.formats.ck_cpp.preprocessor import DIRECTIVES, PARTS
from layoutalg.formats.ck_cpp.source import LISTS

BUILDS = re.compile(
    r"\b(?:make_naive_tensor_\w+|transform_tensor_\w+|make_single_stage_tensor_adaptor|chain_tensor_adaptors|"
    r"make_static_tile_distribution|tile_distribution_encoding|make_\w+_transform(?:_v\d\w*)?|TensorDescriptor)\s*[(<]"
)
"""Text that builds a layout."""


SKIPPED = frozenset({
    "comment", ";", "using_declaration",
    "template_instantiation", "friend_declaration", "access_specifier", "break_statement", "continue_statement",
    "namespace_alias_definition", "type_identifier", "type_definition", "empty_statement",
})  # fmt: skip


WITH_PARTS = frozenset({
    "function_definition", "template_declaration", "struct_specifier", "class_specifier", "namespace_definition",
    "declaration_list", "linkage_specification", "compound_statement", "if_statement", "else_clause",
    *DIRECTIVES, *PARTS,
})  # fmt: skip
"""What is looked at part by part."""


LISTED = re.compile(rf"(?:{'|'.join(sorted(LISTS))})\b")
"""A type that is a list of values."""
