"""From a checked `[launch]` table to a `Launch`: names are looked up, expressions read, what contradicts is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from layoutalg.formats.assumptions import Known, assumption, says_distinct
from layoutalg.formats.build import Builder
from layoutalg.formats.context import Data, meaning
from layoutalg.formats.equation import Equation
from layoutalg.formats.equations import EquationError, EquationNames, equation
from layoutalg.formats.launch import Argument, Assumption, Field, Given, Launch, Number, Pointer, Struct, Unused
from layoutalg.formats.reading import DocumentError, Path
from layoutalg.formats.shape import nearest, shown
from layoutalg.target.dtypes import DTYPES, NAMES

#: The element types of tensors that hold addresses.
ADDRESSES = ("u64", "i64")


def launch(builder: Builder, path: Path, data: Data) -> Launch:
    """The launch of a document; DocumentError where a name is none, or a size is missing or said twice."""
    arguments = tuple(_argument(builder, (*path, "arguments", n), n, one) for n, one in enumerate(data["arguments"]))
    made = Launch(
        grid=builder.exprs((*path, "grid"), data["grid"]),
        block=builder.exprs((*path, "block"), data["block"]),
        lds=builder.expr((*path, "lds"), data.get("lds", 0)),
        arguments=arguments,
        kernel=data.get("kernel"),
        writes=tuple(data.get("writes", ())),
        claims=tuple(data.get("claims", ())),
        line=builder.lines(path),
        each=tuple(data.get("each", ())),
        guessed=data.get("guessed", False),
    )
    for n, name in enumerate(made.each):
        _refuse_unknown((*path, "each", n), name, [*builder.file_symbols], "a size of this file")
    made = replace(made, points=tuple(_points(builder, (*path, "points"), data.get("points", {}), made)))
    for n, name in enumerate(made.writes):
        _refuse_unknown((*path, "writes", n), name, made.memories, "a descriptor among the arguments")
        if name in dict(made.points):
            raise DocumentError((*path, "writes", n), f"{name} holds addresses: it is only read")
    claimed, tried = _equations(builder, path, data, made)
    assume, initially = (tuple(_assumed(builder, path, data, made, key)) for key in ("assume", "initially"))
    made = replace(made, computes=claimed, tried=tried, assume=assume, initially=initially)
    return made


def _refuse_unknown(path: Path, name: str, known: Sequence[str], what: str) -> None:
    if name not in known:
        hint = nearest(name, known) or f"; give one of {', '.join(known) or 'none'}"
        raise DocumentError(path, f"{shown(name)} is not {what}{hint}")


def _points(builder: Builder, path: Path, data: Data, launch: Launch) -> Iterator[tuple[str, str]]:
    """What tensors of addresses point to, each to a descriptor of its own that nothing else has."""
    seen = {*launch.tensors}
    for table, of in data.items():
        at = (*path, table)
        _refuse_unknown(at, table, launch.tensors, "a descriptor among the arguments")
        if builder.resolve(("launch", "arguments"), table).dtype not in ADDRESSES:
            raise DocumentError(at, f"{table} holds addresses: its dtype is {' or '.join(ADDRESSES)}")
        if not isinstance(_named(builder, at, of), Pointer):
            raise DocumentError(at, f"{shown(of)} is no descriptor")
        if of in seen:
            raise DocumentError(at, f"{of} is memory of its own, by an argument or another pointer; describe it apart")
        seen.add(of)
        yield table, of


def _equations(builder: Builder, path: Path, data: Data, launch: Launch) -> tuple[tuple[Equation, ...], ...]:
    """What comes out, to be proved and to be tried, each tensor that is written in one equation at most."""
    texts = {key: data.get(key, ()) for key in ("computes", "tried")}
    if not any(texts.values()):
        return (), ()
    items = {name: builder.resolve(("launch", "arguments"), name) for name in launch.tensors}
    tensors = {name: (one.dtype or "", one.descriptor.lengths) for name, one in items.items()}
    named = EquationNames(tensors, builder.file_symbols, {one.name: one.dtype or "" for one in launch.given})
    seen: set[str] = set()

    def read(at: Path, text: str) -> Equation:
        try:
            found = equation(text, named)
        except EquationError as error:
            raise DocumentError(at, str(error)) from error
        if found.tensor in seen or found.tensor not in launch.writes:
            reason = "has an equation before" if found.tensor in seen else "is not among what the launch writes"
            raise DocumentError(at, f"{found.tensor} {reason}")
        seen.add(found.tensor)
        return found

    claimed, tried = (tuple(read((*path, key, n), text) for n, text in enumerate(of)) for key, of in texts.items())
    return claimed, tried


def _assumed(builder: Builder, path: Path, data: Data, launch: Launch, key: str) -> Iterator[Assumption]:
    """What is assumed under a key; under `initially` of tensors that are written."""
    items = {name: builder.resolve(("launch", "arguments"), name) for name in launch.memories}
    tensors = {name: (one.dtype or "", len(one.descriptor.lengths)) for name, one in items.items()}
    values = {one.name: one.dtype or "" for one in launch.given}
    known = Known(tensors, builder.file_symbols, values)
    for n, text in enumerate(data.get(key, ())):
        with meaning((*path, key, n)):
            found = assumption(text, known)
            if key == "initially" and not {*found.tensors} & {*launch.writes}:
                raise ValueError(f"{text!r} speaks of no tensor of `writes`: say it in `assume`")
            if {*found.tensors} & {*launch.pointees} and found.alone is None:
                raise ValueError(f"{text!r}: of what is pointed to, each element by itself is assumed")
            if {*found.tensors} & {*dict(launch.points)} and not says_distinct(found):
                raise ValueError(f"{text!r}: of addresses it is assumed that no two are equal, and no more")
            yield found


def _argument(builder: Builder, path: Path, place: int, data: Any) -> Argument:
    if isinstance(data, dict) and "fields" in data:
        fields = enumerate(data["fields"])
        return Struct(tuple(_sized((*path, "fields", n), _field(builder, (*path, "fields", n), "", one))
                            for n, one in fields))  # fmt: skip
    return _field(builder, path, str(place), data)


def _sized(path: Path, field: Field) -> Field:
    """A field of a struct, which says its size: nothing else does."""
    if isinstance(field, Pointer) or field.bytes is not None or (not isinstance(field, Unused) and field.dtype):
        return field
    raise DocumentError(path, 'a field of a struct says its size: { value = "N", bytes = 4 }, or dtype = "f32"')


def _field(builder: Builder, path: Path, place: str, data: Any) -> Field:
    if isinstance(data, int):
        return Number(builder.expr(path, data))
    if isinstance(data, str):
        return _named(builder, path, data)
    if "bytes" in data and "dtype" in data:
        raise DocumentError(
            (*path, "bytes"), f"dtype = {data['dtype']!r} says how many bytes; leave one of the two out"
        )
    size: dict[str, Any] = {
        "bytes": data.get("bytes"), "dtype": NAMES[data["dtype"]].name if "dtype" in data else None,
    }  # fmt: skip
    if "unused" in data:
        if not data["unused"]:
            raise DocumentError((*path, "unused"), "an argument that is used is a descriptor or a value: say which")
        return Unused(data.get("bytes"))
    if "value" in data:
        value = data["value"]
        return Number(value if isinstance(value, float) else builder.expr((*path, "value"), value), **size)
    if not (place or "name" in data):
        raise DocumentError(path, 'a value in a struct is given by its name: { name = "alpha", dtype = "f32" }')
    return Given(data.get("name", place), **size)


def _named(builder: Builder, path: Path, text: str) -> Field:
    """A descriptor's name, or an expression."""
    described = [entry["name"] for entry in builder.data.get("descriptor", ())]
    if text in described and text in builder.symbols:
        raise DocumentError(path, f"{text} is both a descriptor and a symbol of this file; give one another name")
    if text not in described:
        try:
            return Number(builder.expr(path, text))
        except DocumentError as error:
            words = nearest(text, described) or f"; the descriptors are {', '.join(described) or 'none'}"
            raise DocumentError(path, f"{shown(text)} is no descriptor, and as an expression: {error.reason}{words}"
                                ) from error  # fmt: skip
    number, data = builder.named("descriptor", path, text)
    at = ("descriptor", number)
    if data.get("base", {}).get("kind") == "descriptor":
        reason = (
            f"{text} is built on {data['base']['name']}: a kernel's tensor has its own memory; give its base in full"
        )
        raise DocumentError((*at, "base"), reason)
    if "dtype" not in data or not NAMES[data["dtype"]].bytes:
        wanted = ", ".join(name for name, one in DTYPES.items() if one.bytes)
        raise DocumentError(at, f"{text} is an argument of the launch, and needs a dtype: one of {wanted}")
    return Pointer(text)
