"""What a kernel's parameters are called and are, where the code object says so (DWARF, `.debug_info`; of `-g`).

| DWARF 5 has | here |
|---|---|
| a subprogram that begins at the kernel's entry, its formal parameters (3.3, 4.1) | parameters, in order |
| typedefs and qualifiers (5.3) | what they are of; of a pointer, whether that is constant |
| base types (5.1) by their encoding, enumerations by their size | an element type |
| structs and arrays (5.5, 5.7) of one type alone, behind a pointer | elements of that type |
| a struct by value | its members, those of bases and of structs within it among them |

Half types that are structs are known by their names.  What it cannot represent: bit-fields, which are the whole word.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from layoutalg.interop.parameters import KernelParameter
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import elftools.elf.elffile as elffile

#: Letters of element types by the encoding of a base type (DWARF 5, 7.8): boolean, float, signed, unsigned, UTF.
_ENCODED = {0x02: "u", 0x04: "f", 0x05: "i", 0x06: "i", 0x07: "u", 0x08: "u", 0x10: "u"}

T = TypeVar("T")

#: Types of HIP that are structs around bits: the element type by the start of their names.
_BITS = {
    "__hip_bfloat16": "bf16", "hip_bfloat16": "bf16", "__half": "f16", "half": "f16", "__hip_fp8_e4m3": "f8",
    "__hip_fp8_e5m2": "bf8",
}  # fmt: skip

_POINTERS = ("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type")
_AROUND = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type")
_COMPOUND = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")

#: Fields of a struct at most: one with more is an array in all but its name.
MOST_FIELDS = 256


def parameters(payload: bytes, entry: int) -> tuple[KernelParameter, ...]:
    """Those of the kernel at an address of a code object; none where it says none, or not in a way that can be read.

    >>> parameters(b"", 0x1000)
    ()
    """
    return _read(
        lambda: tuple(one for found in islice(_functions(payload, entry), 1) for one in _parameters(found)), ()
    )


def called(payload: bytes, name: str) -> frozenset[tuple[str, ...]]:
    """What the parameters of functions of a name are called, wherever a code object says it.

    >>> called(b"", "GridSize")
    frozenset()
    """

    def found() -> Iterator[tuple[str, ...]]:
        dies = (die for unit in _units(payload) for die in unit.iter_DIEs() if die.tag == "DW_TAG_subprogram")
        yield from (tuple(_formal(die)) for die in dies if _name(die) == name)

    return _read(lambda: frozenset(one for one in found() if one and all(one)), frozenset())


def _read(what: Callable[[], T], nothing: T) -> T:
    """What is read; nothing of damaged information, which pyelftools meets with errors of many kinds."""
    try:
        return what()
    except Exception:
        return nothing


def _units(payload: bytes) -> Iterator[Any]:
    file = elffile.ELFFile(io.BytesIO(payload))
    yield from file.get_dwarf_info().iter_CUs() if file.has_dwarf_info() else ()


def _formal(function: Any) -> Iterator[str]:
    return (_name(one) for one in function.iter_children() if one.tag == "DW_TAG_formal_parameter")


def _functions(payload: bytes, entry: int) -> Iterator[Any]:
    for unit in _units(payload):
        yield from _within(unit.get_top_DIE(), entry)


def _within(scope: Any, entry: int) -> Iterator[Any]:
    """The functions of a unit or a namespace that begin there."""
    for die in scope.iter_children():
        start = die.attributes.get("DW_AT_low_pc")
        if die.tag == "DW_TAG_namespace":
            yield from _within(die, entry)
        elif die.tag == "DW_TAG_subprogram" and start is not None and start.value == entry:
            yield die


def _parameters(function: Any) -> Iterator[KernelParameter]:
    for die in function.iter_children():
        if die.tag == "DW_TAG_formal_parameter":
            yield _field(_name(die), _type(die), 0)


def _refers(die: Any, attribute: str) -> Any:
    return die.get_DIE_from_attribute(attribute) if attribute in die.attributes else None


def _said(die: Any, attribute: str) -> Any:
    """An attribute's value, perhaps that of the abstract instance, or of the declaration."""
    while die is not None and attribute not in die.attributes:
        die = _refers(die, "DW_AT_abstract_origin") or _refers(die, "DW_AT_specification")
    return None if die is None else die.attributes[attribute].value


def _name(die: Any) -> str:
    return (_said(die, "DW_AT_name") or b"").decode(errors="replace")


def _type(die: Any) -> Any:
    while "DW_AT_type" not in die.attributes and "DW_AT_abstract_origin" in die.attributes:
        die = _refers(die, "DW_AT_abstract_origin")
    return _refers(die, "DW_AT_type")


def _stripped(die: Any) -> tuple[Any, bool]:
    """A type without typedefs and qualifiers, and whether it is constant."""
    constant = False
    while die is not None and die.tag in _AROUND:
        constant |= die.tag == "DW_TAG_const_type"
        die = _type(die)
    return die, constant


