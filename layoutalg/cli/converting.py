"""`convert`: layouts in another notation, each with the proof that it is the same map."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli.errors import InputError
from layoutalg.cli.files import SOURCES, Includes, defines_of, missing, read, sizes_of, unread_reason
from layoutalg.cli.output import placed, say, time_limit
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import layoutalg.prove as prove
    from layoutalg import formats
    from layoutalg.cpp import convert as converted
    from layoutalg.formats import sized

MARKS = {"proved": ("✓", "green"), "refuted": ("✗", "red"), "unknown": ("?", "yellow")}


def convert(
    given: Annotated[str, typer.Argument(metavar="IN", help="A spec file, CK Tile C++, or a text for --from.")],
    to: Annotated[str, typer.Option(help="cute, triton, ck (CK Tile C++), spec, or cpp (a plain function).")],
    descriptor: Annotated[str | None, typer.Option(help="A layout's name; all of them otherwise.")] = None,
    notation: Annotated[str | None, typer.Option("--from", help="IN is a text: cute or triton.")] = None,
    shape: Annotated[str | None, typer.Option(help="The tensor of a text of Triton's: 64,64.")] = None,
    define: Annotated[list[str] | None, typer.Option("-D", help="A size: NAME=VALUE.")] = None,
    include: Includes = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", callback=placed, help="Write the texts here, and nothing else.")
    ] = None,
    seconds: Annotated[float, time_limit("each proof")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Write layouts in another notation, where one exists: exit 0 where each is proved to be the same map.

    Exit 1 where a layout has no such form, and why; 2 where the proof is open. Nothing unproved is written.

    \b
    layoutalg convert lds.toml --to cute
    layoutalg convert --from cute "((4,2),8):((2,1),16)" --to ck
    """
    if to not in converted.NOTATIONS:
        raise InputError(f"--to {to}: give one of {', '.join(converted.NOTATIONS)}")
    items = _text(notation, given, shape) if notation else _file(Path(given), define, include, descriptor)
    limits = prove.Limits(seconds=seconds)
    found = [converted.convert(item, to, limits) for item in items]
    if output is not None:
        output.write_text("\n".join(_document(found, to)), encoding="utf-8")
    if as_json:
        layouts = [_entry(one) for one in found]
        print(json.dumps({"in": given, "to": to, "layouts": layouts}, indent=1, ensure_ascii=False))
    else:
        for one in found:
            _print(one, shown=output is None)
    if all(found):
        return 0
    return 1 if any(one.verdict is None or one.verdict.name == "refuted" for one in found) else 2


def _file(path: Path, define: list[str] | None, include: list[Path] | None, name: str | None) -> list[converted.Item]:
    """The layouts of a file, with the values that -D gives their sizes; InputError where there are none."""
    defines = defines_of(define)
    spec = read(path, defines, include)
    every = [*spec.descriptors, *spec.distributions]
    items: list[Any] = [item for item in every if name in (None, item.name)]
    if not items:
        names = ", ".join(item.name for item in every) or "none"
        what = f"no layout {name!r}" if name else "no layout to convert"
        why = unread_reason(spec)
        raise InputError(f"{path}: {what}; it has {names}{f'; {why}' if why else ''}")
    if name is None and (why := unread_reason(spec)):
        print(f"note: {path}: {why}{missing(path, defines)}", file=sys.stderr)
    sizes = {} if path.suffix in SOURCES else sizes_of(define)
    return [sized.sized(item, sizes) if isinstance(item, formats.DescriptorItem) else item for item in items]


def _text(notation: str, text: str, shape: str | None) -> list[converted.Item]:
    """The layout of a text; its problems are those of a spec file's base."""
    if notation not in ("cute", "triton"):
        raise InputError(f"--from {notation}: give cute or triton")
    if notation == "triton" and shape is None:
        raise InputError("--from triton: its layouts are of a tensor, which --shape says: --shape 64,64")
    if notation == "cute" and shape is not None:
        raise InputError("--shape is for --from triton; CuTe's layouts say their own")
    return [converted.read_text(notation, text, _shape(shape))]


def _shape(text: str | None) -> list[int]:
    try:
        return [int(n) for n in text.split(",")] if text else []
    except ValueError:
        raise InputError(f"--shape {text}: lengths with commas between are wanted, 64,64") from None


def _document(found: list[converted.Conversion], to: str) -> list[str]:
    """The texts as a file has them: layouts of one line each by name, where there are several."""
    texts = [(one.name, one.text) for one in found if one]
    if to in ("cute", "triton"):
        return [f"{name}: {text}\n" if len(found) > 1 else f"{text}\n" for name, text in texts]
    if to == "spec" and texts:
        return [converted.one_file([text for _, text in texts])]
    return [text for _, text in texts]


def _print(one: converted.Conversion, shown: bool) -> None:
    if one and shown:
        say(f"{one.name}: {one.text}" if "\n" not in one.text else one.text.rstrip("\n"))
    if one.verdict is None:
        say(f"  {typer.style('✗', 'red')} {one.name} is no such layout: {one.reason}")
        return
    mark, colour = MARKS[one.verdict.name]
    how = typer.style(f"({one.verdict.strategy}, {one.verdict.seconds * 1e3:.2f} ms)", dim=True)
    say(f"  {typer.style(mark, colour)} {one.name}: the same map, {typer.style(one.verdict.name, colour)} {how}")
    if one.reason:
        say(f"      {one.reason}")


def _entry(one: converted.Conversion) -> dict[str, Any]:
    verdict = one.verdict
    entry: dict[str, Any] = {"name": one.name, "text": one.text or None, "verdict": verdict and verdict.name}
    if verdict is not None:
        entry |= {"strategy": verdict.strategy, "milliseconds": round(verdict.seconds * 1e3, 4)}
        entry["assumptions"] = list(verdict.assumptions)
    return {**entry, "reason": one.reason}
