"""From C++ values to what the layout functions take, with a reason where a value is of another kind."""

from __future__ import annotations

from layoutalg.formats.ck_cpp.scope import CppFunction
from layoutalg.formats.ck_cpp.values import Open, TemplatePattern, Unreadable, Value
from layoutalg.index import FALSE, TRUE, Expr, eq, negation
from layoutalg.index.ranges import BOOLEAN
from layoutalg.layout import TensorAdaptor, TensorDescriptor, Transform
from layoutalg.layout.c_arithmetic import truncated_div, truncated_mod

MOST_ENTRIES = 4096
"""Entries of a tuple or sequence."""


def kind_of(value: Value) -> str:
    """What a value is, in words."""
    if isinstance(value, Open):
        return f"{value.path}, which this file leaves open"
    named = {Expr: "an integer", tuple: "a tuple", Transform: "a transform", TensorDescriptor: "a descriptor",
             TensorAdaptor: "an adaptor", CppFunction: "a function", TemplatePattern: "a pattern"}  # fmt: skip
    return next((text for kind, text in named.items() if isinstance(value, kind)), f"a {type(value).__name__.lower()}")


def entry_of(path: str) -> str | None:
    """The tuple that a path is an entry of: `Problem::BlockWarps::at()`; None where it is something else."""
    owner, _, last = path.rpartition("::")
    return owner if last in ("at()", "At()", "size()", "Size()", "get()") else None


def _called(path: str) -> str:
    """What a call is of that nothing here defines: of an object that -D can give, or of a function elsewhere."""
    owner, _, function = path.partition("::")
    if function.startswith("get_length"):
        return f"a length of {owner}, which -D {owner}='make_naive_tensor_descriptor_packed(…)' can give"
    return "a function of another file"


def ask(value: Open, example: str = "64") -> Unreadable:
    """The question for a value that is left open."""
    owner = entry_of(value.path)
    if owner is not None:
        value, example = Open(owner), "[2,2,1]"
    if "(" in value.path:
        return Unreadable(f"{value.path} is not known here: {_called(value.path)}")
    last = f" (or -D {value.last}={example})" if value.last != value.path else ""
    return Unreadable(f"{value.path} is not known here; give -D {value.path}={example}{last}")


def number(value: Value) -> Expr:
    """An integer; a tuple of one entry is none."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Open):
        raise ask(value)
    raise Unreadable(f"{kind_of(value)} where an integer is expected")


def constant(value: Value) -> int:
    """An integer without symbols."""
    e = number(value)
    if e.op != "const":
        raise Unreadable(f"{e} depends on a symbol, where a constant is expected")
    return int(e)


def entries(value: Value) -> tuple[Value, ...]:
    """The entries of a tuple, sequence or array."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, Open):
        raise ask(value, "[64,32]")
    raise Unreadable(f"{kind_of(value)} where a tuple or sequence is expected")


def numbers(value: Value) -> tuple[Expr, ...]:
    """A tuple of integers."""
    return tuple(map(number, entries(value)))


def dimensions(value: Value) -> list[list[int]]:
    """A tuple of sequences of dimension numbers."""
    return [[constant(d) for d in entries(group)] for group in entries(value)]


def transforms(value: Value) -> list[Transform]:
    """A tuple of transforms."""
    made = []
    for entry in entries(value):
        if not isinstance(entry, Transform):
            raise ask(entry) if isinstance(entry, Open) else Unreadable(f"{kind_of(entry)} among transforms")
        made.append(entry)
    return made


def descriptor(value: Value) -> TensorDescriptor:
    """A descriptor, or the one of a view."""
    if isinstance(value, TensorDescriptor):
        return value
    if isinstance(value, Open):
        raise Unreadable(f"{value.path} is not known here: a descriptor that this file does not build")
    raise Unreadable(f"{kind_of(value)} where a descriptor is expected")


def truth(value: Value) -> Expr:
    """A condition: a comparison, or an integer that is not zero."""
    e = number(value)
    return e if e.op in BOOLEAN or e in (TRUE, FALSE) else negation(eq(e, 0))


def truncated(a: Expr, b: Expr, *, remainder: bool) -> Expr:
    """C++'s `/` and `%`, which round towards zero; for symbols only where the signs are known."""
    if b.op == "const" and int(b) == 0:
        raise Unreadable(f"{a} {'%' if remainder else '/'} 0 is a division by zero", refused=True)
    if a.op == "const" and b.op == "const":
        quotient = abs(int(a)) // abs(int(b)) * (1 if (int(a) < 0) == (int(b) < 0) else -1)
        return a - b * quotient if remainder else TRUE * quotient
    if b.lo < 1:
        raise Unreadable(f"{a} / {b} rounds by the sign of its divisor, which may be negative or zero here")
    return (truncated_mod if remainder else truncated_div)(a, b)