def _written(die: Any) -> str:
    """A type as a source would write it."""
    if die is None:
        return "void"
    if die.tag in _POINTERS:
        return f"{_written(_type(die))}{'*' if die.tag == _POINTERS[0] else '&'}"
    if die.tag == "DW_TAG_const_type":
        return f"const {_written(_type(die))}"
    return _name(die) or (_written(_type(die)) if "DW_AT_type" in die.attributes else "")


def _field(name: str, die: Any, at: int) -> KernelParameter:
    """A parameter or a field of a type."""
    plain, _ = _stripped(die)
    if plain.tag in _POINTERS:
        pointed, constant = _stripped(_type(plain))
        dtype, each = ("", 1) if pointed is None else _elements(pointed)
        return KernelParameter(name, 8, dtype, True, each, constant, written=_written(die), at=at)
    size = _bytes(plain)
    if dtype := _number(plain):
        return KernelParameter(name, size, dtype, written=_written(die), at=at)
    inside = tuple(_members(plain, name, at))
    return KernelParameter(name, size, written=_written(die), at=at, fields=inside[:MOST_FIELDS])


def _bytes(die: Any) -> int:
    if die.tag == "DW_TAG_array_type":
        return _length(die) * _bytes(_stripped(_type(die))[0])
    return int(_said(die, "DW_AT_byte_size") or 0)  # nothing is said of a type that is only declared


def _length(die: Any) -> int:
    length = 1
    for range_ in (one for one in die.iter_children() if one.tag == "DW_TAG_subrange_type"):
        count = _said(range_, "DW_AT_count")
        length *= int(count if count is not None else _said(range_, "DW_AT_upper_bound") + 1)
    return length


def _number(die: Any) -> str:
    """The element type of a number; "" of what is none."""
    bits = 8 * _bytes(die)
    if die.tag == "DW_TAG_base_type":
        letter = _ENCODED.get(die.attributes["DW_AT_encoding"].value, "")
        if letter == "f" and bits == 16 and "bf" in _name(die):
            return "bf16"
        return f"{letter}{bits}" if letter and bits <= 64 else ""
    if die.tag == "DW_TAG_enumeration_type":
        return f"i{bits}"
    name = _name(die)
    whole = (dtype for start, dtype in _BITS.items() if name == start or name.removesuffix("_fnuz") == start)
    return next(whole, "") if die.tag in _COMPOUND else ""


def _members(die: Any, name: str, at: int) -> Iterator[KernelParameter]:
    """The fields of a struct, a union (its widest member) or an array, structs within it taken apart."""
    for inside, part, place in _parts(die, name):
        found = _field(inside, part, at + place)
        yield from found.fields or (found,)


def _parts(die: Any, name: str) -> Iterator[tuple[str, Any, int]]:
    """Each part with its name, its type and the bytes before it."""
    if die.tag == "DW_TAG_array_type":
        part = _type(die)
        step = _bytes(_stripped(part)[0])
        yield from ((f"{name}_{n}", part, n * step) for n in range(min(_length(die), MOST_FIELDS + 1)))
        return
    members = [one for one in die.iter_children() if one.tag in ("DW_TAG_member", "DW_TAG_inheritance")]
    members = [one for one in members if "DW_AT_external" not in one.attributes and "DW_AT_type" in one.attributes]
    if die.tag == "DW_TAG_union_type":
        members = sorted(members, key=lambda one: -_bytes(_stripped(_type(one))[0]))[:1]
    for one in (one for one in members if not _is_empty_base(one)):
        inside = _name(one)
        said = inside and not inside.startswith("__")  # no name of the library's own
        yield inside if said else name, _type(one), _said(one, "DW_AT_data_member_location") or 0


def _is_empty_base(die: Any) -> bool:
    """Whether a member is a base of no bytes of its own: an empty class has one, and shares it where it is a base."""
    kinds = ("DW_TAG_member", "DW_TAG_inheritance")
    base = _stripped(_type(die))[0] if die.tag == "DW_TAG_inheritance" else None
    if base is None or _bytes(base) > 1:
        return False
    inside = [one for one in base.iter_children() if one.tag in kinds and "DW_AT_external" not in one.attributes]
    return all(map(_is_empty_base, inside))


def _elements(die: Any) -> tuple[str, int]:
    """The type of all elements that something is made of, and how many; no type where they differ."""
    if dtype := _number(die):
        return dtype, 1
    if die.tag not in (*_COMPOUND, "DW_TAG_array_type") or "DW_AT_declaration" in die.attributes:
        return "", 1
    fields = _field("", die, 0).fields
    dtypes = {replace(one, name="", at=0, written="") for one in fields}
    whole = sum(one.bytes for one in fields) == _bytes(die)
    if len(dtypes) != 1 or not whole or any(one.points for one in dtypes):
        return "", 1
    return fields[0].dtype, len(fields)
